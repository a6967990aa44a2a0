// SPDX-License-Identifier: GPL-2.0-or-later
// earlier_steps.hpp - which steps of a job had begun when another job ended with which it shared nodes. Pure.
//
// The credential of such a step names the cores that its job had while it shared. The step may reach its nodes at any
// time afterwards. Only slurmctld knows the order of the two: it tells the nodes with the message that ends the other
// job. The message has the SPANK environment of that job, which Slurm hands to the epilog.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drom::slurm {

struct EarlierSteps {
    uint32_t job = 0;
    uint32_t next = 0;             ///< normal steps with a lower number had begun
    std::vector<uint32_t> others;  ///< its script, the shell of salloc, its extern step, as far as they had begun

    /// Returns whether the step had begun.
    [[nodiscard]] bool has(uint32_t step) const;
    friend bool operator==(const EarlierSteps&, const EarlierSteps&) = default;
};

/// The variable in the SPANK environment of the job that has ended.
constexpr std::string_view kEarlierSteps = "DROM_EARLIER_STEPS";

/// Returns jobs separated by commas, each as numbers: 88/5/4294967291.
std::string to_text(const std::vector<EarlierSteps>& jobs);
/// Reads the text. A job that cannot be read is left out.
std::vector<EarlierSteps> read_earlier_steps(std::string_view text);

}  // namespace drom::slurm
