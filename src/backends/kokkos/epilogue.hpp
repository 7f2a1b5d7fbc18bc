// SPDX-License-Identifier: Apache-2.0
/// From h to what is stored as y, for rows of every strategy on every space.
///
/// Values are handled in runs, as long as a buffer (host) or a pack (devices): whatever the
/// descriptor leaves open is decided once a run.
#pragma once

#include "backends/kokkos/activation.hpp"
#include "backends/kokkos/element_runs.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/normalization.hpp"
#include "backends/kokkos/standardizer.hpp"

#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// The affine maps of `count` channels of a row from its channel `first` on, modulation included.
/// widen_channels(from, count, to) reads gamma and beta.
template <class Widen, class Acc>
KOKKOS_INLINE_FUNCTION void read_channels(const Normalization& call, const FirstChannels& of_row,
                                          std::int64_t first, std::int64_t count,
                                          const Widen& widen_channels, Acc* factor, Acc* offset) {
  const NormArgs& tensors = call.tensors;
  with_element<Acc>(call.affine_type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t channel = of_row.affine + first;
    const auto read = [&](const void* tensor, Acc absent, Acc* values) {
      if (tensor != nullptr)
        return widen_channels(static_cast<const T*>(tensor) + channel, count, values);
      for (std::int64_t i = 0; i < count; ++i) values[i] = absent;
    };
    read(tensors.gamma, Acc{1}, factor);
    read(tensors.beta, Acc{0}, offset);
    if (tensors.gamma != nullptr && call.epilogue.gamma == GammaForm::centred_zero) {
      for (std::int64_t i = 0; i < count; ++i) factor[i] += Acc{1};
    }
    if (call.epilogue.modulation == Modulation::none) return;

    const std::int64_t of_sample = of_row.of_sample + first;
    if (tensors.scale != nullptr) {
      const T* scale = static_cast<const T*>(tensors.scale) + of_sample;
      for (std::int64_t i = 0; i < count; ++i) {
        const Acc of_channel = Acc{1} + static_cast<Acc>(widen(scale[i]));
        factor[i] *= of_channel;
        offset[i] *= of_channel;
      }
    }
    if (tensors.shift != nullptr) {
      const T* shift = static_cast<const T*>(tensors.shift) + of_sample;
      for (std::int64_t i = 0; i < count; ++i) offset[i] += static_cast<Acc>(widen(shift[i]));
    }
  });
}

template <class Acc>
KOKKOS_INLINE_FUNCTION void read_channels(const Normalization& call, std::int64_t row,
                                          std::int64_t first, std::int64_t count, Acc* factor,
                                          Acc* offset) {
  const bool modulated = call.epilogue.modulation != Modulation::none;
  const FirstChannels of_row{call.first_channel(row), modulated ? call.first_of_sample(row) : 0};
  read_channels(call, of_row, first, count, WidenRun(), factor, offset);
}

/// The run's results, before they are rounded to y's type. map(standardizer, from, to) composes a
/// standardizer, a Standardizer or a LineStandardizer, with the affine maps of the run's channels.
/// `out` may be `h`.
template <class RowStandardizer, class Acc, class MapChannels>
KOKKOS_INLINE_FUNCTION void apply_epilogue(const Normalization& call,
                                           const RowStandardizer& standardizer,
                                           const MapChannels& map, const Acc* h, std::int64_t count,
                                           Acc* out) {
  if (call.rounds_normalised()) {
    const auto line = standardizer.line(Acc{1}, Acc{0});
    for (std::int64_t i = 0; i < count; ++i) out[i] = line(h[i]);
    round_run(call.affine_type, out, count);
    map(RowStandardizer(), out, out);
  } else {
    map(standardizer, h, out);
  }
  activate(call.epilogue, out, count);
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
