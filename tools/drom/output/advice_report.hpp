// SPDX-License-Identifier: BSD-3-Clause
// advice_report.hpp - what drom advise has decided in one round, as text and as JSON.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drom::command {

struct AdvisedClient {
    pid_t pid = 0;
    std::string name;
    std::optional<unsigned> rank;
    unsigned cpus = 0;             ///< that it has
    unsigned advised = 0;          ///< that it should have
    unsigned min = 1, max = 1;     ///< between which it can be advised
    std::vector<double> useful{};  ///< CPUs, per look of the round; empty: unknown
};

struct AdviceLine {
    std::string job;
    std::string name;
    std::string why;
    std::vector<AdvisedClient> clients;
};

struct AdviceReport {
    std::string node;
    std::string policy;  ///< as it was named
    unsigned free = 0;   ///< CPUs
    double window_s = 0;
    bool apply = false;  ///< the changes are carried out
    std::vector<AdviceLine> programs;
};

/// Returns a heading and one line per program, of `width` columns at most.
std::string advice_text(const AdviceReport& report, size_t width);

/// Returns one object on one line (docs/reference/schemas/advise.schema.json).
std::string advice_json(const AdviceReport& report);

}  // namespace drom::command
