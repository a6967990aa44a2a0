// SPDX-License-Identifier: BSD-3-Clause
// swf_source.hpp - the text of a log, plain or compressed, as one piece of memory.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace drom::sim::swf {

/// Reads the text of a file, "-" for the standard input; `wanted` is said where there is none. Errors: what is in the
/// way, without "drom-sim: read LOG: ".
tl::expected<std::string, std::string> read_text(const std::string& path,
                                                 const char* wanted = "a log in the Standard Workload Format");

}  // namespace drom::sim::swf
