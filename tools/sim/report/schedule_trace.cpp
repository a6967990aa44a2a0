// SPDX-License-Identifier: BSD-3-Clause
// schedule_trace.cpp - stretches of jobs into tenures of nodes.
#include "report/schedule_trace.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace drom::sim {
namespace {

/// Builds the trace. Times before the window are its begin, and those after it its end.
class Schedule {
public:
    Schedule(const Outcome& outcome, Window window) : outcome_(outcome), window_(window) {
        trace_.node = outcome.setting.workload;
        trace_.place = "node";
        trace_.begin_ns = 0;
        trace_.end_ns = ns(window.to);
        trace_.began_unix_s = static_cast<double>(outcome.setting.provenance.zero + window.from);
        int first = 0;
        for (const PartitionSetting& partition : outcome.setting.partitions) {
            first_nodes_.push_back(first);
            first += partition.nodes;
        }
    }

    trace::Trace trace() {
        for (const Stretch& stretch : outcome_.stretches)
            if (ns(stretch.from) < ns(stretch.to)) add(stretch);
        std::ranges::stable_sort(trace_.tenures, {}, &trace::Tenure::begin_ns);
        assign_lanes();
        for (const auto& [client, changes] : changes_) add_samples(client, changes);
        return std::move(trace_);
    }

private:
    using Changes = std::map<std::uint64_t, std::int64_t>;  ///< of a job's cores, by time

    [[nodiscard]] std::uint64_t ns(Seconds time) const {
        constexpr std::uint64_t kSecond = 1'000'000'000;
        return static_cast<std::uint64_t>(std::clamp(time, window_.from, window_.to) - window_.from) * kSecond;
    }

    void add(const Stretch& stretch) {
        const std::size_t client = client_of(stretch.job);
        const auto partition = static_cast<std::size_t>(stretch.partition);
        const int first = partition < first_nodes_.size() ? first_nodes_[partition] : 0;
        std::int64_t cores = 0;
        for (const policy::NodeRange& range : stretch.nodes.ranges())
            for (int node = range.first; node <= range.last; ++node) {
                add(client, static_cast<unsigned>(first + node), ns(stretch.from), ns(stretch.to));
                cores += stretch.cores;
            }
        changes_[client][ns(stretch.from)] += cores;
        changes_[client][ns(stretch.to)] -= cores;
    }

    /// Adds a tenure, or lengthens that which ends where this one begins: only the job's cores have changed.
    void add(std::size_t client, unsigned node, std::uint64_t begin_ns, std::uint64_t end_ns) {
        const auto [last, fresh] = last_.try_emplace({client, node}, trace_.tenures.size());
        if (!fresh && trace_.tenures[last->second].end_ns == begin_ns) {
            trace_.tenures[last->second].end_ns = end_ns;
            return;
        }
        last->second = trace_.tenures.size();
        trace_.tenures.push_back({client, node, begin_ns, end_ns});
    }

    /// Gives jobs that are on a node at once numbers of their own.
    void assign_lanes() {
        std::map<unsigned, std::vector<std::uint64_t>> ends;  // of each lane of a node
        std::vector<unsigned> lanes;
        for (const trace::Tenure& tenure : trace_.tenures) {
            std::vector<std::uint64_t>& of_node = ends[tenure.cpu];
            const auto free = std::ranges::find_if(of_node, [&](auto end_ns) { return end_ns <= tenure.begin_ns; });
            lanes.push_back(static_cast<unsigned>(free - of_node.begin()));
            if (free == of_node.end()) of_node.push_back(0);
            of_node[lanes.back()] = tenure.end_ns;
            trace_.lanes = std::max(trace_.lanes, lanes.back() + 1);
        }
        for (std::size_t i = 0; i < lanes.size(); ++i)
            trace_.tenures[i].cpu = trace_.tenures[i].cpu * trace_.lanes + lanes[i];
    }

    std::size_t client_of(std::size_t job) {
        const auto [at, fresh] = clients_.try_emplace(job, trace_.clients.size());
        if (fresh) add_client(outcome_.jobs[job]);
        return at->second;
    }

    void add_client(const JobOutcome& job) {
        const std::string id = std::to_string(job.id);
        const Seconds end = job.ended() ? job.end : window_.to;
        trace_.requests.push_back({trace_.clients.size(),
                                   1,
                                   static_cast<unsigned>(job.size()),
                                   ns(job.submit),
                                   ns(job.start),
                                   {},
                                   false,
                                   {},
                                   0});
        trace_.clients.push_back({"job " + id, id, 0, {}, ns(job.submit), ns(end)});
    }

    void add_samples(std::size_t client, const Changes& changes) {
        std::int64_t cores = 0;
        for (auto at = changes.begin(); at != changes.end() && std::next(at) != changes.end(); ++at) {
            cores += at->second;
            if (cores == 0 && at->second == 0) continue;
            trace_.samples.push_back({client, at->first, std::next(at)->first, static_cast<double>(cores), 0});
        }
    }

    const Outcome& outcome_;
    Window window_;
    trace::Trace trace_;
    std::vector<int> first_nodes_;                                  ///< by partition
    std::map<std::pair<std::size_t, unsigned>, std::size_t> last_;  ///< newest tenure, by client and node
    std::map<std::size_t, std::size_t> clients_;                    ///< by job
    std::map<std::size_t, Changes> changes_;                        ///< by client
};

}  // namespace

trace::Trace trace_of(const Outcome& outcome, Window window) { return Schedule(outcome, window).trace(); }

}  // namespace drom::sim
