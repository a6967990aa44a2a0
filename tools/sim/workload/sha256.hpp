// SPDX-License-Identifier: BSD-3-Clause
// sha256.hpp - the identity of a file, as `sha256sum` prints it.
//
// Written here because drom-sim links no library of ciphers, and the kernel's socket for it (AF_ALG) is not there in
// every container. No secret is protected by it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace drom::sim {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
public:
    void add(std::string_view bytes);
    /// Returns 64 hexadecimal digits. Nothing can be added afterwards.
    std::string finish();

private:
    void add_block(const unsigned char* block);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::string rest_;  ///< less than a block
    std::uint64_t bytes_ = 0;
};

/// Returns the sum of a file's bytes as they are stored. Errors: a reason.
tl::expected<std::string, std::string> sha256_of_file(const std::string& path);

}  // namespace drom::sim
