// SPDX-License-Identifier: GPL-2.0-or-later
// shared_jobs.cpp - counts what jobs have, and writes and reads it as lines of text.
#include "shared_jobs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/admin_comment.hpp"
#include "libdrom/base/number_text.hpp"

namespace drom::slurm {

using policy::JobId;
using policy::Seconds;

// ---- counting --------------------------------------------------------------------------------------------------

void SharedJob::count(Seconds now) {
    const Seconds passed = now - counted;
    if (passed <= 0) return;
    counted = now;
    if (paused != 0) return;
    ran += passed;
    had += cpus * passed;
    lent += (whole - cpus) * passed;
}

void SharedJob::change(std::int64_t now_cpus, Seconds at) {
    count(at);
    cpus = now_cpus;
}

std::int64_t SharedJob::mean(std::int64_t seconds, std::int64_t cpu_seconds) const {
    return seconds <= 0 ? cpus : (cpu_seconds + seconds / 2) / seconds;
}

void SharedJob::end_record() {
    unsaid = 1;
    if (cut != 0 || counted <= record_start) return;
    cut = counted;
    cut_ran = ran;
    cut_had = had;
}

void SharedJob::begin_record(std::uint64_t number) {
    before = mean(cut_ran - record_ran, cut_had - record_had);
    previous = number;
    record_start = std::exchange(cut, 0);
    record_ran = cut_ran;
    record_had = cut_had;
    unsaid = 0;
    said = counted;
}

void SharedJob::say_again(Seconds now) {
    constexpr Seconds kLong = 1800;
    if (now - said >= kLong) unsaid = 1;
}

// ---- limits ----------------------------------------------------------------------------------------------------

void SharedJob::note_limit(uint32_t own, uint32_t more) {
    own_limit = more == 0 ? 0 : own;
    if (more == 0) return limits.clear();
    std::erase(limits, own + more);
    limits.push_back(own + more);
}

uint32_t SharedJob::own_part(uint32_t limit) const {
    return own_limit != 0 && !limits.empty() && limits.back() == limit ? static_cast<uint32_t>(own_limit) : limit;
}

void SharedJob::go_back_to(uint32_t limit) {
    const auto found = std::find(limits.begin(), limits.end(), limit);
    if (found != limits.end()) std::rotate(found, found + 1, limits.end());
}

// ---- all of them -----------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kLine = "job ";

constexpr std::array<std::pair<std::string_view, std::int64_t SharedJob::*>, 21> kFields{{
    {"own", &SharedJob::own_limit},
    {"delayed", &SharedJob::delayed},
    {"since", &SharedJob::since},
    {"shared", &SharedJob::shared},
    {"whole", &SharedJob::whole},
    {"cpus", &SharedJob::cpus},
    {"counted", &SharedJob::counted},
    {"paused", &SharedJob::paused},
    {"ran", &SharedJob::ran},
    {"had", &SharedJob::had},
    {"lent", &SharedJob::lent},
    {"paid", &SharedJob::paid},
    {"record_start", &SharedJob::record_start},
    {"record_ran", &SharedJob::record_ran},
    {"record_had", &SharedJob::record_had},
    {"before", &SharedJob::before},
    {"cut", &SharedJob::cut},
    {"cut_ran", &SharedJob::cut_ran},
    {"cut_had", &SharedJob::cut_had},
    {"unsaid", &SharedJob::unsaid},
    {"said", &SharedJob::said},
}};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number = 0;
    return is_number(text, number) && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Returns the numbers of a word like 11/12; nothing: it is none.
std::optional<std::vector<uint32_t>> numbers_in(std::string_view text) {
    std::vector<uint32_t> numbers;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('/'), text.size());
        const auto number = number_in<uint32_t>(text.substr(0, end));
        if (!number) return std::nullopt;
        numbers.push_back(*number);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return numbers;
}

std::string text_of(const SharedJob& job) {
    std::string text;
    for (const auto& [name, field] : kFields) text.append(" ").append(name).append("=" + std::to_string(job.*field));
    // From 24.11 on a number has the cluster's in its top bits.
    text += " previous=" + std::to_string(job.previous) + " limits=";
    for (std::size_t i = 0; i < job.limits.size(); ++i) text += (i == 0 ? "" : "/") + std::to_string(job.limits[i]);
    return text;
}

/// Returns the job of a line behind its first word; nothing: a field is missing or no number.
std::optional<std::pair<JobId, SharedJob>> job_in(std::string_view line) {
    std::pair<JobId, SharedJob> read;
    const auto id = number_in<JobId>(value_of(line, "id").value_or(""));
    const auto limits = value_of(line, "limits");
    const auto numbers = numbers_in(limits.value_or(""));
    const auto previous = number_in<std::uint64_t>(value_of(line, "previous").value_or(""));
    if (!id || !limits || !numbers || !previous) return std::nullopt;
    read.first = *id;
    read.second.previous = *previous;
    read.second.limits = *numbers;
    for (const auto& [name, field] : kFields) {
        const auto value = number_in<std::int64_t>(value_of(line, name).value_or(""));
        if (!value) return std::nullopt;
        read.second.*field = *value;
    }
    return read;
}

}  // namespace

SharedJob* SharedJobs::find(JobId id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : &found->second;
}

std::vector<JobId> SharedJobs::ids() const {
    std::vector<JobId> ids;
    ids.reserve(jobs_.size());
    for (const auto& [id, job] : jobs_) ids.push_back(id);
    return ids;
}

std::string SharedJobs::text() const {
    std::string text;
    for (const auto& [id, job] : jobs_) text.append(kLine).append("id=" + std::to_string(id) + text_of(job) + '\n');
    return text;
}

tl::expected<void, std::string> SharedJobs::read(std::string_view text) {
    jobs_.clear();
    std::map<JobId, SharedJob> jobs;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const auto job = line.starts_with(kLine) ? job_in(line.substr(kLine.size())) : std::nullopt;
        if (!job) return tl::unexpected("its line " + std::to_string(number) + " is of no job that has shared");
        jobs.insert(*job);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    jobs_ = std::move(jobs);
    return {};
}

// Never destroyed: slurmctld's other threads may be here while it ends.
SharedJobs& shared_jobs() {
    static auto* const all = new SharedJobs;
    return *all;
}

}  // namespace drom::slurm
