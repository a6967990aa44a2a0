// SPDX-License-Identifier: BSD-3-Clause
// equipartition_scheduler.cpp - equal shares at each event, carried out in two phases.
#include "policy/resize/equipartition_scheduler.hpp"

#include <algorithm>
#include <memory>

#include "policy/resize/equipartition.hpp"

namespace drom::policy {
namespace {

/// A job from its submit to its end.
struct Member {
    Job job;
    int slot = kNoJob;  ///< of the cluster; it waits without one
    int size = 0;
    Seconds changed = 0;

    bool runs() const noexcept { return slot != kNoJob; }
};

class Equipartition final : public Scheduler {
public:
    explicit Equipartition(const EquipartitionRules& rules) : rules_(rules) {}

    void submit(const Job& job) override { members_.push_back({job}); }
    bool cancel(JobId id) override {
        if (std::erase_if(members_, [id](const Member& m) { return m.job.id == id && !m.runs(); }) == 0) return false;
        if (phase_) phase_->forget(id, 0);
        return true;
    }
    void shrunk(int /*partition*/, int slot) override { carried_out_.push_back(slot); }
    std::size_t waiting() const override {
        return static_cast<std::size_t>(std::ranges::count_if(members_, [](const Member& m) { return !m.runs(); }));
    }

    Seconds wake() const override {
        Seconds next = phase_ ? phase_->deadline() : kNever;
        for (const Member& member : members_)
            if (const Seconds cool = member.changed + rules_.min_gap; member.runs() && cool > last_pass_)
                next = std::min(next, cool);
        return next;
    }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        Cluster& cluster = partitions.front();
        if (!phase_) phase_ = std::make_unique<SplitPhase>(cluster.machine().nodes, rules_.patience);
        last_pass_ = now;
        if (ended) forget_ended(cluster, now, changes);
        acknowledge(cluster, now, changes);
        for (const Step& late : phase_->expire(now)) posted_.erase(late.job);
        if (phase_->steady()) share_out(cluster, now, changes);
    }

private:
    Member* find(JobId id) {
        const auto found = std::ranges::find(members_, id, [](const Member& m) { return m.job.id; });
        return found == members_.end() ? nullptr : &*found;
    }

    void forget_ended(Cluster& cluster, Seconds now, Changes& changes) {
        std::vector<Member> gone;
        std::erase_if(members_, [&](const Member& member) {
            if (!member.runs()) return false;
            const RunningJob& running = cluster.running(member.slot);
            if (running.runs && running.job.id == member.job.id) return false;
            gone.push_back(member);
            return true;
        });
        for (const Member& member : gone) {
            posted_.erase(member.job.id);
            phase_->forget(member.job.id, member.size);
        }
        carry_out(phase_->post(), cluster, now, changes);
    }

    void acknowledge(Cluster& cluster, Seconds now, Changes& changes) {
        for (const int slot : carried_out_) {
            const auto posted = posted_.find(cluster.running(slot).job.id);
            if (!cluster.running(slot).runs || posted == posted_.end()) continue;
            const Posted shrink = posted->second;
            posted_.erase(posted);
            if (rules_.raise_gap) rules_.min_gap = std::max(rules_.min_gap, min_gap_for(now - shrink.at));
            change(*find(shrink.step.job), shrink.step.to, Resize::Phase::kDone, cluster, now, changes);
            carry_out(phase_->acknowledged(shrink.step.job), cluster, now, changes);
        }
        carried_out_.clear();
    }

    // The rules' bounds hold within those of the program and of the machine.
    Shareholder holder(const Member& member, int machine_nodes) const {
        const ResizeTraits* traits = member.job.resize;
        if (traits == nullptr || !traits->resizable)
            return {member.job.id, member.size, member.changed, member.job.nodes, member.job.nodes};
        const int most = std::max(traits->sizes.min, std::min(traits->sizes.max, machine_nodes));
        const int min = std::clamp(rules_.min, traits->sizes.min, most);
        return {member.job.id, member.size, member.changed, min, std::clamp(rules_.max, min, most)};
    }

    void share_out(Cluster& cluster, Seconds now, Changes& changes) {
        std::vector<Shareholder> holders;
        for (const Member& member : members_) holders.push_back(holder(member, cluster.machine().nodes));
        const std::vector<int> sizes = equal_shares(holders, cluster.machine().nodes, rules_.min_gap, now);
        std::vector<Step> steps;
        for (std::size_t i = 0; i < holders.size(); ++i) steps.push_back({holders[i].id, holders[i].size, sizes[i]});
        carry_out(phase_->plan(steps, now), cluster, now, changes);
    }

    void carry_out(const std::vector<Step>& steps, Cluster& cluster, Seconds now, Changes& changes) {
        for (const Step& step : steps) {
            Member& member = *find(step.job);
            if (step.shrinks()) {
                posted_[step.job] = {step, now};
                changes.resized.push_back({0, member.slot, step.from, step.to, Resize::Phase::kPosted});
            } else if (member.runs()) {
                change(member, step.to, Resize::Phase::kAtOnce, cluster, now, changes);
            } else {
                launch(member, step.to, cluster, now, changes);
            }
        }
    }

    void change(Member& member, int to, Resize::Phase phase, Cluster& cluster, Seconds now, Changes& changes) {
        const Seconds end = std::max(now, cluster.running(member.slot).end);
        cluster.resize(member.slot, to, now, end);
        changes.resized.push_back({0, member.slot, member.size, to, phase});
        member.size = to;
        member.changed = now;
    }

    void launch(Member& member, int nodes, Cluster& cluster, Seconds now, Changes& changes) {
        Decision decision;
        decision.job = member.job.id;
        decision.at = now;
        Job job = member.job;
        job.nodes = nodes;
        member.slot = decision.slot = cluster.start(job, cluster.pick(job), now);
        member.size = nodes;
        member.changed = now;
        changes.started.push_back({job, decision});
    }

    struct Posted {
        Step step;
        Seconds at = 0;
    };

    EquipartitionRules rules_;
    std::vector<Member> members_;        ///< in the order of their coming
    std::unique_ptr<SplitPhase> phase_;  ///< null before the first pass
    std::map<JobId, Posted> posted_;     ///< shrinks that are being carried out
    std::vector<int> carried_out_;       ///< slots, since the last pass
    Seconds last_pass_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> equipartition(const EquipartitionRules& rules) {
    return std::make_unique<Equipartition>(rules);
}

}  // namespace drom::policy
