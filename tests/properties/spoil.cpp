// SPDX-License-Identifier: Apache-2.0
#include "spoil.hpp"

#include "faults.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace fastnorm::test {
namespace {

using Spoil = void (*)(PropertyCase&, Draw&);

struct NamedSpoil {
  const char* name;
  Spoil apply;
};

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_f = std::numeric_limits<float>::infinity();

void set(Extents& values, int chosen, std::int64_t value) {
  Extents changed;
  for (int axis = 0; axis < values.rank(); ++axis) {
    changed.push_back(axis == chosen ? value : values[axis]);
  }
  values = changed;
}

/// The value of an axis at random.
void set_one(Extents& values, std::int64_t value, Draw& draw) {
  if (values.rank() == 0) return;
  set(values, static_cast<int>(draw.below(static_cast<std::size_t>(values.rank()))), value);
}

/// Those whose strides matter.
std::vector<int> axes_with_neighbours(const Extents& extents) {
  std::vector<int> axes;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (extents[axis] > 1) axes.push_back(axis);
  }
  return axes;
}

Extents first_of(const Extents& values, int rank) {
  Extents some;
  for (int axis = 0; axis < rank; ++axis) some.push_back(axis < values.rank() ? values[axis] : 1);
  return some;
}

/// The strides of x or y, given ones if there are any.
Strides& some_strides(NormDesc& desc, Draw& draw) {
  Strides& strides = draw.once_in(2) ? desc.x_strides : desc.y_strides;
  if (strides.rank() > 0) return strides;
  std::int64_t stride = 1;
  std::vector<std::int64_t> dense(static_cast<std::size_t>(desc.extents.rank()));
  for (int axis = desc.extents.rank() - 1; axis >= 0; --axis) {
    dense[static_cast<std::size_t>(axis)] = stride;
    stride *= desc.extents[axis];
  }
  for (const std::int64_t value : dense) strides.push_back(value);
  return strides;
}

template <class Enum>
Enum unknown(Draw& draw) {
  return static_cast<Enum>(draw.one_of(std::array{10, 77, 255}));
}

constexpr std::array of_desc = {
    NamedSpoil{"negative extent",
               [](PropertyCase& one, Draw& draw) {
                 set_one(one.desc.extents,
                         draw.one_of(std::array<std::int64_t, 3>{
                             -1, -700, std::numeric_limits<std::int64_t>::min()}),
                         draw);
               }},
    NamedSpoil{"extent of 0",
               [](PropertyCase& one, Draw& draw) { set_one(one.desc.extents, 0, draw); }},
    NamedSpoil{"too many elements",
               [](PropertyCase& one, Draw& draw) {
                 set_one(one.desc.extents, std::int64_t{1} << 62, draw);
                 set_one(one.desc.extents, std::numeric_limits<std::int64_t>::max(), draw);
               }},
    NamedSpoil{
        "rank of the extents",
        [](PropertyCase& one, Draw& draw) {
          one.desc.extents = first_of(one.desc.extents, draw.one_of(std::array{0, 1, 17, 30}));
        }},
    NamedSpoil{"groups",
               [](PropertyCase& one, Draw& draw) {
                 const std::int64_t c = one.desc.extents.rank() > 1 ? one.desc.extents[1] : 1;
                 one.desc.groups = draw.one_of(std::array<std::int64_t, 8>{
                     -1, 0, 2, 3, 7, c + 1, 2 * c, std::numeric_limits<std::int64_t>::min()});
               }},
    NamedSpoil{"normalized_rank",
               [](PropertyCase& one, Draw& draw) {
                 const int rank = one.desc.extents.rank();
                 one.desc.normalized_rank = draw.one_of(std::array{-1, 0, rank, rank + 1, 1000});
               }},
    NamedSpoil{"eps",
               [](PropertyCase& one, Draw& draw) {
                 constexpr double infinite = std::numeric_limits<double>::infinity();
                 one.desc.eps = draw.one_of(std::array{-1e-5, -1e-300, infinite, -infinite,
                                                       std::numeric_limits<double>::quiet_NaN()});
               }},
    NamedSpoil{"slope",
               [](PropertyCase& one, Draw& draw) {
                 one.desc.epilogue.slope = draw.one_of(std::array{nan_f, inf_f, -inf_f});
                 if (draw.once_in(2)) one.desc.epilogue.activation = Activation::leaky_relu;
               }},
    NamedSpoil{"alpha",
               [](PropertyCase& one, Draw& draw) {
                 one.desc.epilogue.alpha = draw.one_of(std::array{nan_f, inf_f, -inf_f});
                 if (draw.once_in(2)) one.desc.epilogue.activation = Activation::elu;
               }},
    NamedSpoil{"bounds of clamp",
               [](PropertyCase& one, Draw& draw) {
                 one.desc.epilogue.lower = draw.one_of(std::array{nan_f, 3.0F, inf_f});
                 one.desc.epilogue.upper = draw.one_of(std::array{nan_f, -3.0F, 4.0F, -inf_f});
                 if (draw.once_in(2)) one.desc.epilogue.activation = Activation::clamp;
               }},
    NamedSpoil{"types",
               [](PropertyCase& one, Draw& draw) {
                 constexpr std::array all = {DType::f32, DType::f16, DType::bf16, DType::f64};
                 one.desc.x_type = draw.one_of(all);
                 one.desc.y_type = draw.one_of(all);
                 one.desc.affine_type = draw.one_of(all);
               }},
    NamedSpoil{"channels-last",
               [](PropertyCase& one, Draw&) { one.desc.layout = Layout::channels_last; }},
    NamedSpoil{"unknown value of an enum",
               [](PropertyCase& one, Draw& draw) {
                 NormDesc& desc = one.desc;
                 Epilogue& epilogue = desc.epilogue;
                 switch (draw.below(10)) {
                   case 0:
                     desc.op = unknown<Op>(draw);
                     break;
                   case 1:
                     desc.x_type = unknown<DType>(draw);
                     break;
                   case 2:
                     desc.y_type = unknown<DType>(draw);
                     break;
                   case 3:
                     desc.affine_type = unknown<DType>(draw);
                     break;
                   case 4:
                     desc.layout = unknown<Layout>(draw);
                     break;
                   case 5:
                     desc.residual = unknown<Residual>(draw);
                     break;
                   case 6:
                     epilogue.activation = unknown<Activation>(draw);
                     break;
                   case 7:
                     epilogue.gamma = unknown<GammaForm>(draw);
                     break;
                   case 8:
                     epilogue.normalised = unknown<NormalisedRounding>(draw);
                     break;
                   default:
                     epilogue.modulation = unknown<Modulation>(draw);
                     break;
                 }
               }},
    NamedSpoil{"rank of the strides",
               [](PropertyCase& one, Draw& draw) {
                 Strides& strides = some_strides(one.desc, draw);
                 strides = first_of(
                     strides, draw.one_of(std::array{strides.rank() - 1, strides.rank() + 1, 20}));
               }},
    NamedSpoil{"stride of 0, negative or enormous",
               [](PropertyCase& one, Draw& draw) {
                 set_one(some_strides(one.desc, draw),
                         draw.one_of(
                             std::array<std::int64_t, 5>{0, -1, -4096, std::int64_t{1} << 62,
                                                         std::numeric_limits<std::int64_t>::max()}),
                         draw);
               }},
    NamedSpoil{"elements that share a place",
               [](PropertyCase& one, Draw& draw) {
                 Strides& strides = some_strides(one.desc, draw);
                 const std::vector<int> axes = axes_with_neighbours(one.desc.extents);
                 if (axes.size() < 2 || strides.rank() != one.desc.extents.rank()) return;
                 const std::size_t first = draw.below(axes.size());
                 const std::size_t second = (first + 1 + draw.below(axes.size() - 1)) % axes.size();
                 const std::int64_t stride = strides[axes[second]];
                 set(strides, axes[first], stride - static_cast<std::int64_t>(draw.below(2)));
               }},
};

constexpr std::array of_options = {
    NamedSpoil{"unknown back end",
               [](PropertyCase& one, Draw& draw) {
                 one.options.backend = draw.one_of(std::array{"vulkan", "Kokkos", "-host", " "});
               }},
    NamedSpoil{"unknown strategy",
               [](PropertyCase& one, Draw& draw) {
                 one.options.strategy = draw.one_of(std::array{"three_kernels", "row", " ", "*"});
               }},
    NamedSpoil{"configuration of no strategy",
               [](PropertyCase& one, Draw&) {
                 one.options.strategy.clear();
                 one.options.config = "threads=256";
               }},
    NamedSpoil{"field too many in the configuration",
               [](PropertyCase& one, Draw& draw) {
                 std::string& config = one.options.config;
                 config += draw.once_in(2) ? ",no_such_field=1" : "," + config;
               }},
    NamedSpoil{"field's value in the configuration",
               [](PropertyCase& one, Draw& draw) {
                 std::string& config = one.options.config;
                 config = config.substr(0, config.find_last_of('=')) +
                          draw.one_of(std::array{"", "=", "=-3", "=x", "=99999999999999999999"});
               }},
    NamedSpoil{"malformed configuration",
               [](PropertyCase& one, Draw& draw) {
                 one.options.config = draw.one_of(std::array{"x", "x=", "=1", ",", "=", "=,="});
               }},
    NamedSpoil{"tuning",
               [](PropertyCase& one, Draw& draw) { one.options.tuning = unknown<Tuning>(draw); }},
    NamedSpoil{"launches", [](PropertyCase& one,
                              Draw& draw) { one.options.launches = unknown<Launches>(draw); }},
    NamedSpoil{"memory", [](PropertyCase& one,
                            Draw& draw) { one.options.memory = unknown<MemorySpace>(draw); }},
    NamedSpoil{"device", [](PropertyCase& one, Draw& draw) {
                 one.options.device = draw.one_of(std::array{99, 12345, -2});
               }}};

bool is_there(const TrialSetup& tensors, TensorName name) {
  const NormInputs& inputs = tensors.inputs;
  const SavedStatistics saved = tensors.statistics;
  switch (name) {
    case TensorName::x:
    case TensorName::y:
      return true;
    case TensorName::gamma:
      return inputs.gamma.has_value();
    case TensorName::beta:
      return inputs.beta.has_value();
    case TensorName::mean:
      return tensors.desc.op != Op::rms_norm &&
             (saved == SavedStatistics::mean || saved == SavedStatistics::both);
    case TensorName::rstd:
      return saved == SavedStatistics::rstd || saved == SavedStatistics::both;
    case TensorName::residual:
      return inputs.residual.has_value();
    case TensorName::sum:
      return tensors.sum != SumOutput::absent;
    case TensorName::scale:
      return inputs.scale.has_value();
    case TensorName::shift:
      return inputs.shift.has_value();
  }
  return false;
}

std::vector<TensorName> present(const TrialSetup& tensors) {
  std::vector<TensorName> names;
  for (const TensorName name : all_tensor_names) {
    if (is_there(tensors, name)) names.push_back(name);
  }
  return names;
}

std::ptrdiff_t size_in_bytes(const NormDesc& desc, TensorName name) {
  return static_cast<std::ptrdiff_t>(size_of(type_of(desc, name)));
}

/// Where an output meets another tensor.
enum class Meeting { exact, close, at_its_end, at_own_end };

void move_output(PropertyCase& one, Meeting meeting, Draw& draw) {
  const NormDesc& desc = one.tensors.desc;
  if (is_empty(desc)) return;
  const std::vector<TensorName> names = present(one.tensors);
  std::vector<TensorName> outputs;
  std::copy_if(names.begin(), names.end(), std::back_inserter(outputs), is_output);
  const TensorName output = draw.one_of(outputs);
  const TensorName other = draw.one_of(names);
  const auto span = [&](TensorName name) {
    return static_cast<std::ptrdiff_t>(span_in_bytes(desc, name));
  };
  const std::ptrdiff_t some =
      static_cast<std::ptrdiff_t>(draw.below(3)) * size_in_bytes(desc, output);
  std::ptrdiff_t bytes = 0;
  switch (meeting) {
    case Meeting::exact:
      break;
    case Meeting::close:
      bytes = draw.once_in(2) ? some : -some;
      break;
    case Meeting::at_its_end:
      bytes = span(other) - some;
      break;
    case Meeting::at_own_end:
      bytes = some - span(output);
      break;
  }
  one.pointers.push_back({output, other, bytes});
}

constexpr std::array of_memory = {
    NamedSpoil{"null tensor",
               [](PropertyCase& one, Draw& draw) {
                 one.pointers.push_back({draw.one_of(present(one.tensors))});
               }},
    NamedSpoil{"misaligned tensor",
               [](PropertyCase& one, Draw& draw) {
                 const TensorName name = draw.one_of(present(one.tensors));
                 const std::ptrdiff_t size = size_in_bytes(one.tensors.desc, name);
                 const auto off = 1 + draw.below(static_cast<std::size_t>(size) - 1);
                 one.pointers.push_back({name, name, static_cast<std::ptrdiff_t>(off)});
               }},
    NamedSpoil{"tensor that nobody asks for",
               [](PropertyCase& one, Draw& draw) {
                 for (const TensorName name : all_tensor_names) {
                   if (is_there(one.tensors, name) || !draw.once_in(2)) continue;
                   one.pointers.push_back({name, TensorName::x, 0});
                   return;
                 }
               }},
    NamedSpoil{"output in place of another tensor",
               [](PropertyCase& one, Draw& draw) { move_output(one, Meeting::exact, draw); }},
    NamedSpoil{"output some elements off another tensor",
               [](PropertyCase& one, Draw& draw) { move_output(one, Meeting::close, draw); }},
    NamedSpoil{"output over another tensor's end",
               [](PropertyCase& one, Draw& draw) { move_output(one, Meeting::at_its_end, draw); }},
    NamedSpoil{"output's end over another tensor",
               [](PropertyCase& one, Draw& draw) { move_output(one, Meeting::at_own_end, draw); }},
    NamedSpoil{"workspace", [](PropertyCase& one, Draw& draw) {
                 constexpr std::array wrong = {Workspace::null,
                                               Workspace::too_small,
                                               Workspace::misaligned,
                                               Workspace::begins_with_a_tensor,
                                               Workspace::begins_at_a_tensors_end,
                                               Workspace::ends_in_a_tensor};
                 one.workspace = draw.one_of(wrong);
                 one.under_workspace = draw.one_of(present(one.tensors));
                 one.way = Way::plan;
               }}};

template <std::size_t count>
void apply_one(const std::array<NamedSpoil, count>& spoils, PropertyCase& one, Draw& draw) {
  const NamedSpoil& spoil = draw.one_of(spoils);
  spoil.apply(one, draw);
  one.spoilt.emplace_back(spoil.name);
}

}  // namespace

void spoil_desc(PropertyCase& one, Draw& draw) { apply_one(of_desc, one, draw); }
void spoil_options(PropertyCase& one, Draw& draw) { apply_one(of_options, one, draw); }
void spoil_memory(PropertyCase& one, Draw& draw) { apply_one(of_memory, one, draw); }

}  // namespace fastnorm::test
