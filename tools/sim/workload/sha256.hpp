// SPDX-License-Identifier: BSD-3-Clause
// sha256.hpp - the digest of FIPS 180-4.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace drom::sim {

/// Returns the SHA-256 of the bytes.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace drom::sim
