// SPDX-License-Identifier: BSD-3-Clause
// cpu_text_fuzz.cpp - CPUs as text, in every reader that drom has: a text that one reader accepts the others accept,
// and it comes back as it was.
//
// The texts are masks for DLB, for the library and for the command; MIN-MAX of --malleable; descriptions of nodes.
#include "cpu_text_fuzz.hpp"

#include <cctype>

#include "base/cpuset.hpp"
#include "common/malleable_range.hpp"
#include "dlb/mask.hpp"
#include "fuzz.hpp"
#include "partition/topology.hpp"

namespace {

using drom::CpuSet;
using drom::fuzz::must;

bool same_words(const CpuSet& set, const std::vector<std::uint64_t>& words) {
    return std::equal(words.begin(), words.end(), std::begin(set.words), std::end(set.words));
}

void check_written(const CpuSet& set) {
    std::string whole(std::size_t{5} * drom::kMaxCpus, 'x');
    drom::to_text(set, whole.data(), whole.size());
    whole.resize(std::strlen(whole.c_str()));
    CpuSet again{};
    must(drom::parse_cpus(whole.c_str(), again).what == nullptr && again == set, "what is written reads back", whole);
    const drom::CpuText cut(set);
    must(std::strlen(cut.text) < sizeof cut.text, "a short text is terminated");
    must(cut.text == whole || std::string(cut.text).ends_with("..."), "a text is whole, or says that it was cut",
         whole);
}

/// Checks that readers agree. The library's reader accepts one form per text, the command's any mixture of forms.
void check_mask(const std::string& text) {
    CpuSet set{};
    const drom::CpuTextError error = drom::parse_cpus(text.c_str(), set);
    const auto typed = drom::fuzz::read_typed(text);
    if (error.what != nullptr) {
        must(error.at <= text.size(), "the offending character is one of the text");
    } else {
        check_written(set);
        must(typed.has_value() && same_words(set, *typed), "the command takes what the library takes");
    }
    CpuSet mask{};
    if (!drom::dlb::parse_mask(text.c_str(), mask) || text.starts_with("0b")) return;
    must(error.what == nullptr, "the library takes what DLB's reader takes");
    must(set == mask, "both mean the same CPUs");
}

void check_range(const std::string& text, std::uint32_t node_cpus) {
    using namespace drom::slurm;
    const auto range = parse_malleable(text, node_cpus);
    if (range) {
        must(range->min >= 1 && (range->max == 0 || range->max >= range->min), "MIN is not above MAX");
        must(range->min <= kMaxNodeCpus && range->max <= kMaxNodeCpus, "no more CPUs than Slurm can count");
        must(parse_malleable(range->text(), node_cpus) == *range, "a range reads back");
    } else {
        must(range.error().starts_with("--malleable="), "the sentence begins with the option", range.error());
    }
    const auto min = parse_min_per_rank(text);
    must(min ? *min >= 1 && *min <= kMaxNodeCpus : min.error().starts_with("--drom-min-per-rank="),
         "a number of CPUs, or a sentence");
}

/// Says whether hwloc can build the description quickly: it also builds a machine of a thousand million CPUs, if asked.
bool is_small(const std::string& description) {
    if (description.find_first_of("xX") != std::string::npos) return false;  // a number in hexadecimal digits
    std::uint64_t product = 1;
    std::uint64_t number = 0;
    for (const char c : description + " ") {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!digit && number > 1) product *= number;
        number = digit ? number * 10 + static_cast<unsigned>(c - '0') : 0;
        if (product > 512 || number > 512) return false;
    }
    return true;
}

void check_description(const std::string& description) {
    if (description.empty() || std::isalpha(static_cast<unsigned char>(description[0])) == 0 || !is_small(description))
        return;
    drom::Topology node;
    drom_error error{};
    const int status = drom::read_synthetic(description.c_str(), node, &error);
    must(status == DROM_OK || status == DROM_E_OS || status == DROM_E_NOCPU, "a documented status");
    if (status != DROM_OK) return must(error.text[0] != '\0', "a sentence");
    must(!node.cpus.none() && node.order.size() == node.cpus.count(), "a node has CPUs, each once in the order");
    must(node.locations.size() == node.cpus.last() + 1, "each CPU has a location");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    drom::fuzz::Input input(data, size);
    const std::uint32_t node_cpus = input.byte();
    std::string text = input.rest();
    text.resize(std::strlen(text.c_str()));  // they are C strings
    text.shrink_to_fit();
    check_mask(text);
    check_range(text, node_cpus);
    check_description(text);
    return 0;
}
