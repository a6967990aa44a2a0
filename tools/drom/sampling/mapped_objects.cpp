// SPDX-License-Identifier: BSD-3-Clause
// mapped_objects.cpp - which file's code an address of a process is in.
#include "sampling/mapped_objects.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace drom::command {

namespace {

/// The beginning of a file's name. No letter follows it: libmpi.so.40 is MPI, libmpire.so is not.
struct Name {
    std::string_view begin;
    Code code;
};

constexpr Name kNames[] = {
    {"libmpi", Code::kMpi},           {"libmpich", Code::kMpi},
    {"libmpifort", Code::kMpi},       {"libmpicxx", Code::kMpi},
    {"libmpichfort", Code::kMpi},     {"libmpichcxx", Code::kMpi},
    {"libdrom-mpi", Code::kMpi},      {"libopen-pal", Code::kMpi},
    {"libopen-rte", Code::kMpi},      {"mca_", Code::kMpi},
    {"libmca_", Code::kMpi},          {"libpmi", Code::kMpi},
    {"libpmix", Code::kMpi},          {"libucp", Code::kMpi},
    {"libuct", Code::kMpi},           {"libucs", Code::kMpi},
    {"libucm", Code::kMpi},           {"libfabric", Code::kMpi},
    {"libpsm", Code::kMpi},           {"libpsm_infinipath", Code::kMpi},
    {"libibverbs", Code::kMpi},       {"librdmacm", Code::kMpi},
    {"libmlx", Code::kMpi},           {"libhcoll", Code::kMpi},
    {"libsharp", Code::kMpi},         {"libxpmem", Code::kMpi},
    {"libmpl", Code::kMpi},           {"libgomp", Code::kOpenMp},
    {"libomp", Code::kOpenMp},        {"libiomp", Code::kOpenMp},
    {"libdrom-omp", Code::kOpenMp},   {"libc", Code::kSystem},
    {"libpthread", Code::kSystem},    {"ld-linux", Code::kSystem},
    {"ld-musl", Code::kSystem},       {"libevent", Code::kSystem},
    {"libevent_core", Code::kSystem}, {"libevent_pthreads", Code::kSystem},
    {"libdrom", Code::kSystem},       {"libdrom-agent", Code::kSystem},
    {"[vdso]", Code::kSystem},        {"[vsyscall]", Code::kSystem},
};

constexpr size_t kMostLines = 65'536;

bool begins_with(std::string_view file, const Name& name) {
    if (!file.starts_with(name.begin)) return false;
    if (name.begin.ends_with('_') || file.size() == name.begin.size()) return true;
    return std::isalpha(static_cast<unsigned char>(file[name.begin.size()])) == 0 && file[name.begin.size()] != '_';
}

std::string_view next_word(std::string_view& text) {
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

bool read_hexadecimal(std::string_view text, uint64_t& into) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), into, 16);
    return code == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Code code_of(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    // A program may be called as a library is: libgomp-test.
    const bool shared_object = file.find(".so") != std::string_view::npos || file.starts_with('[');
    if (!shared_object) return Code::kProgram;
    const auto* found = std::ranges::find_if(kNames, [&](const Name& name) { return begins_with(file, name); });
    return found == std::end(kNames) ? Code::kProgram : found->code;
}

MappedObjects MappedObjects::parse(std::string_view maps) {
    MappedObjects objects;
    for (size_t line_number = 0; !maps.empty() && line_number < kMostLines; ++line_number) {
        const size_t length = std::min(maps.find('\n'), maps.size());
        std::string_view line = maps.substr(0, length);
        maps.remove_prefix(std::min(length + 1, maps.size()));
        const std::string_view addresses = next_word(line);
        const std::string_view rights = next_word(line);
        const size_t dash = addresses.find('-');
        Range range{};
        if (dash == std::string_view::npos || rights.size() < 3 || rights[2] != 'x') continue;
        if (!read_hexadecimal(addresses.substr(0, dash), range.begin)) continue;
        if (!read_hexadecimal(addresses.substr(dash + 1), range.end) || range.end <= range.begin) continue;
        for (int skipped = 0; skipped < 3; ++skipped) next_word(line);  // offset, device, inode
        const size_t path = line.find_first_not_of(' ');
        if (path == std::string_view::npos) continue;
        range.code = code_of(line.substr(path));
        objects.ranges_.push_back(range);
    }
    std::ranges::sort(objects.ranges_, {}, &Range::begin);
    return objects;
}

MappedObjects MappedObjects::of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/maps", pid));
    return parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::optional<Code> MappedObjects::at(uint64_t address) const {
    const auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
    if (after == ranges_.begin() || address >= std::prev(after)->end) return std::nullopt;
    return std::prev(after)->code;
}

Code MappedObjects::caller_at(uint64_t address, std::span<const uint64_t> stack) const {
    const Code code = at(address).value_or(Code::kProgram);
    if (code != Code::kSystem) return code;
    for (const uint64_t word : stack)
        if (const auto caller = at(word); caller && *caller != Code::kSystem) return *caller;
    return Code::kProgram;
}

}  // namespace drom::command
