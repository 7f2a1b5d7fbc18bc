// SPDX-License-Identifier: Apache-2.0
/// Messages that the blocks of a team send each other through the workspace, as the host sees them.
/// (device/partial_message.cuh has the rest.)
#pragma once

namespace fastnorm::cuda {

inline constexpr int message_bytes = 16;
/// What each byte of a message's place must hold before the launch.
inline constexpr int no_message = 0xFF;
/// Blocks that may wait for each other's messages.
inline constexpr int most_team_blocks = 160;

}  // namespace fastnorm::cuda
