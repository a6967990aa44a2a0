// SPDX-License-Identifier: GPL-2.0-or-later
// jobs.cpp - reads slurmctld's records of jobs.
#include "jobs.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <set>
#include <string_view>

#include "comments.hpp"
#include "common/admin_comment.hpp"
#include "common/malleable_range.hpp"
#include "common/slurm_text.hpp"
#include "select_malleable/state/shared_jobs.hpp"

namespace drom::slurm {

job_record_t* record_of(policy::JobId id) { return find_job_record(static_cast<uint32_t>(id)); }

std::vector<job_record_t*> records_of(const std::vector<policy::JobId>& ids) {
    std::vector<job_record_t*> records;
    for (const policy::JobId id : ids)
        if (job_record_t* record = record_of(id); record != nullptr) records.push_back(record);
    return records;
}

std::vector<job_record_t*> records_in(list_t* jobs) {
    std::vector<job_record_t*> records;
    if (jobs == nullptr) return records;
    list_itr_t* each = list_iterator_create(jobs);
    while (auto* job = static_cast<job_record_t*>(list_next(each))) records.push_back(job);
    list_iterator_destroy(each);
    return records;
}

bool is_on_its_nodes(const job_record_t* job) { return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job); }

uint32_t minutes(policy::Seconds seconds) { return static_cast<uint32_t>((seconds + 59) / 60); }

bool is_in_first_partition(const job_record_t& job) {
    return job.part_ptr_list == nullptr || list_peek(job.part_ptr_list) == job.part_ptr;
}

namespace {

/// Returns what the comment says of the limit. Only where nothing better is known, as after an update of the plugin.
uint32_t own_limit_in_comment(const job_record_t& job) {
    const std::string_view word = value_of(comment_of(job), kLimitWord).value_or("");
    uint32_t own = 0, more = 0;
    const char* const end = word.data() + word.size();
    const auto first = std::from_chars(word.data(), word.data() + word.size(), own);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '+') return job.time_limit;
    const auto second = std::from_chars(first.ptr + 1, end, more);
    return second.ec == std::errc() && second.ptr == end && own + more == job.time_limit ? own : job.time_limit;
}

}  // namespace

uint32_t own_limit(const job_record_t& job) {
    const SharedJob* known = shared_jobs().find(job.job_id);
    return known != nullptr && known->own_limit != 0 ? known->own_part(job.time_limit) : own_limit_in_comment(job);
}

uint32_t limit_for(const job_record_t& job, policy::Seconds whole, policy::Seconds request) {
    return own_limit(job) + minutes(whole) - std::min(minutes(whole), minutes(request));
}

policy::Seconds end_with(const job_record_t& job, uint32_t limit, policy::Seconds now) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    if (IS_JOB_PENDING(record)) return now + policy::Seconds{limit} * 60;
    return job.end_time + (policy::Seconds{limit} - policy::Seconds{job.time_limit}) * 60;
}

policy::Seconds requested(const job_record_t& job) {
    constexpr policy::Seconds kYear = 365 * 86400;
    const bool limited = job.time_limit != INFINITE && job.time_limit != NO_VAL;
    return limited ? std::max<policy::Seconds>(1, own_limit(job)) * 60 : kYear;
}

std::string partition_of(const job_record_t& job) {
    return job.part_ptr == nullptr || job.part_ptr->name == nullptr ? "" : job.part_ptr->name;
}

std::vector<part_record_t*> other_partitions(const job_record_t& job) {
    std::vector<part_record_t*> others;
    if (job.part_ptr_list == nullptr) return others;
    list_itr_t* each = list_iterator_create(job.part_ptr_list);
    while (auto* partition = static_cast<part_record_t*>(list_next(each))) {
        const bool schedules = (partition->state_up & PARTITION_SCHED) != 0;
        const bool fits = job.time_limit <= partition->max_time && job.details->min_nodes <= partition->max_nodes;
        if (partition != job.part_ptr && partition->name != nullptr && schedules && fits) others.push_back(partition);
    }
    list_iterator_destroy(each);
    return others;
}

// ---- what was declared -----------------------------------------------------------------------------------------

namespace {

std::optional<std::string_view> declared(const job_record_t& job, std::string_view name) {
    return drom::slurm::declared(job.spank_job_env, job.spank_job_env_size, name);
}

/// Returns the fewest CPUs of a malleable job. An administrator may have changed the range; one that cannot be read is
/// as good as none.
uint32_t min_cpus_of(const job_record_t& job) {
    if (const auto text = value_of(comment_of(job), "malleable"))
        if (const auto range = parse_malleable(*text)) return range->min;
    const auto range = parse_malleable(declared(job, "DROM_MALLEABLE").value_or(""));
    return range ? range->min : 1;
}

uint32_t ranks_on_a_node(const job_record_t& job, int nodes) {
    const job_details_t& details = *job.details;
    if (details.ntasks_per_node != 0 && details.ntasks_per_node != NO_VAL16) return details.ntasks_per_node;
    const uint32_t tasks = details.num_tasks == NO_VAL ? 1 : std::max(1U, details.num_tasks);
    return (tasks + static_cast<uint32_t>(nodes) - 1) / static_cast<uint32_t>(nodes);
}

uint32_t threads_of_a_core(const job_record_t& job) {
    const bool some = job.job_resrcs != nullptr && job.job_resrcs->node_bitmap != nullptr;
    const long first = some ? bit_ffs(job.job_resrcs->node_bitmap) : -1;
    return first < 0 ? 1 : std::max<uint32_t>(1, node_record_table_ptr[first]->tpc);
}

uint32_t cpus_of(const job_record_t& job, uint32_t ranks) {
    const auto per_rank = parse_min_per_rank(declared(job, "DROM_MIN_PER_RANK").value_or("1"));
    return ranks * (per_rank ? *per_rank : 1);
}

int cores_for(const job_record_t& job, uint32_t cpus) {
    const uint32_t threads = threads_of_a_core(job);
    return static_cast<int>((cpus + threads - 1) / threads);
}

int min_cores_of(const job_record_t& job, int nodes) {
    return cores_for(job, std::max(min_cpus_of(job), cpus_of(job, ranks_on_a_node(job, nodes))));
}

/// Returns the most tasks that a step has on a node.
uint32_t max_tasks(const step_record_t& step) {
    const slurm_step_layout_t* layout = step.step_layout;
    if (layout == nullptr || layout->tasks == nullptr || layout->node_cnt == 0) return 0;
    return *std::max_element(layout->tasks, layout->tasks + layout->node_cnt);
}

/// Returns what a job that waits asks for on each of so many nodes, in MB.
std::int64_t asked_memory(const job_details_t& details, int nodes) {
    constexpr std::int64_t kAllOfANode = std::int64_t{1} << 40;  // more than any mate leaves
    const uint64_t asked = details.pn_min_memory & ~MEM_PER_CPU;
    if (asked == 0 || asked >= kAllOfANode) return kAllOfANode;
    if ((details.pn_min_memory & MEM_PER_CPU) == 0) return static_cast<std::int64_t>(asked);
    const uint32_t count = static_cast<uint32_t>(std::max(nodes, 1));
    const uint64_t cpus = std::max((details.min_cpus + count - 1) / count, details.pn_min_cpus);
    return static_cast<std::int64_t>(std::min<uint64_t>(asked * cpus, kAllOfANode));
}

/// Returns the most that the job has, or asks for, on any node; 0 where memory is no resource.
std::int64_t memory_of(const job_record_t& job, int nodes) {
    if (!memory_is_a_resource()) return 0;
    const job_resources_t* resources = job.job_resrcs;
    if (resources == nullptr || resources->memory_allocated == nullptr || !is_on_its_nodes(&job))
        return asked_memory(*job.details, nodes);
    const uint64_t* first = resources->memory_allocated;
    return resources->nhosts == 0 ? 0 : static_cast<std::int64_t>(*std::max_element(first, first + resources->nhosts));
}

/// Returns whether the job runs on fewer threads of its cores than these have. The node agent would give it all.
bool uses_some_threads(const job_record_t& job) {
    const multi_core_data_t* cores = job.details->mc_ptr;
    return cores != nullptr && cores->threads_per_core < threads_of_a_core(job);
}

/// Returns the number of a name, which is written without blanks; -1: there is none.
int number_of(const char* name, policy::Names& names) {
    std::string word(text_of(name));
    if (word.empty()) return -1;
    std::replace_if(word.begin(), word.end(), [](unsigned char c) { return std::isspace(c) != 0; }, '_');
    return names.number(word);
}

bool special_features(const job_details_t& details) {
    // Counts and alternatives of features are worked out node set by node set: a plan for all of them together would
    // not hold.
    return details.features != nullptr &&
           std::string_view(details.features).find_first_of("*[|") != std::string_view::npos;
}

}  // namespace

bool declared_malleable(const job_record_t& job) {
    return declared(job, "DROM_MALLEABLE").has_value() && !declared(job, "DROM_OFF");
}

std::string obstacle(const job_record_t& job) {
    const job_details_t* details = job.details;
    if (details == nullptr) return "exclusive";
    if (job.het_job_id != 0) return "heterogeneous";
    if (job.gres_list_req != nullptr || job.gres_list_alloc != nullptr) return "generic-resources";
    if (details->whole_node != 0) return "exclusive";
    if (details->core_spec != NO_VAL16 && details->core_spec != 0) return "core-spec";
    if (has_step_manager(job)) return "step-manager";
    if (details->expanding_jobid != 0) return "expands";
    if (job.req_switch != 0) return "switches";
    if (uses_some_threads(job)) return "some-threads";
    if (special_features(*details)) return "features";
    // Slurm itself changes the limits of such a job while it looks for a place for it.
    if (job.time_min != 0 || job.deadline != 0) return "time-min";
    if (job.time_limit == INFINITE || job.time_limit == NO_VAL) return "no-time-limit";
    return "";
}

std::shared_ptr<policy::JobNames> job_names() {
    static const auto names = std::make_shared<policy::JobNames>();
    return names;
}

policy::Job described(const job_record_t& job, int nodes) {
    policy::Job known;
    known.partition = job.part_ptr == nullptr ? -1 : number_of(job.part_ptr->name, job_names()->partitions);
    known.qos = job.qos_ptr == nullptr ? -1 : number_of(job.qos_ptr->name, job_names()->qos);
    known.user = number_of(std::to_string(job.user_id).c_str(), job_names()->users);
    known.account = number_of(job.account, job_names()->accounts);
    known.id = job.job_id;
    known.nodes = nodes;
    known.request = requested(job);
    known.kind = policy::Kind::kRigid;
    if (job.details == nullptr) return known;
    // Time in which it was not allowed to start is no wait.
    known.submit = std::max(job.details->submit_time, job.details->begin_time);
    known.min_cores = min_cores_of(job, nodes);
    known.filter.memory_mb = memory_of(job, nodes);
    known.filter.contiguous = job.details->contiguous != 0 && job.details->contiguous != NO_VAL16;
    if (declared_malleable(job) && obstacle(job).empty()) known.kind = policy::Kind::kMalleable;
    return known;
}

namespace {

/// Returns whether a request for `count` nodes means the whole of this one.
bool asks_for_all_of(const node_record_t& node, const job_record_t& job, int count) {
    const uint32_t on_each = std::max(job.details->min_cpus / static_cast<uint32_t>(count), job.details->pn_min_cpus);
    return on_each + node.tpc > node.cpus_efctv;
}

}  // namespace

bool asks_for_whole_nodes(const job_record_t& job, const bitstr_t* nodes, int count) {
    const long first = bit_ffs(const_cast<bitstr_t*>(nodes));
    if (first < 0 || count < 1 || job.details == nullptr) return false;
    return asks_for_all_of(*node_record_table_ptr[first], job, count);
}

WholeNodes asks_for_whole_nodes_of_any(const job_record_t& job, const bitstr_t* nodes, int count) {
    if (job.details == nullptr) return WholeNodes::kNone;
    if (count < 1) return WholeNodes::kSome;
    int of = 0, all = 0;
    const long last = bit_fls(const_cast<bitstr_t*>(nodes));
    for (long node = bit_ffs(const_cast<bitstr_t*>(nodes)); node >= 0 && node <= last; ++node) {
        if (!bit_test(const_cast<bitstr_t*>(nodes), node)) continue;
        ++all;
        of += asks_for_all_of(*node_record_table_ptr[node], job, count) ? 1 : 0;
    }
    if (of == 0) return WholeNodes::kNone;
    return of == all ? WholeNodes::kAll : WholeNodes::kSome;
}

// ---- what it has -----------------------------------------------------------------------------------------------

int granted_cores(const job_record_t& job, int n) {
    // A job with --threads-per-core=1 seems to have less than it has: it does not share.
    const uint32_t threads = threads_of_a_core(job);
    return static_cast<int>((job.job_resrcs->cpus[n] + threads - 1) / threads);
}

bool has_whole_nodes(const job_record_t& job) {
    const job_resources_t* resources = job.job_resrcs;
    if (resources == nullptr || resources->core_bitmap == nullptr || resources->node_bitmap == nullptr) return false;
    int n = 0;
    for (long node = bit_ffs(resources->node_bitmap); node >= 0 && node <= bit_fls(resources->node_bitmap); ++node) {
        if (!bit_test(resources->node_bitmap, node)) continue;
        if (granted_cores(job, n++) < cores_for_jobs(*node_record_table_ptr[node])) return false;
    }
    return n > 0;
}

bool has_all_cores(const job_record_t& job) { return has_all_cores(job, node_set(job.job_resrcs->node_bitmap)); }

bool has_all_cores(const job_record_t& job, const policy::NodeSet& among) {
    const policy::NodeSet nodes = node_set(job.job_resrcs->node_bitmap).common(among);
    for (const policy::NodeRange& range : nodes.ranges())
        for (int node = range.first; node <= range.last; ++node) {
            const std::vector<bool> cores = cores_on(*job.job_resrcs, position(*job.job_resrcs, node));
            if (std::count(cores.begin(), cores.end(), true) < cores_for_jobs(*node_record_table_ptr[node]))
                return false;
        }
    return true;
}

int cores_that_steps_keep(const job_record_t& job) {
    if (job.step_list == nullptr) return 0;
    uint32_t ranks = 0;
    bool all = false;
    list_itr_t* each = list_iterator_create(job.step_list);
    while (const auto* step = static_cast<const step_record_t*>(list_next(each))) {
        if (step->step_id.step_id > SLURM_MAX_NORMAL_STEP_ID) continue;  // a script lends all but one
        ranks += max_tasks(*step);
        all = all || says_no_drom(text_of(step->submit_line));
    }
    list_iterator_destroy(each);
    return all ? std::numeric_limits<int>::max() : cores_for(job, cpus_of(job, ranks));
}

policy::Placed placed(const job_record_t& job) {
    policy::Placed seen;
    seen.nodes = node_set(job.job_resrcs->node_bitmap);
    seen.job = described(job, seen.nodes.count());
    seen.start = job.start_time;
    std::set<int> some, all;  // numbers of cores of nodes of which it has some, and all
    int n = 0;
    for (const policy::NodeRange& range : seen.nodes.ranges())
        for (int node = range.first; node <= range.last; ++node) {
            const std::vector<bool> cores = cores_on(*job.job_resrcs, n++);
            const auto count = static_cast<int>(std::count(cores.begin(), cores.end(), true));
            const bool whole = count == static_cast<int>(cores.size());
            (whole ? all : some).insert(count);
            if (whole) seen.whole.insert({node, 1});
        }
    const std::set<int>& numbers = some.empty() ? all : some;
    seen.cores = numbers.size() == 1 ? *numbers.begin() : 0;
    return seen;
}

int position(const job_resources_t& resources, int node) {
    if (node >= bit_size(resources.node_bitmap) || !bit_test(resources.node_bitmap, node)) return -1;
    return bit_set_count_range(resources.node_bitmap, 0, node);
}

namespace {

/// Returns where the cores of its n-th node are in the job's bitmap, and how many.
std::pair<int, int> bits_of(const job_resources_t& resources, int n) {
    uint16_t sockets = 0, cores = 0;
    job_resources_t* own = const_cast<job_resources_t*>(&resources);
    if (get_job_resources_cnt(own, static_cast<uint32_t>(n), &sockets, &cores) != SLURM_SUCCESS) return {0, 0};
    return {get_job_resources_offset(own, static_cast<uint32_t>(n), 0, 0), sockets * cores};
}

}  // namespace

std::vector<bool> cores_on(const job_resources_t& resources, int n) {
    const auto [first, count] = bits_of(resources, n);
    std::vector<bool> cores(static_cast<std::size_t>(count));
    for (int core = 0; core < count; ++core)
        cores[static_cast<std::size_t>(core)] = bit_test(resources.core_bitmap, first + core);
    return cores;
}

void set_cores_on(job_resources_t& resources, int n, const std::vector<bool>& cores) {
    const auto [first, count] = bits_of(resources, n);
    for (int core = 0; core < count; ++core) {
        if (cores[static_cast<std::size_t>(core)])
            bit_set(resources.core_bitmap, first + core);
        else
            bit_clear(resources.core_bitmap, first + core);
    }
}

}  // namespace drom::slurm
