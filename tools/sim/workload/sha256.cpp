// SPDX-License-Identifier: BSD-3-Clause
// sha256.cpp - blocks of 64 bytes, one after the other.
#include "workload/sha256.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace drom::sim {
namespace {

constexpr std::size_t kBlock = 64;

/// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
           std::uint32_t{bytes[3]};
}

std::array<std::uint32_t, 64> schedule_of(const unsigned char* block) {
    std::array<std::uint32_t, 64> word{};
    for (std::size_t i = 0; i < 16; ++i) word[i] = big_endian(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = word[i - 15], b = word[i - 2];
        word[i] = word[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + word[i - 7] +
                  (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    return word;
}

}  // namespace

void Sha256::add_block(const unsigned char* block) {
    const std::array<std::uint32_t, 64> word = schedule_of(block);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t one =
            h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRounds[i] + word[i];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const std::array<std::uint32_t, 8> more{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += more[i];
}

void Sha256::add(std::string_view bytes) {
    bytes_ += bytes.size();
    if (!rest_.empty()) {
        const std::size_t missing = std::min(kBlock - rest_.size(), bytes.size());
        rest_ += bytes.substr(0, missing);
        bytes.remove_prefix(missing);
        if (rest_.size() < kBlock) return;
        add_block(reinterpret_cast<const unsigned char*>(rest_.data()));
        rest_.clear();
    }
    for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock))
        add_block(reinterpret_cast<const unsigned char*>(bytes.data()));
    rest_ = bytes;
}

std::string Sha256::finish() {
    const std::uint64_t bits = 8 * bytes_;
    std::string end = "\x80";
    while ((bytes_ + end.size()) % kBlock != kBlock - 8) end += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xFF);
    add(end);
    std::string text;
    for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
    return text;
}

tl::expected<std::string, std::string> sha256_of_file(const std::string& path) {
    struct Closing {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, Closing> file(std::fopen(path.c_str(), "rbe"));
    if (file == nullptr) return tl::make_unexpected(std::string(std::strerror(errno)));
    Sha256 sum;
    std::string buffer(std::size_t{1} << 16, '\0');
    errno = 0;
    while (std::feof(file.get()) == 0 && std::ferror(file.get()) == 0) {
        const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
        sum.add(std::string_view(buffer).substr(0, got));
    }
    if (std::ferror(file.get()) != 0) return tl::make_unexpected(std::string(std::strerror(errno)));
    return sum.finish();
}

}  // namespace drom::sim
