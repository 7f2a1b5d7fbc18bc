// SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fastnorm {
namespace {

constexpr std::size_t block_bytes = 64;

/// Section 4.2.2.
constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Section 5.3.3.
using State = std::array<std::uint32_t, 8>;
constexpr State initial_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t rotated(std::uint32_t value, unsigned bits) {
  return value >> bits | value << (32 - bits);
}

std::uint32_t word_at(std::string_view block, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    value = value << 8 | static_cast<unsigned char>(block[4 * word + byte]);
  }
  return value;
}

/// Section 6.2.2.
void add_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 64> schedule;
  for (std::size_t t = 0; t < 16; ++t) schedule[t] = word_at(block, t);
  for (std::size_t t = 16; t < schedule.size(); ++t) {
    const std::uint32_t before = schedule[t - 15];
    const std::uint32_t after = schedule[t - 2];
    schedule[t] = schedule[t - 16] + (rotated(before, 7) ^ rotated(before, 18) ^ before >> 3) +
                  schedule[t - 7] + (rotated(after, 17) ^ rotated(after, 19) ^ after >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < schedule.size(); ++t) {
    const std::uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                                ((e & f) ^ (~e & g)) + constants[t] + schedule[t];
    const std::uint32_t second =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

/// Section 5.1.1: a one, zeros, and the number of bits.
std::string padded(std::string_view rest, std::uint64_t all_bytes) {
  constexpr std::size_t count_bytes = 8;
  std::string text(rest);
  text += '\x80';
  while (text.size() % block_bytes != block_bytes - count_bytes) text += '\0';
  const std::uint64_t bits = 8 * all_bytes;
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    text += static_cast<char>(bits >> (shift - 8) & 0xffU);
  }
  return text;
}

void add_blocks(State& state, std::string_view blocks) {
  for (; !blocks.empty(); blocks.remove_prefix(block_bytes)) {
    add_block(state, blocks.substr(0, block_bytes));
  }
}

}  // namespace

std::string sha256(std::string_view text) {
  State state = initial_state;
  const std::size_t whole = text.size() / block_bytes * block_bytes;
  add_blocks(state, text.substr(0, whole));
  add_blocks(state, padded(text.substr(whole), text.size()));
  std::string digits;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 32; shift > 0; shift -= 4) {
      digits += "0123456789abcdef"[word >> (shift - 4) & 0xfU];
    }
  }
  return digits;
}

}  // namespace fastnorm
