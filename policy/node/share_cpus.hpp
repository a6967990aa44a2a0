// SPDX-License-Identifier: BSD-3-Clause
// share_cpus.hpp - programs that share a node trade CPUs while that lowers their slowdowns: an adaptive SharingFactor
// (thesis, sections 5.3.3 and 5.5). Pure.
#pragma once

#include <map>
#include <memory>

#include "policy/node/adviser.hpp"
#include "policy/node/mean.hpp"

namespace drom::policy {

struct ShareCpusRules {
    double min_gain = 0.02;  ///< CPUs move when the sum of all slowdowns falls by more than this share
    double min_share = 0.5;  ///< of an equal share of the CPUs, which each program keeps
    int step = 1;            ///< CPUs that move in a round
    Seconds min_gap = 5;     ///< a program keeps its CPUs for so long after a change
    Seconds memory = 600;    ///< for which the speed on other CPUs is remembered
};

/// How fast a program is on how many CPUs.
class SpeedCurve {
public:
    /// Adds a look: so many of its `cpus` CPUs ran its own code.
    void add(int cpus, double useful, Seconds now);
    /// Forgets what was seen before.
    void forget_before(Seconds then);
    /// Returns the useful CPUs on so many: what was seen there. Else Amdahl's law through the nearest number that was
    /// seen; that law needs no other measurement, since useful CPUs are a speedup. 0: nothing is known.
    [[nodiscard]] double speed(int cpus) const;
    /// Returns the standard error of what was seen on so many CPUs, as a share of it.
    [[nodiscard]] double error(int cpus) const;

private:
    struct Seen {
        Mean useful;
        Seconds last = 0;
    };
    std::map<int, Seen> seen_;  ///< by the number of CPUs
};

/// Returns an adviser that moves CPUs between programs, and gives them free ones.
///
/// The slowdown of a program is its speed on all these CPUs over that on its own. It is 1 while the program does
/// nothing. In each round the one move is advised that lowers the sum of all slowdowns most. It has to lower the sum by
/// more than `min_gain`, and than twice the largest standard error of the two speeds. The next rounds show what a move
/// brought, so that one which made it worse is undone. It is not made again for `memory` seconds.
std::unique_ptr<Adviser> share_cpus(const ShareCpusRules& rules);

}  // namespace drom::policy
