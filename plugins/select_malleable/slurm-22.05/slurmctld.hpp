// SPDX-License-Identifier: GPL-2.0-or-later
// slurmctld.hpp - the headers of slurmctld 22.05 as C++ can bear them, and what differs from other series. Include it
// before anything else.
#pragma once

#include "config.h"

// The names that libslurm exports to those who link it.
#define USE_ALIAS 1

extern "C" {
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
// In this order: the headers below are not whole by themselves.
#include "src/common/slurm_xlator.h"

#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/parse_time.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/select.h"
#include "src/common/slurm_accounting_storage.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"
}

static_assert(SLURM_VERSION_NUM(22, 5, 0) <= SLURM_VERSION_NUMBER && SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0),
              "these are the structs of Slurm 22.05; those of another series are laid out differently");

// srun, scontrol and others load select plugins, too, and have none of these.
#pragma weak accounting_enforce
#pragma weak acct_policy_alter_job
#pragma weak acct_policy_set_qos_order
#pragma weak assoc_mgr_lock
#pragma weak assoc_mgr_make_tres_str_from_array
#pragma weak assoc_mgr_root_assoc
#pragma weak assoc_mgr_tres_name_array
#pragma weak assoc_mgr_tres_weighted
#pragma weak assoc_mgr_unlock
#pragma weak avail_node_bitmap
#pragma weak bit_and_not
#pragma weak booting_node_bitmap
#pragma weak cg_node_bitmap
#pragma weak find_job_record
#pragma weak free_job_resources
#pragma weak get_job_resources_cnt
#pragma weak get_job_resources_offset
#pragma weak idle_node_bitmap
#pragma weak job_list
#pragma weak jobacct_storage_g_job_complete
#pragma weak jobacct_storage_g_job_start
#pragma weak jobacct_storage_g_step_start
#pragma weak last_job_update
#pragma weak node_name2bitmap
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak power_node_bitmap
#pragma weak resv_list
#pragma weak rs_node_bitmap
#pragma weak schedule_job_save
#pragma weak set_job_tres_alloc_str
#pragma weak slurmctld_diag_stats
#pragma weak slurmctld_tres_cnt
#pragma weak up_node_bitmap

#include "undefined_macros.hpp"

// Names that later series have.
using list_t = xlist;
using list_itr_t = listIterator;
using job_details_t = job_details;
/// The cores that a question leaves out for the sake of reservations.
using resv_exc_t = bitstr_t;
/// In which time a waiting job may start. This series never says.
struct will_run_data_t {
    time_t start;
    time_t end;
};
inline const bitstr_t* excluded_cores(const resv_exc_t& excluded) { return &excluded; }
inline bool has_step_manager(const job_record_t&) { return false; }
inline const uint32_t* priorities_by_partition(const job_record_t& job) { return job.priority_array; }
inline bitstr_t* powered_down_nodes() { return power_node_bitmap; }
/// Makes `bits` of the names of nodes; names that are not known are left out.
inline void read_nodes(const char* names, bitstr_t*& bits) { node_name2bitmap(const_cast<char*>(names), true, &bits); }

/// slurmdbd numbers the records of jobs, not slurmctld.
inline constexpr bool kNumbersRecords = false;
/// Returns whether slurmctld has not told slurmdbd yet that the job began.
inline bool start_is_untold(const job_record_t& job) { return (job.job_state & JOB_UPDATE_DB) != 0; }
/// Writes the job's amounts as text. The caller holds the lock of the accounts.
inline void write_tres_text(job_record_t& job) { set_job_tres_alloc_str(&job, true); }
