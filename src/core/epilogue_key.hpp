// SPDX-License-Identifier: Apache-2.0
/// What a call does besides normalising, as far as its speed depends on it, and the words for it.
#pragma once

#include <fastnorm/norm_desc.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace fastnorm {

/// The numbers of an activation (a slope, a bound) are no part of it: they take no time.
struct EpilogueKey {
  Activation activation = Activation::none;
  Residual residual = Residual::none;
  GammaForm gamma = GammaForm::factor;
  NormalisedRounding normalised = NormalisedRounding::none;
  Modulation modulation = Modulation::none;

  static EpilogueKey of(const NormDesc& desc);
  friend bool operator==(const EpilogueKey& a, const EpilogueKey& b);
};

/// "none", or the words for what is there, in one order: "silu residual modulation".
std::string to_string(const EpilogueKey& key);

/// What to_string() spells so, and nothing else.
std::optional<EpilogueKey> parse_epilogue_key(std::string_view text);

/// What parse_epilogue_key() allows, for messages.
std::string epilogue_key_grammar();

}  // namespace fastnorm
