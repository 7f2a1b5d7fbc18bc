// SPDX-License-Identifier: Apache-2.0
#include "c_api/from_c.hpp"
#include "c_api/last_error.hpp"
#include "c_api/structs.hpp"
#include "c_api/to_c.hpp"

#include <fastnorm/fastnorm.h>
#include <fastnorm/untuned.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace c_api = fastnorm::c_api;

namespace {

/// A shape with its descriptor as C has it, which points into the storage.
struct Shape {
  fastnorm::UntunedShape shape{};
  c_api::DescStorage storage{};
  fastnorm_norm_desc desc{};
};

}  // namespace

/// The handle.
struct fastnorm_untuned_list {
  std::vector<Shape> shapes;
};

namespace {

const Shape* find(const fastnorm_untuned_list* list, size_t index) {
  return list != nullptr && index < list->shapes.size() ? &list->shapes[index] : nullptr;
}

fastnorm_untuned_list* make_list() {
  auto list = std::make_unique<fastnorm_untuned_list>();
  std::vector<fastnorm::UntunedShape> met = fastnorm::untuned_shapes();
  list->shapes.resize(met.size());
  for (std::size_t i = 0; i < met.size(); ++i) {
    Shape& shape = list->shapes[i];
    shape.shape = std::move(met[i]);
    shape.desc = c_api::to_c(shape.shape.desc, shape.storage);
  }
  return list.release();
}

}  // namespace

fastnorm_status fastnorm_untuned_list_create(fastnorm_untuned_list** list) {
  return c_api::guarded([&] {
    if (list == nullptr) return c_api::missing("list", "where the handle goes");
    *list = nullptr;
    *list = make_list();
    return fastnorm::Status();
  });
}

void fastnorm_untuned_list_destroy(fastnorm_untuned_list* list) { delete list; }

size_t fastnorm_untuned_list_size(const fastnorm_untuned_list* list) {
  return list == nullptr ? 0 : list->shapes.size();
}

fastnorm_status fastnorm_untuned_list_desc(const fastnorm_untuned_list* list, size_t index,
                                           fastnorm_norm_desc* desc) {
  return c_api::guarded([&] {
    if (list == nullptr) {
      return c_api::missing("list", "what fastnorm_untuned_list_create has made");
    }
    if (desc == nullptr) return c_api::missing("desc", "a fastnorm_norm_desc");
    const Shape* const shape = find(list, index);
    if (shape == nullptr) {
      return fastnorm::Status(fastnorm::StatusCode::invalid_argument,
                              "index=" + std::to_string(index) + " must be below the size, " +
                                  std::to_string(list->shapes.size()));
    }
    constexpr c_api::StructSizes sizes = c_api::sizes_of<fastnorm_norm_desc>;
    fastnorm::Status status = c_api::check_struct_size("desc", desc, sizes);
    if (status.ok()) c_api::write_struct(&shape->desc, sizes, desc, desc->struct_size);
    return status;
  });
}

const char* fastnorm_untuned_list_backend(const fastnorm_untuned_list* list, size_t index) {
  const Shape* const shape = find(list, index);
  return shape == nullptr ? nullptr : shape->shape.backend.c_str();
}

const char* fastnorm_untuned_list_served_by(const fastnorm_untuned_list* list, size_t index) {
  const Shape* const shape = find(list, index);
  return shape == nullptr ? nullptr : shape->shape.served_by.c_str();
}

const char* fastnorm_untuned_list_case_text(const fastnorm_untuned_list* list, size_t index) {
  const Shape* const shape = find(list, index);
  return shape == nullptr ? nullptr : shape->shape.case_text.c_str();
}
