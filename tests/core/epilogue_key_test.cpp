// SPDX-License-Identifier: Apache-2.0
#include "core/epilogue_key.hpp"

#include "core/enum_values.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace fastnorm {
namespace {

std::vector<EpilogueKey> all_keys() {
  std::vector<EpilogueKey> keys;
  for (const Activation activation : all_activations) {
    for (const Residual residual : all_residuals) {
      for (const GammaForm gamma : all_gamma_forms) {
        for (const NormalisedRounding normalised : all_normalised_roundings) {
          for (const Modulation modulation : all_modulations) {
            keys.push_back({activation, residual, gamma, normalised, modulation});
          }
        }
      }
    }
  }
  return keys;
}

TEST(EpilogueKey, HasTheWordsOfTheDatabase) {
  EpilogueKey key;
  EXPECT_EQ(to_string(key), "none");
  key.activation = Activation::silu;
  EXPECT_EQ(to_string(key), "silu");
  key.residual = Residual::rounded_sum;
  key.modulation = Modulation::scale_shift;
  EXPECT_EQ(to_string(key), "silu residual modulation");
  key = {Activation::none, Residual::exact_sum, GammaForm::centred_zero,
         NormalisedRounding::affine_type, Modulation::none};
  EXPECT_EQ(to_string(key), "exact_residual centred_gamma rounded_normalised");
}

TEST(EpilogueKey, EveryOneHasASpellingOfItsOwn) {
  std::set<std::string> spellings;
  for (const EpilogueKey& key : all_keys()) {
    const std::string text = to_string(key);
    EXPECT_TRUE(spellings.insert(text).second) << text;
    const auto parsed = parse_epilogue_key(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, key) << text;
  }
}

TEST(EpilogueKey, OtherSpellingsAreRefused) {
  for (const char* text : {"", " ", "None", "none silu", "silu none", "SILU", "mish", "silu ",
                           " silu", "silu  residual", "residual silu", "silu relu",
                           "residual residual", "residual exact_residual", "modulation residual",
                           "silu,residual", "rounded_sum", "scale_shift"}) {
    EXPECT_FALSE(parse_epilogue_key(text)) << "\"" << text << "\"";
  }
}

TEST(EpilogueKey, TheNumbersOfAnActivationAreNoPartOfIt) {
  NormDesc desc;
  desc.epilogue.activation = Activation::leaky_relu;
  const EpilogueKey key = EpilogueKey::of(desc);
  desc.epilogue.slope = 0.2F;
  EXPECT_EQ(EpilogueKey::of(desc), key);
  desc.epilogue.activation = Activation::relu;
  EXPECT_FALSE(EpilogueKey::of(desc) == key);
}

}  // namespace
}  // namespace fastnorm
