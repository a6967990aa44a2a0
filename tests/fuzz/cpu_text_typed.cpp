// SPDX-License-Identifier: BSD-3-Clause
// cpu_text_typed.cpp - CPU sets as users type them, through the public interface.
#include "cpu_text_fuzz.hpp"

#include "drom/drom.hpp"
#include "fuzz.hpp"

namespace drom::fuzz {

std::optional<std::vector<std::uint64_t>> read_typed(const std::string& text) {
    const auto unit = [](Unit, unsigned index) -> Expected<CpuSet> {
        if (index > 63) return failure(DROM_E_NOCPU, "there are 64 of them");
        return CpuSet::range(index, 1);
    };
    const auto set = CpuSet::parse(text, unit);
    if (!set) {
        const int status = set.error().status;
        must(status == DROM_E_INVAL || status == DROM_E_NOCPU, "a documented status");
        must(!set.error().text.empty(), "a refusal is a sentence");
        return std::nullopt;
    }
    must(!set->empty(), "no text means no CPU");
    const auto again = CpuSet::parse(set->text());
    must(again.has_value() && *again == *set, "a typed set reads back", set->text());
    return std::vector<std::uint64_t>(set->words(), set->words() + CpuSet::kWords);
}

}  // namespace drom::fuzz
