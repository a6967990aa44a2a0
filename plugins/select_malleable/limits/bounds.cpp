// SPDX-License-Identifier: GPL-2.0-or-later
// bounds.cpp - reads partitions and reservations.
#include "bounds.hpp"

#include <optional>

#include "accounts.hpp"

namespace drom::slurm {

using policy::Bound;
using policy::NodeSet;
using policy::Seconds;

namespace {

std::string name_or_unknown(const char* name) { return name == nullptr ? "?" : name; }

/// Returns for how long a job may go on when its reservation has ended.
Seconds over_run() {
    return slurm_conf.resv_over_run == INFINITE16 ? policy::kNever : Seconds{slurm_conf.resv_over_run} * 60;
}

policy::AdvanceReservation described(const slurmctld_resv_t& reservation) {
    return {name_or_unknown(reservation.name), reservation.start_time, reservation.end_time,
            node_set(reservation.node_bitmap), (reservation.flags & RESERVE_FLAG_FLEX) != 0};
}

void add_partition(std::vector<Bound>& bounds, const job_record_t& job, Seconds now) {
    if (job.part_ptr == nullptr || job.part_ptr->max_time == INFINITE) return;
    bounds.push_back(
        {end_with(job, job.part_ptr->max_time, now), "MaxTime of partition " + name_or_unknown(job.part_ptr->name)});
}

void add_reservations(std::vector<Bound>& bounds, const job_record_t& job, const NodeSet& nodes, Seconds now) {
    if (resv_list == nullptr) return;
    list_itr_t* each = list_iterator_create(resv_list);
    while (const auto* reservation = static_cast<const slurmctld_resv_t*>(list_next(each))) {
        const bool own = reservation->resv_id == job.resv_id || reservation == job.resv_ptr;
        const policy::AdvanceReservation seen = described(*reservation);
        const auto bound = own ? bound_in(seen, over_run()) : bound_before(seen, nodes, now);
        if (bound) bounds.push_back(*bound);
    }
    list_iterator_destroy(each);
}

}  // namespace

std::vector<Bound> bounds_of(const job_record_t& job, const NodeSet& nodes, Seconds now) {
    std::vector<Bound> bounds;
    add_partition(bounds, job, now);
    add_reservations(bounds, job, nodes, now);
    add_walls(bounds, job, now);
    return bounds;
}

}  // namespace drom::slurm
