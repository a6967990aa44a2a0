// SPDX-License-Identifier: BSD-3-Clause
// swf_writer.cpp - a workload as a log in the Standard Workload Format.
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iterator>
#include <ostream>

#include "workload/swf/swf.hpp"

namespace drom::sim {
namespace {

using Buffer = fmt::memory_buffer;
using Sink = std::function<bool(std::string_view)>;

bool has_key(const Workload& workload, std::string_view key) {
    return std::any_of(workload.header.begin(), workload.header.end(),
                       [&](const auto& line) { return line.first == key; });
}

void put_header(Buffer& text, const Workload& workload) {
    const auto out = std::back_inserter(text);
    for (const auto& [key, value] : workload.header) {
        if (key.empty())
            fmt::format_to(out, ";{}\n", value);
        else
            fmt::format_to(out, "; {}: {}\n", key, value);
    }
    if (workload.nodes > 0 && !has_key(workload, "MaxNodes")) fmt::format_to(out, "; MaxNodes: {}\n", workload.nodes);
    // Left out where a reader takes it from the nodes, as in the logs that have one processor a node.
    if (workload.processors > 0 && workload.processors != workload.nodes && !has_key(workload, "MaxProcs"))
        fmt::format_to(out, "; MaxProcs: {}\n", workload.processors);
    if (!workload.partitions.empty())
        fmt::format_to(out, "; PartitionNames: {}\n", fmt::join(workload.partitions, ";"));
}

void put_job(Buffer& text, const LogJob& job, Seconds wait, bool named_partitions) {
    const int partition = named_partitions && job.partition >= 0 ? job.partition + 1 : job.partition;
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} -1 -1 {} {} {} {} {} {} {} {} {} -1 -1\n", job.id,
                   job.submit, wait, job.run, job.processors, job.processors, job.request, job.memory_kb, job.status,
                   job.user, job.group, job.application, job.queue, partition);
}

/// Writes the workload into the sink. Returns false when the sink did not take it.
bool put(const Sink& sink, const Workload& workload, std::span<const Seconds> waits) {
    constexpr std::size_t kChunk = std::size_t{1} << 18;
    Buffer text;
    put_header(text, workload);
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        const LogJob& job = workload.jobs[i];
        put_job(text, job, waits.empty() ? job.wait : waits[i], !workload.partitions.empty());
        if (text.size() < kChunk) continue;
        if (!sink({text.data(), text.size()})) return false;
        text.clear();
    }
    return text.size() == 0 || sink({text.data(), text.size()});
}

auto not_written(const std::string& name, const std::string& why) {
    return tl::make_unexpected(fmt::format("drom-sim: write {}: {}", name, why));
}

/// Opens the output; null when errno says why. T: without compression, so that both are written in one way.
gzFile open_output(const std::string& path) {
    errno = 0;
    if (path != "-") return gzopen(path.c_str(), path.ends_with(".gz") ? "wb" : "wbT");
    const int fd = dup(STDOUT_FILENO);  // gzclose closes it
    return fd < 0 ? nullptr : gzdopen(fd, "wbT");
}

}  // namespace

tl::expected<void, std::string> write_swf(std::ostream& out, const Workload& workload, std::span<const Seconds> waits) {
    const auto sink = [&](std::string_view text) {
        return !!out.write(text.data(), static_cast<std::streamsize>(text.size()));
    };
    if (!put(sink, workload, waits) || !out.flush()) return not_written(workload.name, "the output takes no more");
    return {};
}

tl::expected<void, std::string> write_swf(const std::string& path, const Workload& workload,
                                          std::span<const Seconds> waits) {
    gzFile file = open_output(path);
    if (file == nullptr) return not_written(path, std::strerror(errno != 0 ? errno : ENOMEM));
    const auto sink = [&](std::string_view text) {
        return gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size());
    };
    errno = 0;
    const bool whole = put(sink, workload, waits);
    const int error = errno;
    if (gzclose(file) == Z_OK && whole) return {};
    const int last = error != 0 ? error : errno;
    return not_written(path, last != 0 ? std::strerror(last) : "the file takes no more");
}

}  // namespace drom::sim
