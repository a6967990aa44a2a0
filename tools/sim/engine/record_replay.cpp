// SPDX-License-Identifier: BSD-3-Clause
// record_replay.cpp - line after line into a scheduler and the clusters that it decides about.
#include "engine/record_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "engine/log_lines.hpp"
#include "engine/settings.hpp"
#include "policy/record/decisions.hpp"
#include "policy/record/inputs.hpp"
#include "policy/record/model.hpp"
#include "policy/record/recording.hpp"
#include "policy/registry/backfill_rows.hpp"
#include "policy/registry/energy_rows.hpp"

namespace drom::sim {
namespace {

using policy::Cluster;
using policy::JobId;
using policy::Machine;
namespace record = policy::record;

using Done = tl::expected<void, std::string>;

Done wrong(std::string why) { return tl::unexpected(std::move(why)); }

bool begins_record(std::string_view line) { return line.starts_with(record::kBeginning); }

bool is_decision(std::string_view line) {
    const std::string_view first = line.substr(0, line.find(' '));
    return first == "start" || first == "preempt" || first == "resize" || first == "after";
}

/// The machine, the energy model and the numbers of names that a record begins with.
class RecordHead {
public:
    Done add(const record::LabelLine& line) {
        policy::Numbers& numbers = line.is_qos ? qos_ : partitions_;
        if (!numbers.emplace(line.name, line.number).second) return wrong("gives " + line.name + " a second number");
        return {};
    }
    Done add(const record::PartitionLine& line) {
        machines_.push_back({line.nodes, line.cores_per_node, {}});
        return {};
    }
    Done add(const record::ClassLine& line) {
        const auto number = static_cast<std::size_t>(line.partition);
        if (number >= machines_.size()) return wrong("is of a partition that has no line");
        Machine& machine = machines_[number];
        const policy::NodeSet& nodes = line.nodes.nodes;
        if (nodes.empty() || nodes.ranges().back().last >= machine.nodes)
            return wrong("has nodes that its partition does not have");
        for (const policy::NodeClass& other : machine.classes)
            if (!other.nodes.common(nodes).empty()) return wrong("has nodes of the class before it");
        machine.classes.push_back(line.nodes);
        return {};
    }
    Done add(std::string_view line) { return record::add_line(model_, line); }

    /// Checks that the policy can decide about this machine. Errors: why it cannot, as the rest of a sentence about
    /// what follows it.
    Done complete(const policy::Policy& policy) const {
        if (machines_.empty()) return wrong("comes before the machine; lines partition and class come first");
        for (const Machine& machine : machines_) {
            int nodes = 0;
            for (const policy::NodeClass& of : machine.classes) nodes += of.nodes.count();
            if (nodes != machine.nodes) return wrong("comes before every node is in a class");
        }
        if (!policy.row().several_partitions && machines_.size() > 1)
            return wrong(fmt::format("is of several partitions, and policy {} uses one", policy.row().name));
        if (policy::mate_limits(policy) == nullptr && !(partitions_.empty() && qos_.empty()))
            return wrong(
                fmt::format("comes after a line label, and policy {} has no limits by name", policy.row().name));
        return policy::takes_energy_model(policy.row()) ? complete_model() : Done();
    }

    /// Tells the policy what complete() has checked.
    void tell(policy::Policy& policy) const {
        policy::set_energy_model(policy, model());
        if (policy::MateLimits* limits = policy::mate_limits(policy)) limits->set_numbers(partitions_, qos_);
    }

    std::vector<Cluster> clusters() const { return {machines_.begin(), machines_.end()}; }
    int widest() const { return std::ranges::max(machines_, {}, &Machine::nodes).nodes; }

private:
    /// Returns null when there is none.
    std::shared_ptr<const policy::EnergyModel> model() const {
        return model_.partitions.empty() ? nullptr : std::make_shared<const policy::EnergyModel>(model_);
    }

    Done complete_model() const {
        const std::size_t count = std::max<std::size_t>(1, model_.partitions.size());
        if (count != machines_.size()) return wrong("comes before a line energy for each partition");
        for (std::size_t p = 0; p < model_.partitions.size(); ++p)
            if (const int nodes = model_.partitions[p].nodes; nodes != 0 && nodes != machines_[p].nodes)
                return wrong("comes after a line energy with other nodes than the partition has");
        const std::string lack = record::lack_of(model_);
        return lack.empty() ? Done() : wrong("comes after an energy model that " + lack);
    }

    std::vector<Machine> machines_;
    policy::EnergyModel model_;
    policy::Numbers partitions_, qos_;
};

/// Errors of its functions are the rest of a sentence that begins with the line's number.
class RecordReplay {
public:
    Done line(std::size_t number, std::string_view text) {
        if (!policy_) return begin(text);
        if (!expected_.empty()) return compare(number, text), Done();
        if (is_decision(text)) return wrong("is a decision of no pass");
        if (record::is_of_model(text)) return scheduler_ == nullptr ? head_.add(text) : too_late();
        const auto line = record::parse_input(text);
        if (!line) return wrong(line.error());
        if (const auto* label = std::get_if<record::LabelLine>(&*line)) return add(*label);
        if (const auto* partition = std::get_if<record::PartitionLine>(&*line)) return add(*partition);
        if (const auto* nodes = std::get_if<record::ClassLine>(&*line)) return add(*nodes);
        return happen(std::get<record::TimedInput>(*line));
    }
    void cut(std::size_t number) {
        if (!told_.cut) told_.cut = number;
    }
    bool began() const { return policy_.has_value(); }
    bool differs() const { return told_.difference.has_value(); }
    ReplayedRecord finish(std::size_t lines) {
        told_.lines = lines;
        if (!expected_.empty() && !differs()) cut(lines);
        return std::move(told_);
    }

private:
    struct Slot {
        int partition = 0, number = 0;
    };

    static Done too_late() { return wrong("is about the machine, behind what happened there"); }

    Done begin(std::string_view text) {
        if (!begins_record(text)) return wrong("is not the beginning of a record, drom-record 1 SETTING");
        const std::string_view rest = text.substr(record::kBeginning.size());
        const std::string_view version = rest.substr(0, rest.find(' '));
        if (version != record::kVersion) return wrong(fmt::format("is not of version {}", record::kVersion));
        told_.setting = rest.substr(std::min(rest.size(), version.size() + 1));
        auto parameters = read_setting(told_.setting, {});
        if (!parameters) return wrong("has a setting that cannot be used: " + parameters.error());
        policy_ = std::move(parameters->policy);
        return {};
    }

    template <class Line>
    Done add(const Line& line) {
        return scheduler_ == nullptr ? head_.add(line) : too_late();
    }

    Done make_scheduler(policy::Policy& policy) {
        if (auto complete = head_.complete(policy); !complete) return complete;
        head_.tell(policy);
        clusters_ = head_.clusters();
        widest_ = head_.widest();
        scheduler_ = policy.scheduler();
        return {};
    }

    Done happen(const record::TimedInput& input) {
        if (scheduler_ == nullptr && policy_)
            if (auto made = make_scheduler(*policy_); !made) return made;
        if (now_ && input.at < *now_) return wrong("is earlier than the line before it");
        now_ = input.at;
        return std::visit([&](const auto& what) { return tell(what, input.at); }, input.input);
    }

    Done tell(const record::Submitted& submitted, Seconds now) {
        policy::Job job = submitted.job;
        if (job.nodes > widest_) return wrong(fmt::format("submits job {}, wider than every partition", job.id));
        if (job.submit > now) return wrong(fmt::format("submits job {} before its time", job.id));
        if (!known_.insert(job.id).second)
            return wrong(fmt::format("submits job {}, which waits or runs already", job.id));
        if (submitted.resize) job.resize = &traits_.emplace_back(*submitted.resize);
        scheduler_->submit(job);
        ++told_.submits;
        return {};
    }

    Done tell(const record::Cancelled& cancelled, Seconds) {
        if (!scheduler_->cancel(cancelled.job))
            return wrong(fmt::format("takes back job {}, which does not wait", cancelled.job));
        known_.erase(cancelled.job);
        return {};
    }

    Done tell(const record::Ended& ended, Seconds now) {
        const auto found = running_.find(ended.job);
        if (found == running_.end()) return wrong(fmt::format("ends job {}, which does not run", ended.job));
        clusters_[index(found->second.partition)].finish(found->second.number, now);
        running_.erase(found);
        known_.erase(ended.job);
        scheduler_->ended(ended.job, ended.run);
        ++told_.ends;
        return {};
    }

    Done tell(const policy::Iteration& iteration, Seconds) {
        const policy::RunningJob* running = at(iteration.partition, iteration.slot);
        if (running == nullptr || running->job.resize == nullptr) return wrong("is of a slot without such a program");
        scheduler_->iterated(iteration);
        return {};
    }

    Done tell(const record::Shrunk& shrunk, Seconds) {
        if (at(shrunk.partition, shrunk.slot) == nullptr) return wrong("is of a slot without a job");
        scheduler_->shrunk(shrunk.partition, shrunk.slot);
        return {};
    }

    Done tell(const record::Passed& passed, Seconds now) {
        changes_.clear();
        scheduler_->pass(clusters_, now, passed.ended, changes_);
        for (const policy::Preemption& preemption : changes_.preempted) running_.erase(preemption.job);
        for (const policy::Start& start : changes_.started)
            running_[start.job.id] = {start.decision.point.partition, start.decision.slot};
        for (std::string& line : record::decided(clusters_, *scheduler_, now, changes_))
            expected_.push_back(std::move(line));
        ++told_.passes;
        told_.starts += changes_.started.size();
        told_.resizes += changes_.resized.size();
        return {};
    }

    void compare(std::size_t number, std::string_view text) {
        if (text != expected_.front()) told_.difference = {number, std::string(text), expected_.front()};
        expected_.pop_front();
    }

    /// Returns the running job; null: none runs there.
    const policy::RunningJob* at(int partition, int slot) const {
        if (index(partition) >= clusters_.size() || slot >= clusters_[index(partition)].slots()) return nullptr;
        const policy::RunningJob& running = clusters_[index(partition)].running(slot);
        return running.runs ? &running : nullptr;
    }
    static std::size_t index(int number) { return static_cast<std::size_t>(number); }

    ReplayedRecord told_;
    std::optional<policy::Policy> policy_;
    RecordHead head_;
    std::vector<Cluster> clusters_;
    std::unique_ptr<policy::Scheduler> scheduler_;  ///< from the first input on
    int widest_ = 0;
    std::optional<Seconds> now_;
    std::set<JobId> known_;  ///< that wait or run
    std::map<JobId, Slot> running_;
    std::deque<policy::ResizeTraits> traits_;  ///< jobs point to them
    policy::Changes changes_;
    std::deque<std::string> expected_;  ///< lines of the last pass that the record still has to have
};

}  // namespace

bool is_record(std::string_view text) {
    LogLines lines(text);
    while (lines.next())
        if (!says_nothing(lines.line())) return begins_record(lines.line());
    return false;
}

tl::expected<ReplayedRecord, std::string> replay_record(std::string_view text) {
    RecordReplay replay;
    LogLines lines(text);
    while (!replay.differs() && lines.next()) {
        if (!lines.whole()) {
            replay.cut(lines.number());
            break;
        }
        if (says_nothing(lines.line())) continue;
        if (const auto done = replay.line(lines.number(), lines.line()); !done)
            return tl::unexpected(fmt::format("line {} {}", lines.number(), done.error()));
    }
    if (!replay.began()) return tl::unexpected<std::string>("there is not one whole line in it");
    return replay.finish(lines.number());
}

}  // namespace drom::sim
