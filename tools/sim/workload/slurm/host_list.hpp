// SPDX-License-Identifier: BSD-3-Clause
// host_list.hpp - names of nodes as Slurm abbreviates them: "n[1-4,07],login". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace drom::sim::slurm {

/// Returns each name, in order, with the leading zeros of its range. Errors: the rest of a sentence that begins with
/// the list; also when there are more than a million names.
tl::expected<std::vector<std::string>, std::string> read_host_list(std::string_view text);

}  // namespace drom::sim::slurm
