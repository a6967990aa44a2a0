// SPDX-License-Identifier: BSD-3-Clause
// format.cpp - drom.h's numbers as the words that lists, JSON and man pages use.
#include "output/format.hpp"

#include <fmt/format.h>

#include <iterator>

#include "text/visible.hpp"

namespace drom::command {

namespace {
struct Word {
    uint32_t value;
    const char* text;
};

constexpr Word kEntryPoints[] = {{DROM_ENTRY_KMP, "kmp"},
                                 {DROM_ENTRY_GOMP, "gomp"},
                                 {DROM_ENTRY_ASYNC, "async"},
                                 {DROM_ENTRY_EXPLICIT, "explicit"},
                                 {DROM_ENTRY_MPI, "mpi"}};
constexpr Word kResizes[] = {{DROM_RESIZE_NONE, "none"},
                             {DROM_RESIZE_FOLLOWS, "follows"},
                             {DROM_RESIZE_HELD, "held"},
                             {DROM_RESIZE_KEEPS, "keeps"},
                             {DROM_RESIZE_CALLER, "caller"}};
constexpr Word kEvents[] = {
    {DROM_EVENT_JOIN, "join"},         {DROM_EVENT_LEAVE, "leave"},     {DROM_EVENT_REAP, "reap"},
    {DROM_EVENT_CLAIM, "claim"},       {DROM_EVENT_OFFER, "offer"},     {DROM_EVENT_ACCEPT, "accept"},
    {DROM_EVENT_FREE, "free"},         {DROM_EVENT_POST, "post"},       {DROM_EVENT_RELEASED, "released"},
    {DROM_EVENT_CONFINED, "confined"}, {DROM_EVENT_RESIZED, "resized"}, {DROM_EVENT_CANCEL, "cancel"},
    {DROM_EVENT_KEPT, "kept"}};

template <size_t N>
std::string word_of(const Word (&table)[N], uint32_t value) {
    for (const Word& word : table)
        if (word.value == value) return word.text;
    return std::to_string(value);
}
}  // namespace

std::vector<std::string> entry_point_words(uint32_t entry_points) {
    std::vector<std::string> words;
    for (const Word& point : kEntryPoints)
        if ((entry_points & point.value) != 0) words.emplace_back(point.text);
    return words;
}

std::string resize_word(uint32_t resize) { return word_of(kResizes, resize); }

std::string why_not_resized(const drom_client_info& info) {
    if (info.state != DROM_CLIENT_LIVE) return "no entry point has answered";
    if (info.resize == DROM_RESIZE_FOLLOWS || info.resize == DROM_RESIZE_CALLER) return {};
    if (info.why[0] != '\0') return info.why;
    if (info.resize == DROM_RESIZE_HELD) return "the program set its thread count itself";
    return info.resize == DROM_RESIZE_KEEPS ? "a change of its team was not allowed"
                                            : "no OpenMP region was seen so far";
}

bool keeps_threads(const drom_client_info& info) {
    return info.resize == DROM_RESIZE_HELD || info.resize == DROM_RESIZE_KEEPS;
}

std::string event_word(uint32_t type) { return word_of(kEvents, type); }
std::string state_word(uint32_t state) { return state == DROM_CLIENT_LIVE ? "live" : "reserved"; }

std::string request_word(const drom_client_info& info) {
    if (info.request_seq == 0) return "none";
    if (info.released_seq < info.request_seq) return info.confined_seq >= info.request_seq ? "confined" : "posted";
    if (info.resized_seq >= info.request_seq && !keeps_threads(info)) return "resized";
    return info.confined_seq >= info.request_seq ? "confined" : "released";
}

std::string client_words(const drom_client_info& info) {
    const std::string name = visible(info.name);
    if (info.ranks == 0) return fmt::format("{} ({})", name, info.pid);
    const std::string job = *info.job == '\0' ? "" : fmt::format("job {} ", visible(info.job));
    return fmt::format("{} ({}, {}rank {} of {})", name, info.pid, job, info.rank, info.ranks);
}

std::string cpus_text(const CpuSet& set) {
    return set.empty() ? "no CPU" : (set.count() == 1 ? "CPU " : "CPUs ") + set.text();
}

std::string duration_text(uint64_t ns) {
    if (ns < 1'000) return fmt::format("{} ns", ns);
    if (ns < 1'000'000) return fmt::format("{} us", (ns + 500) / 1'000);
    if (ns < 1'000'000'000) return fmt::format("{:.3g} ms", static_cast<double>(ns) / 1e6);
    return fmt::format("{:.3g} s", static_cast<double>(ns) / 1e9);
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
    std::string out;
    for (const auto& word : words) {
        if (!out.empty()) out += separator;
        out += word;
    }
    return out;
}

std::string counted(uint64_t count, std::string_view what) {
    if (count == 1) return fmt::format("1 {}", what);
    return what.ends_with('y') ? fmt::format("{} {}ies", count, what.substr(0, what.size() - 1))
                               : fmt::format("{} {}s", count, what);
}

std::string progress_words(const drom_client_info& info, uint64_t took_ns) {
    if (info.released_seq < info.request_seq) return "posted";
    const bool outside = info.confined_seq >= info.request_seq;
    const uint64_t released_ns = info.released_ns > info.posted_ns ? info.released_ns - info.posted_ns : took_ns;
    std::string text = fmt::format("released{} after {}", outside ? " by confinement" : "", duration_text(released_ns));
    if (keeps_threads(info)) return fmt::format("{}, threads kept: {}", text, visible(why_not_resized(info)));
    if (info.resized_seq >= info.request_seq && info.resized_ns > info.posted_ns)
        text += fmt::format(", resized after {}", duration_text(info.resized_ns - info.posted_ns));
    return text;
}

}  // namespace drom::command
