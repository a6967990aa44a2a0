// SPDX-License-Identifier: BSD-3-Clause
// mask.cpp - masks as DLB's users write them. Every character counts.
#include "mask.hpp"

namespace drom::dlb {

namespace {

bool add(CpuSet& cpus, size_t cpu) noexcept {
    if (cpu >= CPU_SETSIZE) return false;
    cpus.add(static_cast<uint32_t>(cpu));
    return true;
}

bool parse_number(const char*& at, size_t& number) noexcept {
    if (*at < '0' || *at > '9') return false;
    for (number = 0; *at >= '0' && *at <= '9'; ++at) {
        number = number * 10 + static_cast<size_t>(*at - '0');
        if (number >= CPU_SETSIZE) return false;
    }
    return true;
}

bool parse_list(const char* at, CpuSet& cpus) noexcept {
    for (;; ++at) {
        size_t first = 0;
        if (!parse_number(at, first)) return false;
        size_t last = first;
        if (*at == '-') {
            ++at;
            if (!parse_number(at, last)) return false;
        }
        if (last < first) return false;
        for (size_t cpu = first; cpu <= last; ++cpu) add(cpus, cpu);
        if (*at == '\0') return true;
        if (*at != ',') return false;
    }
}

bool parse_bits(const char* at, CpuSet& cpus) noexcept {
    for (size_t cpu = 0; *at != '\0'; ++at, ++cpu) {
        if (*at != '0' && *at != '1') return false;
        if (*at == '1' && !add(cpus, cpu)) return false;
    }
    return true;
}

bool parse_hex(const char* text, CpuSet& cpus) noexcept {
    constexpr const char* kDigits = "0123456789abcdef";
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; ++i) {
        const char* found = strchr(kDigits, text[i] >= 'A' && text[i] <= 'F' ? text[i] + ('a' - 'A') : text[i]);
        if (found == nullptr) return false;
        const auto digit = static_cast<size_t>(found - kDigits);
        for (size_t bit = 0; bit < 4; ++bit)
            if ((digit >> bit & 1) != 0 && !add(cpus, (length - 1 - i) * 4 + bit)) return false;
    }
    return true;
}

}  // namespace

bool parse_mask(const char* text, CpuSet& cpus) noexcept {
    cpus = CpuSet{};
    if (text == nullptr) return false;
    bool good = false;
    if (strncmp(text, "0x", 2) == 0)
        good = parse_hex(text + 2, cpus);
    else if (strncmp(text, "0b", 2) == 0)
        good = parse_bits(text + 2, cpus);
    else
        good = parse_list(text, cpus);
    return good && !cpus.none();
}

}  // namespace drom::dlb
