// SPDX-License-Identifier: Apache-2.0
#include "core/epilogue_key.hpp"

#include "core/enum_values.hpp"

#include <tuple>

namespace fastnorm {
namespace {

constexpr std::string_view nothing = "none";

/// A word that stands for one value of a field.
template <class Value>
struct Word {
  std::string_view text;
  Value EpilogueKey::*field;
  Value value;
};

constexpr auto words =
    std::tuple(Word<Residual>{"residual", &EpilogueKey::residual, Residual::rounded_sum},
               Word<Residual>{"exact_residual", &EpilogueKey::residual, Residual::exact_sum},
               Word<GammaForm>{"centred_gamma", &EpilogueKey::gamma, GammaForm::centred_zero},
               Word<NormalisedRounding>{"rounded_normalised", &EpilogueKey::normalised,
                                        NormalisedRounding::affine_type},
               Word<Modulation>{"modulation", &EpilogueKey::modulation, Modulation::scale_shift});

template <class Visit>
void for_each_word(const Visit& visit) {
  std::apply([&](const auto&... word) { (visit(word), ...); }, words);
}

/// Adds what a word says; false if there is no such word.
bool take_word(std::string_view text, EpilogueKey& key) {
  bool known = false;
  for_each_word([&](const auto& word) {
    if (word.text != text) return;
    key.*word.field = word.value;
    known = true;
  });
  if (known) return true;
  const std::optional<Activation> activation = find_by_name(all_activations, text);
  if (!activation || *activation == Activation::none) return false;
  key.activation = *activation;
  return true;
}

auto tied(const EpilogueKey& key) {
  return std::tie(key.activation, key.residual, key.gamma, key.normalised, key.modulation);
}

}  // namespace

EpilogueKey EpilogueKey::of(const NormDesc& desc) {
  const Epilogue& epilogue = desc.epilogue;
  return {epilogue.activation, desc.residual, epilogue.gamma, epilogue.normalised,
          epilogue.modulation};
}

bool operator==(const EpilogueKey& a, const EpilogueKey& b) { return tied(a) == tied(b); }

std::string to_string(const EpilogueKey& key) {
  std::string text;
  const auto append = [&text](std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  if (key.activation != Activation::none) append(to_string(key.activation));
  for_each_word([&](const auto& word) {
    if (key.*word.field == word.value) append(word.text);
  });
  return text.empty() ? std::string(nothing) : text;
}

std::optional<EpilogueKey> parse_epilogue_key(std::string_view text) {
  EpilogueKey key;
  if (text == nothing) return key;
  for (std::string_view rest = text;;) {
    const std::size_t space = rest.find(' ');
    if (!take_word(rest.substr(0, space), key)) return std::nullopt;
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
  // Words repeated, in another order or against each other would be a second spelling.
  if (to_string(key) != text) return std::nullopt;
  return key;
}

std::string epilogue_key_grammar() {
  std::string text = std::string(nothing) + ", or in this order an activation (";
  bool first = true;
  for (const Activation activation : all_activations) {
    if (activation == Activation::none) continue;
    text += (first ? "" : ", ") + std::string(to_string(activation));
    first = false;
  }
  text += ")";
  for_each_word([&](const auto& word) { text += ", " + std::string(word.text); });
  return text;
}

}  // namespace fastnorm
