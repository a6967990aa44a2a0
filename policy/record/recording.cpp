// SPDX-License-Identifier: BSD-3-Clause
// recording.cpp - inputs are kept until the pass that they are for, which has their time.
#include "policy/record/recording.hpp"

#include "policy/record/decisions.hpp"
#include "policy/record/inputs.hpp"
#include "policy/record/model.hpp"
#include "policy/registry/backfill_rows.hpp"

namespace drom::policy {
namespace {

class Recording final : public Scheduler {
public:
    Recording(std::unique_ptr<Scheduler> inner, RecordSink sink) : inner_(std::move(inner)), sink_(std::move(sink)) {}

    void submit(const Job& job) override {
        std::optional<ResizeTraits> resize;
        if (job.resize != nullptr) resize = *job.resize;
        told_.emplace_back(record::Submitted{job, resize});
        inner_->submit(job);
    }
    bool cancel(JobId id) override {
        told_.emplace_back(record::Cancelled{id});
        return inner_->cancel(id);
    }
    void iterated(const Iteration& iteration) override {
        told_.emplace_back(iteration);
        inner_->iterated(iteration);
    }
    void shrunk(int partition, int slot) override {
        told_.emplace_back(record::Shrunk{partition, slot});
        inner_->shrunk(partition, slot);
    }
    void ended(JobId id, Seconds run) override {
        told_.emplace_back(record::Ended{id, run});
        inner_->ended(id, run);
    }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        if (!machine_told_) tell_machine(partitions);
        told_.emplace_back(record::Passed{ended});
        // The changes of this pass alone, whatever the caller has gathered before.
        made_.clear();
        inner_->pass(partitions, now, ended, made_);
        for (const record::Input& input : told_) sink_(record::text_of(record::TimedInput{now, input}));
        told_.clear();
        for (const std::string& line : record::decided(partitions, *inner_, now, made_)) sink_(line);
        changes.preempted.insert(changes.preempted.end(), made_.preempted.begin(), made_.preempted.end());
        changes.started.insert(changes.started.end(), made_.started.begin(), made_.started.end());
        changes.resized.insert(changes.resized.end(), made_.resized.begin(), made_.resized.end());
    }

    Seconds wake() const override { return inner_->wake(); }
    std::size_t waiting() const override { return inner_->waiting(); }

private:
    void tell_machine(std::span<const Cluster> partitions) {
        machine_told_ = true;
        for (const Cluster& cluster : partitions)
            sink_(record::text_of(record::PartitionLine{cluster.machine().nodes, cluster.machine().cores_per_node}));
        for (std::size_t p = 0; p < partitions.size(); ++p)
            for (const NodeClass& nodes : partitions[p].machine().classes)
                sink_(record::text_of(record::ClassLine{static_cast<int>(p), nodes}));
    }

    std::unique_ptr<Scheduler> inner_;
    RecordSink sink_;
    std::vector<record::Input> told_;  ///< since the last pass
    Changes made_;
    bool machine_told_ = false;
};

void tell_labels(const MateLimits& limits, const RecordSink& sink) {
    for (const auto& [name, number] : limits.partition_numbers())
        sink(record::text_of(record::LabelLine{false, number, name}));
    for (const auto& [name, number] : limits.qos_numbers())
        sink(record::text_of(record::LabelLine{true, number, name}));
}

}  // namespace

std::string setting_of(const Policy& policy) {
    std::string text = policy.row().name;
    char before = ':';
    for (const OptionRow& option : policy.row().options) {
        text.append(1, before).append(option.name).append("=").append(policy.get(option));
        before = ',';
    }
    return text;
}

std::unique_ptr<Scheduler> recording(const Policy& policy, const EnergyModel* model, RecordSink sink) {
    sink(std::string(record::kBeginning).append(record::kVersion).append(" ").append(setting_of(policy)));
    if (model != nullptr)
        for (const std::string& line : record::lines_of(*model)) sink(line);
    if (const MateLimits* limits = mate_limits(policy)) tell_labels(*limits, sink);
    return std::make_unique<Recording>(policy.scheduler(), std::move(sink));
}

}  // namespace drom::policy
