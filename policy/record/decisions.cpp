// SPDX-License-Identifier: BSD-3-Clause
// decisions.cpp - changes as words.
#include "policy/record/decisions.hpp"

#include <algorithm>

#include "policy/sharing/words.hpp"

namespace drom::policy::record {
namespace {

using namespace words;

constexpr std::array kPhases{Named<Resize::Phase>{Resize::Phase::kAtOnce, "at-once"},
                             Named<Resize::Phase>{Resize::Phase::kPosted, "posted"},
                             Named<Resize::Phase>{Resize::Phase::kDone, "done"}};

/// Makes one word of several.
std::string joined(std::string words) {
    std::ranges::replace(words, ' ', '-');
    return words;
}

void add_point(Words& words, const OperatingPoint& point) {
    words.add_number("ghz", point.ghz)
        .add_number("factor", point.time_factor)
        .add_number("watts", point.watts)
        .add_number("efficiency", point.efficiency)
        .add("preference", point.preference);
}

void add_mates(Words& words, const Decision& decision) {
    std::vector<JobId> mates;
    for (const Mate& mate : decision.mate_set.mates) mates.push_back(mate.id);
    words.add_time("static", decision.static_start)
        .add_number("limit", decision.limit)
        .add("cores", decision.mate_set.cores)
        .add("mates", std::string_view(list(mates)));
}

Words about(std::string_view first, Seconds now, const Cluster& cluster, int partition, int slot) {
    Words words(first);
    words.add("at", now)
        .add("job", cluster.running(slot).job.id)
        .add("partition", partition)
        .add("slot", slot)
        .add("nodes", std::string_view(cluster.nodes_of(slot).text()));
    return words;
}

std::string line_of(const Start& start, std::span<const Cluster> partitions, Seconds now) {
    const Decision& decision = start.decision;
    const Cluster& cluster = partitions[static_cast<std::size_t>(decision.point.partition)];
    Words words = about("start", now, cluster, decision.point.partition, decision.slot);
    words.add("how", std::string_view(joined(word(decision.how)))).add_time("end", cluster.running(decision.slot).end);
    if (decision.point.ghz > 0 || decision.point.time_factor != 1) add_point(words, decision.point);
    if (decision.refusal != Refusal::kNone) words.add("refusal", std::string_view(joined(word(decision.refusal))));
    if (decision.how == How::kShared) add_mates(words, decision);
    return words.take();
}

std::string line_of(const Preemption& preemption, Seconds now) {
    return Words("preempt")
        .add("at", now)
        .add("job", preemption.job)
        .add("partition", preemption.partition)
        .add("slot", preemption.slot)
        .take();
}

std::string line_of(const Resize& resize, std::span<const Cluster> partitions, Seconds now) {
    const Cluster& cluster = partitions[static_cast<std::size_t>(resize.partition)];
    return about("resize", now, cluster, resize.partition, resize.slot)
        .add("from", resize.from)
        .add("to", resize.to)
        .add("phase", text_in(kPhases, resize.phase))
        .add_time("end", cluster.running(resize.slot).end)
        .take();
}

}  // namespace

std::vector<std::string> decided(std::span<const Cluster> partitions, const Scheduler& scheduler, Seconds now,
                                 const Changes& changes) {
    std::vector<std::string> lines;
    for (const Preemption& preemption : changes.preempted) lines.push_back(line_of(preemption, now));
    for (const Start& start : changes.started) lines.push_back(line_of(start, partitions, now));
    for (const Resize& resize : changes.resized) lines.push_back(line_of(resize, partitions, now));
    lines.push_back(Words("after")
                        .add("at", now)
                        .add("waiting", static_cast<Seconds>(scheduler.waiting()))
                        .add_time("wake", scheduler.wake())
                        .take());
    return lines;
}

}  // namespace drom::policy::record
