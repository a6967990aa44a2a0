// SPDX-License-Identifier: GPL-2.0-or-later
// comments.cpp - reads and writes comments in slurmctld's records of jobs.
#include "comments.hpp"

#include <array>
#include <ctime>

#include "common/admin_comment.hpp"
#include "common/slurm_text.hpp"

namespace drom::slurm {

std::string clock_text(policy::Seconds at) {
    std::array<char, 32> text{};
    time_t time = at;
    slurm_make_time_str(&time, text.data(), static_cast<int>(text.size()));
    return text.data();
}

std::optional<policy::Seconds> read_clock(std::string_view text) {
    std::tm parts{};
    parts.tm_isdst = -1;  // the text does not say which hour of the night it is when clocks are put back
    const std::string copy(text);
    const char* end = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    return std::mktime(&parts);
}

std::string_view comment_of(const job_record_t& job) { return text_of(job.admin_comment); }

void set_comment(job_record_t& job, const std::string& text) {
    xfree(job.admin_comment);
    job.admin_comment = xstrdup(text.c_str());
    last_job_update = time(nullptr);
    schedule_job_save();
}

namespace {

void set_system_comment(job_record_t& job, const std::string& text) {
    xfree(job.system_comment);
    job.system_comment = text.empty() ? nullptr : xstrdup(text.c_str());
    last_job_update = time(nullptr);
}

}  // namespace

bool says_why_it_waits(const job_record_t& job) {
    return value_of(text_of(job.system_comment), kWaitsWord).has_value();
}

void say_why_it_waits(job_record_t& job, const std::string& word, const std::string& by, policy::Seconds now) {
    const std::string_view before = text_of(job.system_comment);
    const std::string text = with_reason(before, word, by, clock_text(now));
    if (text != before) set_system_comment(job, text);
}

void forget_why_it_waited(job_record_t& job) {
    if (says_why_it_waits(job)) set_system_comment(job, with_reason(text_of(job.system_comment), "", "", ""));
}

}  // namespace drom::slurm
