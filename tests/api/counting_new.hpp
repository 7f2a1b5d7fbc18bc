/// Every operator new of the program, counted.
#pragma once

#include <cstddef>

namespace fastnorm::test {

std::size_t allocation_count() noexcept;

}  // namespace fastnorm::test
