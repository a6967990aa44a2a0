// SPDX-License-Identifier: GPL-2.0-or-later
// spare_nodes.cpp - reads from slurmctld's records which idle nodes stay so.
#include "spare_nodes.hpp"

namespace drom::slurm {

using policy::IdleNodes;
using policy::NodeSet;
using policy::Seconds;

namespace {

/// Returns those of the nodes that are idle and could start a job at once.
NodeSet idle_now(NodeSet idle) {
    for (const bitstr_t* all : {idle_node_bitmap, avail_node_bitmap, up_node_bitmap}) idle = idle.common(node_set(all));
    for (const bitstr_t* none : {cg_node_bitmap, rs_node_bitmap, powered_down_nodes(), booting_node_bitmap})
        idle.erase(node_set(none));
    return idle;
}

/// Returns when a reservation wants its nodes from a guest with the same or another reservation.
Seconds wanted_at(const slurmctld_resv_t& reservation, const job_record_t& job, Seconds now) {
    if (reservation.resv_id == job.resv_id) return reservation.end_time;
    const bool floats = (reservation.flags & RESERVE_FLAG_TIME_FLOAT) != 0;
    return floats ? now : static_cast<Seconds>(reservation.start_time);
}

void add_reservations(const job_record_t& job, Seconds now, std::vector<IdleNodes>& wanted) {
    if (resv_list == nullptr) return;
    list_itr_t* each = list_iterator_create(resv_list);
    while (const auto* reservation = static_cast<const slurmctld_resv_t*>(list_next(each)))
        if (reservation->node_bitmap != nullptr && reservation->end_time > now)
            wanted.push_back({node_set(reservation->node_bitmap), wanted_at(*reservation, job, now)});
    list_iterator_destroy(each);
}

}  // namespace

std::vector<IdleNodes> spare_nodes(const job_record_t& job, const NodeSet& may_have, Seconds now) {
    const NodeSet idle = job.array_recs == nullptr ? idle_now(may_have) : NodeSet();
    if (idle.empty()) return {};
    std::vector<IdleNodes> wanted{{idle, policy::kNever}};
    add_reservations(job, now, wanted);
    return idle_within(wanted, idle);
}

std::vector<IdleNodes> in_both(const std::vector<IdleNodes>& a, const std::vector<IdleNodes>& b) {
    NodeSet in_a, in_b;
    for (const IdleNodes& some : a) in_a.insert(some.nodes);
    for (const IdleNodes& some : b) in_b.insert(some.nodes);
    std::vector<IdleNodes> all = a;
    all.insert(all.end(), b.begin(), b.end());
    return idle_within(all, in_a.common(in_b));
}

}  // namespace drom::slurm
