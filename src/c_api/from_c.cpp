// SPDX-License-Identifier: Apache-2.0
#include "c_api/from_c.hpp"

#include "c_api/structs.hpp"
#include "c_api/to_c.hpp"
#include "c_api/versioned_struct.hpp"
#include "core/counted.hpp"
#include "core/enum_values.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace fastnorm::c_api {
namespace {

Status invalid(std::string message) {
  return Status(StatusCode::invalid_argument, std::move(message));
}

template <class Struct>
Status read_versioned(const char* name, const Struct* from, Struct& to) {
  return read_struct(name, from, sizes_of<Struct>, &to);
}

/// The enums of C++ are a byte wide, those of C are not.
template <class Enum, std::size_t count>
Status read_enum(const char* name, std::int32_t number, const std::array<Enum, count>& values,
                 Enum& to) {
  if (Status status = check_known(name, number, values); !status.ok()) return status;
  to = static_cast<Enum>(number);
  return {};
}

/// The same of an option, of which no build offers more than another.
template <class Enum>
Status read_option(const char* name, std::int32_t number, Enum last, const char* allowed,
                   Enum& to) {
  if (number < 0 || number > static_cast<std::int32_t>(last)) {
    return invalid(std::string(name) + "=" + std::to_string(number) + " is none of " + allowed);
  }
  to = static_cast<Enum>(number);
  return {};
}

/// Of one of the tensors; none where there are no strides.
Status read_strides(const std::int64_t* from, int rank, Strides& to) {
  to = Strides();
  if (from == nullptr) return {};
  return read_extents(from, rank, to);
}

Status read_epilogue(const fastnorm_epilogue* from, Epilogue& to) {
  fastnorm_epilogue epilogue = default_epilogue();
  if (from != nullptr) {
    if (Status status = read_versioned("epilogue", from, epilogue); !status.ok()) return status;
  }
  to.slope = epilogue.slope;
  to.alpha = epilogue.alpha;
  to.lower = epilogue.lower;
  to.upper = epilogue.upper;
  for (Status status :
       {read_enum("activation", epilogue.activation, all_activations, to.activation),
        read_enum("gamma", epilogue.gamma, all_gamma_forms, to.gamma),
        read_enum("normalised", epilogue.normalised, all_normalised_roundings, to.normalised),
        read_enum("modulation", epilogue.modulation, all_modulations, to.modulation)}) {
    if (!status.ok()) return status;
  }
  return {};
}

/// A name that may be null.
std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : text; }

/// What descriptors and options of calls have in common.
template <class Struct>
Status read_tensors(const Struct& from, int rank, NormDesc& to) {
  to.eps = from.eps;
  for (Status status : {read_enum("x_type", from.x_type, all_dtypes, to.x_type),
                        read_enum("y_type", from.y_type, all_dtypes, to.y_type),
                        read_enum("affine_type", from.affine_type, all_dtypes, to.affine_type),
                        read_enum("layout", from.layout, all_layouts, to.layout),
                        read_strides(from.x_strides, rank, to.x_strides),
                        read_strides(from.y_strides, rank, to.y_strides),
                        read_epilogue(from.epilogue, to.epilogue)}) {
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Status missing(const char* name, const std::string& what) {
  return invalid(std::string(name) + " is null; it must point to " + what);
}

Status read_extents(const std::int64_t* from, std::int32_t rank, Extents& to) {
  if (rank < 0 || rank > Extents::max_rank) {
    return invalid("rank=" + std::to_string(rank) + " must be from 0 to " +
                   std::to_string(Extents::max_rank));
  }
  if (from == nullptr && rank > 0) {
    return missing("extents", counted(static_cast<std::size_t>(rank), "extent", "extents"));
  }
  for (std::int32_t axis = 0; axis < rank; ++axis) to.push_back(from[axis]);
  return {};
}

Status read(const fastnorm_norm_desc* from, NormDesc& to) {
  if (from == nullptr) return missing("desc", "a fastnorm_norm_desc");
  fastnorm_norm_desc desc = default_norm_desc();
  for (Status status :
       {read_versioned("desc", from, desc), read_enum("op", desc.op, all_ops, to.op),
        read_enum("residual", desc.residual, all_residuals, to.residual),
        read_extents(desc.extents, desc.rank, to.extents)}) {
    if (!status.ok()) return status;
  }
  to.groups = desc.groups;
  to.normalized_rank = desc.normalized_rank;
  return read_tensors(desc, desc.rank, to);
}

Status read(const fastnorm_norm_args* from, NormArgs& to) {
  if (from == nullptr) return missing("args", "a fastnorm_norm_args");
  fastnorm_norm_args args = default_norm_args();
  if (Status status = read_versioned("args", from, args); !status.ok()) return status;
  to.x = args.x;
  to.y = args.y;
  to.gamma = args.gamma;
  to.beta = args.beta;
  to.mean = args.mean;
  to.rstd = args.rstd;
  to.residual = args.residual;
  to.sum = args.sum;
  to.scale = args.scale;
  to.shift = args.shift;
  return {};
}

Status read(const char* name, const fastnorm_plan_options* from, PlanOptions& to) {
  fastnorm_plan_options options = default_plan_options();
  if (from != nullptr) {
    if (Status status = read_versioned(name, from, options); !status.ok()) return status;
  }
  for (Status status :
       {read_option("memory", options.memory, MemorySpace::device, "automatic, host, device",
                    to.memory),
        read_option("tuning", options.tuning, Tuning::heuristic, "database, heuristic", to.tuning),
        read_option("launches", options.launches, Launches::independent_blocks,
                    "all, independent_blocks", to.launches)}) {
    if (!status.ok()) return status;
  }
  if (options.deterministic != 0 && options.deterministic != 1) {
    return invalid("deterministic=" + std::to_string(options.deterministic) + " must be 0 or 1");
  }
  to.deterministic = options.deterministic == 1;
  to.device = options.device;
  to.backend = text_or_empty(options.backend);
  to.strategy = text_or_empty(options.strategy);
  to.config = text_or_empty(options.config);
  return {};
}

Status read(const fastnorm_norm_options* from, Call& to) {
  fastnorm_norm_options options = default_norm_options();
  if (from != nullptr) {
    if (Status status = read_versioned("options", from, options); !status.ok()) return status;
  }
  Residual sum_with_residual = Residual::none;
  for (Status status :
       {read_tensors(options, to.desc.extents.rank(), to.desc),
        read_enum("residual_sum", options.residual_sum, all_residuals, sum_with_residual),
        read("options.plan", options.plan, to.plan)}) {
    if (!status.ok()) return status;
  }
  const bool modulates = options.scale != nullptr || options.shift != nullptr;
  to.desc.residual = options.residual != nullptr ? sum_with_residual : Residual::none;
  to.desc.epilogue.modulation = modulates ? Modulation::scale_shift : Modulation::none;
  to.args.mean = options.mean;
  to.args.rstd = options.rstd;
  to.args.residual = options.residual;
  to.args.sum = options.sum;
  to.args.scale = options.scale;
  to.args.shift = options.shift;
  to.stream = {options.stream};
  return {};
}

}  // namespace fastnorm::c_api
