// SPDX-License-Identifier: Apache-2.0
#include "c_api/from_c.hpp"
#include "c_api/last_error.hpp"

#include <fastnorm/fastnorm.h>
#include <fastnorm/norm.hpp>

#include <cstdint>

namespace {

using fastnorm::Op;
using fastnorm::Status;
namespace c_api = fastnorm::c_api;

/// The tensors that every function without a plan names.
struct Tensors {
  const void* x;
  void* y;
  const void* gamma;
  const void* beta;
};

/// A call of an operation over groups of channels or over the last extents, whose own numbers `set`
/// adds to the descriptor.
template <class SetNumbers>
fastnorm_status normalize(Op op, const std::int64_t* extents, std::int32_t rank,
                          const Tensors& tensors, const fastnorm_norm_options* options,
                          const SetNumbers& set_numbers) {
  return c_api::guarded([&] {
    c_api::Call call;
    call.desc.op = op;
    if (Status status = c_api::read_extents(extents, rank, call.desc.extents); !status.ok()) {
      return status;
    }
    if (Status status = c_api::read(options, call); !status.ok()) return status;
    set_numbers(call.desc);
    call.args.x = tensors.x;
    call.args.y = tensors.y;
    call.args.gamma = tensors.gamma;
    call.args.beta = tensors.beta;
    return fastnorm::normalize(call.desc, call.args, call.stream, call.plan);
  });
}

}  // namespace

fastnorm_status fastnorm_group_norm(const int64_t* extents, int32_t rank, int64_t groups,
                                    const void* x, void* y, const void* gamma, const void* beta,
                                    const fastnorm_norm_options* options) {
  return normalize(Op::group_norm, extents, rank, {x, y, gamma, beta}, options,
                   [=](fastnorm::NormDesc& desc) { desc.groups = groups; });
}

fastnorm_status fastnorm_instance_norm(const int64_t* extents, int32_t rank, const void* x, void* y,
                                       const void* gamma, const void* beta,
                                       const fastnorm_norm_options* options) {
  return normalize(Op::instance_norm, extents, rank, {x, y, gamma, beta}, options,
                   [](fastnorm::NormDesc&) {});
}

fastnorm_status fastnorm_layer_norm(const int64_t* extents, int32_t rank, int32_t normalized_rank,
                                    const void* x, void* y, const void* gamma, const void* beta,
                                    const fastnorm_norm_options* options) {
  return normalize(Op::layer_norm, extents, rank, {x, y, gamma, beta}, options,
                   [=](fastnorm::NormDesc& desc) { desc.normalized_rank = normalized_rank; });
}

fastnorm_status fastnorm_rms_norm(const int64_t* extents, int32_t rank, int32_t normalized_rank,
                                  const void* x, void* y, const void* gamma,
                                  const fastnorm_norm_options* options) {
  return normalize(Op::rms_norm, extents, rank, {x, y, gamma, nullptr}, options,
                   [=](fastnorm::NormDesc& desc) { desc.normalized_rank = normalized_rank; });
}

fastnorm_status fastnorm_normalize(const fastnorm_norm_desc* desc, const fastnorm_norm_args* args,
                                   fastnorm_stream stream, const fastnorm_plan_options* options) {
  return c_api::guarded([&] {
    c_api::Call call;
    if (Status status = c_api::read(desc, call.desc); !status.ok()) return status;
    if (Status status = c_api::read(args, call.args); !status.ok()) return status;
    if (Status status = c_api::read("options", options, call.plan); !status.ok()) return status;
    return fastnorm::normalize(call.desc, call.args, {stream}, call.plan);
  });
}
