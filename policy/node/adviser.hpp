// SPDX-License-Identifier: BSD-3-Clause
// adviser.hpp - which program of a node should have how many CPUs, by what its CPUs did in the last round. Pure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// A client of the node: a rank of a job, or a program by itself.
struct NodeClient {
    int id = 0;                    ///< process
    int cpus = 1;                  ///< that it has
    int min = 1;                   ///< CPUs
    int max = 1;                   ///< CPUs: with more it would run no faster. May be less than it has
    Seconds changed = 0;           ///< when it was started, or its CPUs were changed last
    std::string held;              ///< why its CPUs may not change; empty: they may
    std::string unknown;           ///< why nothing is known of its CPU time; empty: it is
    std::vector<double> useful{};  ///< CPUs that ran its own code, one mean per look of the round; empty: unknown
};

/// The clients of a job, or one that belongs to none.
struct NodeProgram {
    std::string name;
    std::vector<NodeClient> clients;  ///< at least one
    std::string job{};                ///< empty: none

    int cpus() const noexcept;
    int min() const noexcept;
    int max() const noexcept;
    /// Returns the processes of its clients: the same program has the same ones in the next round.
    std::vector<int> ids() const;
    /// Returns when the CPUs of one of its clients were changed last.
    Seconds changed() const;
    /// Returns the useful CPUs over those it has, from 0 to 1; nothing where a client is unknown.
    std::vector<double> efficiencies() const;
    /// Returns why one of its clients is held; empty: none is.
    std::string held() const;
    /// Returns why nothing is known of one of its clients; empty: all are known.
    std::string unknown() const;
};

/// A node at the end of a round.
struct NodeView {
    std::vector<NodeProgram> programs;
    int free = 0;  ///< CPUs that no client has
    Seconds now = 0;

    /// Returns whether a program of these processes is there.
    bool has(const std::vector<int>& ids) const;
};

/// The CPUs that each client of a program should have, in their order, and why.
struct Advice {
    std::vector<int> cpus;
    std::string why;  ///< also where nothing changes

    friend bool operator==(const Advice&, const Advice&) = default;
};

/// Decides round by round; may remember earlier ones.
class Adviser {
public:
    virtual ~Adviser() = default;
    /// Returns one advice per program. All together need no more CPUs than the programs have and are free. Each client
    /// gets its min at least, or keeps what it has.
    virtual std::vector<Advice> advise(const NodeView& view) = 0;
};

/// Returns the advice that changes nothing.
Advice keep(const NodeProgram& program, std::string why);

/// Returns "31 %".
std::string percent_text(double share);

/// Why a program keeps its CPUs after a change.
inline constexpr const char* kChangedAMomentAgo = "its CPUs were changed a moment ago";

/// Divides `cpus` among the clients of a program, each within its limits: one CPU at a time to the client with the
/// fewest. CPUs that no client can use are left over.
std::vector<int> divided(const NodeProgram& program, int cpus);

/// Rules of equal_cpus().
struct EqualCpusRules {
    Seconds min_gap = 5;  ///< a program keeps its CPUs for so long after a change
};

/// Returns an adviser that gives all programs equal CPUs (HPC in the cloud, section 6.3).
std::unique_ptr<Adviser> equal_cpus(const EqualCpusRules& rules);

/// Rules of efficient_cpus(), as shares of lost over useful CPU time.
struct EfficientCpusRules {
    double upper = 0.5;    ///< a program that loses more has too many CPUs
    double lower = 0.1;    ///< a program that loses less may have more
    Seconds min_gap = 5;   ///< a program keeps its CPUs for so long after a change
    Seconds memory = 600;  ///< in which a program that had to shrink does not grow beyond that again
};

/// Returns an adviser by which programs that lose much of their CPU time shrink, and those that lose little grow
/// (elastic MPI, section 10.3).
std::unique_ptr<Adviser> efficient_cpus(const EfficientCpusRules& rules);

}  // namespace drom::policy
