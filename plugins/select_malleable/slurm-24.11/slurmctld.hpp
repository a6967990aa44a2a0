// SPDX-License-Identifier: GPL-2.0-or-later
// slurmctld.hpp - the headers of slurmctld 24.11 as C++ can bear them, and what differs from other series. Include it
// before anything else.
#pragma once

#include "config.h"

// The names that libslurm exports to those who link it.
#define USE_ALIAS 1

// A member of a struct has the name of a keyword. The C++ library must not be read meanwhile.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>
#define operator operator_
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
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/select.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"
}
#undef operator

static_assert(SLURM_VERSION_NUM(24, 11, 0) <= SLURM_VERSION_NUMBER &&
                  SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0),
              "these are the structs of Slurm 24.11; those of another series are laid out differently");

// srun, scontrol and others load select plugins, too, and have none of these.
#pragma weak accounting_enforce
#pragma weak acct_policy_alter_job
#pragma weak acct_policy_set_qos_order
#pragma weak assoc_mgr_lock
#pragma weak assoc_mgr_make_tres_str_from_array
#pragma weak assoc_mgr_root_assoc
#pragma weak assoc_mgr_set_job_tres_alloc_str
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
#pragma weak job_record_set_sluid
#pragma weak jobacct_storage_g_job_complete
#pragma weak jobacct_storage_g_job_start
#pragma weak jobacct_storage_g_step_start
#pragma weak last_job_update
#pragma weak node_name2bitmap
#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak power_down_node_bitmap
#pragma weak resv_list
#pragma weak rs_node_bitmap
#pragma weak schedule_job_save
#pragma weak slurmctld_diag_stats
#pragma weak slurmctld_tres_cnt
#pragma weak up_node_bitmap

#include "undefined_macros.hpp"

inline const bitstr_t* excluded_cores(const resv_exc_t& excluded) { return excluded.core_bitmap; }
inline bool has_step_manager(const job_record_t& job) { return (job.bit_flags & STEPMGR_ENABLED) != 0; }
inline const uint32_t* priorities_by_partition(const job_record_t& job) {
    return job.part_prio == nullptr ? nullptr : job.part_prio->priority_array;
}
inline bitstr_t* powered_down_nodes() { return power_down_node_bitmap; }
/// Makes `bits` of the names of nodes; names that are not known are left out.
inline void read_nodes(const char* names, bitstr_t*& bits) {
    node_name2bitmap(const_cast<char*>(names), true, &bits, nullptr);
}

/// slurmctld numbers the records of jobs, not slurmdbd.
inline constexpr bool kNumbersRecords = true;
/// Returns whether slurmctld has not told slurmdbd yet that the job began.
inline bool start_is_untold(const job_record_t& job) { return (job.db_flags & SLURMDB_JOB_FLAG_START_R) == 0; }
/// Writes the job's amounts as text. The caller holds the lock of the accounts.
inline void write_tres_text(job_record_t& job) { assoc_mgr_set_job_tres_alloc_str(&job, true); }
