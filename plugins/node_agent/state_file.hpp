// SPDX-License-Identifier: GPL-2.0-or-later
// state_file.hpp - what the node agent remembers between two calls: which tasks of which steps are on the node, and
// what is theirs. Pure.
//
// slurmd and the step daemons come and go, and may be killed at any moment; the state is a file that each call reads,
// and replaces as a whole before it changes the first mask.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "base/cpuset.hpp"
#include "base/process_identity.hpp"

namespace drom::slurm {

/// A sentence for the log or for the user.
using Refusal = std::string;
inline tl::unexpected<Refusal> refuse(Refusal sentence) { return tl::unexpected(std::move(sentence)); }

/// A step of a job, as Slurm names it: 88.0, 88.batch.
struct StepName {
    uint32_t job = 0;
    uint32_t step = 0;

    [[nodiscard]] std::string text() const;
    /// Returns whether it is a batch script or the shell of salloc: it starts steps, which run on its CPUs.
    [[nodiscard]] bool is_script() const;
    /// Returns whether it is the step that holds a job's place on the node (PrologFlags=Contain), and the processes
    /// that came in from outside of Slurm.
    [[nodiscard]] bool is_extern() const;
    /// Returns whether people and other programs come in there, with processes that Slurm does not tell of.
    [[nodiscard]] bool is_open() const;
    /// Returns whether the other step runs on this one's CPUs: the extern step lends its own to the scripts and steps
    /// of its job, a script to the steps.
    [[nodiscard]] bool lends_to(const StepName& other) const;
    /// Returns one number of both, for partition::Client::job.
    [[nodiscard]] uint64_t number() const { return uint64_t{job} << 32 | step; }
    friend bool operator==(const StepName&, const StepName&) = default;
};
constexpr uint32_t kBatchStep = 0xfffffffb;        ///< SLURM_BATCH_SCRIPT
constexpr uint32_t kInteractiveStep = 0xfffffffa;  ///< SLURM_INTERACTIVE_STEP
constexpr uint32_t kExternStep = 0xfffffffc;       ///< SLURM_EXTERN_CONT

/// Why a process that lives has no CPUs of its own for now: `home` is what it comes back to.
enum class Parked : uint8_t {
    kNot,
    kForSteps,   ///< a script, or an extern step, on whose CPUs steps run
    kSuspended,  ///< stopped by Slurm, whose CPUs are for others
    kNoRoom,     ///< until there is room it shares the CPUs of its job, or those that its credential names; if it is
                 ///< not malleable it runs where Slurm put it
};

/// A process that was given CPUs.
struct TaskState {
    StepName step;
    ProcessIdentity identity;
    uint32_t user = 0;  ///< the uid of its process
    uint32_t min_cpus = 1;
    uint32_t max_cpus = 0;  ///< 0: no limit
    Parked parked = Parked::kNot;
    bool malleable = false;  ///< else it keeps what Slurm gave it, and is only written down
    CpuSet mask;             ///< what the plan gives it; without room: what its credential names
    CpuSet home;             ///< partition::Client::home
    CpuSet whole;            ///< what its job has here while it shares with no other; none: that does not change
    bool by_hand = false;    ///< an administrator has set its mask since the last plan; not written down

    friend bool operator==(const TaskState&, const TaskState&) = default;
};

struct AgentState {
    bool applied = true;  ///< false: the masks are a plan that may be carried out in part
    std::vector<TaskState> tasks;

    friend bool operator==(const AgentState&, const AgentState&) = default;
};

/// Returns one line per task, and a last one that counts them, so that a file that was cut short is noticed.
std::string to_text(const AgentState& state);
/// Reads the state. Errors: the line that is wrong, as the end of a sentence.
tl::expected<AgentState, std::string> read_state(std::string_view text);

}  // namespace drom::slurm
