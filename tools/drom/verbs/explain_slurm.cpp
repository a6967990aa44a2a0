// SPDX-License-Identifier: BSD-3-Clause
// explain_slurm.cpp - drom explain --slurm: why a job of Slurm shares nodes, or does not.
#include "verbs/explain_slurm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/json.hpp"
#include "output/messages.hpp"
#include "policy/sharing/waiting.hpp"
#include "text/visible.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

std::string since_text(std::string_view since) { return since.empty() ? "" : fmt::format(" since {}", since); }

/// Says why a job waits, by the words of its system comment.
std::string waiting_sentences(const QueuedJob& job) {
    const std::string_view word = comment_value(job.system_comment, "unshared");
    const std::string since = since_text(comment_value(job.system_comment, "unshared_since"));
    std::string by(comment_value(job.system_comment, "unshared_by"));
    std::ranges::replace(by, '_', ' ');
    const std::string bound = by.empty() ? "" : fmt::format(" (beyond {})", by);
    const auto* reason = policy::find_waiting_reason(word);
    if (reason == nullptr) return fmt::format("It has shared no nodes{}: {}{}.", since, word, bound);
    return fmt::format("It has shared no nodes{}, because {}{}. {}", since, reason->sentence, bound, reason->help);
}

std::string running_sentence(const QueuedJob& job) {
    const std::string_view with = comment_value(job.admin_comment, "sharing");
    const std::string_view shared = comment_value(job.admin_comment, "shared");
    if (!with.empty())
        return fmt::format("It has shared its nodes with job {}{}, and its predicted slowdown is {}.", with,
                           since_text(comment_value(job.admin_comment, "since")),
                           comment_value(job.admin_comment, "slowdown"));
    return shared.empty() ? "It shares its nodes with no job." : fmt::format("It has shared its nodes for {}.", shared);
}

std::string sharing_of(const QueuedJob& job) {
    const bool waits = job.state == "PENDING";
    if (!waits) return running_sentence(job);
    if (!comment_value(job.system_comment, "unshared").empty()) return waiting_sentences(job);
    if (comment_value(job.admin_comment, "malleable").empty())
        return "It shares no nodes, because it is not malleable. Submit it with --malleable --exclusive.";
    return "Slurm has not yet asked whether it could share nodes; its schedulers come to it in the order of the queue.";
}

}  // namespace

std::string sharing_sentences(const QueuedJob& job) {
    const std::string state =
        job.reason.empty() || job.reason == "None" ? job.state : fmt::format("{} ({})", job.state, job.reason);
    return fmt::format("Job {} is {}. {}", job.id, state, sharing_of(job));
}

int verb_explain_slurm(const CommandOptions& options) {
    const auto jobs = queued(options.slurm_job);
    if (!jobs) return refused(options, sentence(options, jobs.error().status, jobs.error().text));
    std::string out;
    for (const QueuedJob& job : *jobs)
        out += options.json ? explain_slurm_json(job, sharing_sentences(job)) : visible(sharing_sentences(job)) + '\n';
    return print(out) ? kDone : kRefused;
}

}  // namespace drom::command
