// SPDX-License-Identifier: Apache-2.0
// Compares what is embedded in this program with the files named on its command line.
#include "core/tuning_store.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  const auto& embedded = fastnorm::shipped_tuning_files();
  const auto count = static_cast<std::size_t>(argc - 1);
  if (embedded.size() != count) {
    std::printf("%zu files embedded, %zu expected\n", embedded.size(), count);
    return 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::filesystem::path path = argv[i + 1];
    std::ifstream stream(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    if (path.filename() != embedded[i].name || text != embedded[i].text) {
      std::printf("%s differs from %s\n", embedded[i].name, argv[i + 1]);
      return 1;
    }
  }
  std::printf("%zu files embedded as they are\n", count);
  return 0;
}
