// SPDX-License-Identifier: GPL-2.0-or-later
// question.cpp - asks cons_tres in other words than slurmctld did.
#include "question.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "select_malleable/slurmctld/cons_tres.hpp"

namespace drom::slurm {

using policy::JobId;
using policy::Seconds;

bool Question::starts_after(Seconds now) const { return window != nullptr && window->start > now; }

Seconds Question::starts_from() const {
    return std::max<Seconds>(job->start_time, window == nullptr ? 0 : window->start);
}

bool Question::leaves_cores_out() const {
    const bitstr_t* cores = excluded == nullptr ? nullptr : excluded_cores(*excluded);
    return cores != nullptr && bit_ffs(const_cast<bitstr_t*>(cores)) >= 0;
}

int Question::ask_about_now(const std::vector<job_record_t*>& without) const {
    const uint64_t search_later = ~job->bit_flags & TEST_NOW_ONLY;
    job->bit_flags |= TEST_NOW_ONLY;
    const WithoutCores gone(without);
    const int answer = ask_cons_tres();
    job->bit_flags &= ~search_later;
    return answer;
}

int Question::ask_for_any_time() {
    will_run_data_t* const asked = std::exchange(window, nullptr);
    const int answer = ask_cons_tres();
    window = asked;
    return answer;
}

namespace {

/// Adds the co-runners that preempted jobs have on these nodes.
void add_co_runners(const RunningJobs& running, list_t* preempted, const bitstr_t* nodes) {
    std::vector<job_record_t*> all = records_in(preempted);
    for (std::size_t i = 0; i < all.size(); ++i)  // it grows
        for (job_record_t* co_runner : records_of(running.coscheduler().co_runners(all[i]->job_id))) {
            const bool is_there = bit_overlap_any(co_runner->node_bitmap, const_cast<bitstr_t*>(nodes)) != 0;
            if (!is_there || std::find(all.begin(), all.end(), co_runner) != all.end()) continue;
            all.push_back(co_runner);
            list_append(preempted, co_runner);
        }
}

}  // namespace

int Question::ask_with_co_runners(const RunningJobs& running) {
    const std::vector<job_record_t*> single = records_in(candidates);
    const auto is_shared = [&running](const job_record_t* candidate) { return running.shares(candidate); };
    if (std::none_of(single.begin(), single.end(), is_shared)) return ask_cons_tres();
    std::vector<JobId> ids(single.size());
    std::transform(single.begin(), single.end(), ids.begin(), [](const auto* candidate) { return candidate->job_id; });
    const std::unique_ptr<list_t, void (*)(list_t*)> together{list_create(nullptr), list_destroy};
    for (job_record_t* record : records_of(running.coscheduler().whole_groups(ids)))
        list_append(together.get(), record);
    Question narrowed = *this;
    narrowed.candidates = together.get();
    const int answer = narrowed.ask_cons_tres();
    if (answer == SLURM_SUCCESS && preempted != nullptr) add_co_runners(running, *preempted, nodes);
    return answer;
}

}  // namespace drom::slurm
