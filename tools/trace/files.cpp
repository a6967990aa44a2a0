// SPDX-License-Identifier: BSD-3-Clause
// files.cpp - the files of a trace in each format.
#include "trace/files.hpp"

#include <utility>

namespace drom::trace {

std::string format_of(const std::string& path) {
    if (path.ends_with(".json")) return "perfetto";
    if (path.ends_with(".prv")) return "paraver";
    return path.ends_with(".csv") ? "csv" : "";
}

std::vector<std::string> paths_of(const std::string& format, const std::string& path) {
    if (format != "paraver") return {path};
    const std::string stem = path.ends_with(".prv") ? path.substr(0, path.size() - 4) : path;
    return {stem + ".prv", stem + ".pcf", stem + ".row"};
}

std::vector<File> files_of(const std::string& format, const std::string& path, const Trace& trace,
                           const std::tm& began) {
    const auto paths = paths_of(format, path);
    if (format == "csv") return {{paths[0], csv_of(trace)}};
    if (format == "perfetto") return {{paths[0], perfetto_of(trace)}};
    ParaverFiles files = paraver_of(trace, began);
    return {{paths[0], std::move(files.prv)}, {paths[1], std::move(files.pcf)}, {paths[2], std::move(files.row)}};
}

}  // namespace drom::trace
