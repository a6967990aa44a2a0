// SPDX-License-Identifier: BSD-3-Clause
// iterations.hpp - a running program in exact time: where in which iteration it is, and when its next resize point is.
//
// Events of the engine are at whole seconds, the nearest ones. Iterations are not rounded: a point that the engine sees
// at second 7 may have been at 6.83, and what is decided there holds from 6.83 on.
#pragma once

#include "workload/program.hpp"
#include "workload/workload.hpp"

namespace drom::sim {

class IterativeRun {
public:
    /// Starts the program on `nodes` nodes. `factor` is one of all its times, where it runs on another partition or
    /// frequency.
    IterativeRun(const Program& program, int nodes, double factor, Seconds now);

    /// Returns the exact time of the next resize point, or of the end.
    double next() const;
    /// Returns whether the next event is the end.
    bool on_last() const noexcept { return left_ <= 1; }
    /// Goes to next(). Returns the seconds that the iteration took, without what changes of size cost.
    double iterate();
    int nodes() const noexcept { return nodes_; }
    double mtct() const { return program_->mtct(nodes_); }

    /// Lets the program go on with other nodes. At its resize point that is from the point on.
    void resize(int nodes, Seconds now);
    /// Lets the program do something else for so long.
    void pause(double seconds, Seconds now);
    /// Leaves the point that was reached last: nothing more happens there.
    void leave_point() noexcept { at_point_ = false; }

private:
    double seconds() const { return factor_ * program_->seconds_on(nodes_); }
    double pending() const noexcept;
    void advance(Seconds now);

    const Program* program_;
    int nodes_;
    double factor_;
    double left_;       ///< iterations, as of since_
    double since_;      ///< exact
    double pause_ = 0;  ///< seconds from since_ on without progress
    double spent_ = 0;  ///< seconds of the present iteration
    bool at_point_ = false;
};

}  // namespace drom::sim
