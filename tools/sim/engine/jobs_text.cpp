// SPDX-License-Identifier: BSD-3-Clause
// jobs_text.cpp - the names of several jobs in a sentence.
#include "engine/jobs_text.hpp"

#include <fmt/format.h>

namespace drom::sim {

std::string jobs_text(const std::vector<std::int64_t>& ids) {
    std::string text = ids.size() == 1 ? "job " : "jobs ";
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i > 0) text += i + 1 == ids.size() ? " and " : ", ";
        text += std::to_string(ids[i]);
    }
    return text;
}

}  // namespace drom::sim
