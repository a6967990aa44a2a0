// SPDX-License-Identifier: BSD-3-Clause
// loader_search.cpp - where the dynamic loader would find a library, without running it.
#include "program/loader_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>

namespace drom::command {

namespace {

#if defined(__x86_64__)
constexpr const char* kTriplet = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr const char* kTriplet = "aarch64-linux-gnu";
#elif defined(__powerpc64__)
constexpr const char* kTriplet = "powerpc64le-linux-gnu";
#else
constexpr const char* kTriplet = "riscv64-linux-gnu";
#endif

/// Debian's multiarch directories, then the traditional ones of 64-bit systems.
std::vector<std::string> system_directories() {
    const std::string triplet = kTriplet;
    return {"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

std::vector<std::string> split(const std::string& text, const char* separators) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(separators, at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// The directories of a DT_RPATH or DT_RUNPATH of the object at `path`.
std::vector<std::string> expanded(std::string text, const std::string& path) {
    const std::string origin = path.substr(0, path.rfind('/'));
    for (const char* word : {"$ORIGIN", "${ORIGIN}"}) replace_all(text, word, origin);
    for (const char* word : {"$LIB", "${LIB}"}) replace_all(text, word, std::string("lib/") + kTriplet);
    return split(text, ":");
}

// The layout of /etc/ld.so.cache since glibc 2.2 (sysdeps/generic/dl-cache.h); offsets count from the magic.
constexpr char kCacheMagic[] = "glibc-ld.so.cache1.1";
struct CacheHeader {
    char magic[20];
    uint32_t count;
    uint32_t text_size;
    uint32_t unused[5];
};
struct CacheEntry {
    int32_t flags;
    uint32_t name;
    uint32_t path;
    uint32_t os_version;
    uint64_t hwcap;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);

}  // namespace

LoaderSearch::LoaderSearch() {
    if (const char* text = std::getenv("LD_LIBRARY_PATH")) library_path_ = split(text, ":;");
}

void LoaderSearch::read_cache() {
    cache_read_ = true;
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const size_t start = bytes.find(kCacheMagic);  // an older table may come first
    CacheHeader header{};
    if (start == std::string::npos || bytes.size() - start < sizeof header) return;
    std::memcpy(&header, bytes.data() + start, sizeof header);
    const auto text_at = [&](uint32_t offset) {
        const size_t at = start + offset;
        return at < bytes.size() ? std::string(bytes.c_str() + at) : std::string();
    };
    for (uint32_t i = 0; i < header.count; ++i) {
        CacheEntry entry{};
        const size_t at = start + sizeof header + size_t{i} * sizeof entry;
        if (at + sizeof entry > bytes.size()) return;
        std::memcpy(&entry, bytes.data() + at, sizeof entry);
        cache_.emplace(text_at(entry.name), text_at(entry.path));
    }
}

std::optional<std::string> LoaderSearch::find_in(const std::vector<std::string>& directories,
                                                 const std::string& name) const {
    for (const auto& directory : directories) {
        std::string path = directory;
        path.append("/").append(name);
        if (access(path.c_str(), R_OK) == 0 && read_elf(path).kind != ElfKind::kForeign) return path;
    }
    return std::nullopt;
}

std::optional<std::string> LoaderSearch::find(const std::string& name, const Loaded& loader) {
    if (name.find('/') != std::string::npos) return name;
    if (loader.file.runpath.empty())
        if (auto path = find_in(loader.rpaths, name)) return path;
    if (auto path = find_in(library_path_, name)) return path;
    if (auto path = find_in(expanded(loader.file.runpath, loader.path), name)) return path;
    if (!cache_read_) read_cache();
    for (auto [entry, end] = cache_.equal_range(name); entry != end; ++entry)
        if (read_elf(entry->second).kind == ElfKind::kDynamic) return entry->second;
    return find_in(system_directories(), name);
}

bool is_of_the_system(const Library& library) {
    const std::string directory = library.path.substr(0, library.path.rfind('/'));
    const auto directories = system_directories();
    return std::find(directories.begin(), directories.end(), directory) != directories.end();
}

std::vector<Library> LoaderSearch::closure(const std::string& path, const ElfFile& program,
                                           const std::vector<std::string>& preloaded) {
    std::vector<Library> libraries;
    std::set<std::string> seen;
    std::deque<Loaded> queue{{path, program, expanded(program.rpath, path)}};
    queue.front().file.needed.insert(queue.front().file.needed.end(), preloaded.begin(), preloaded.end());
    while (!queue.empty()) {
        const Loaded loader = std::move(queue.front());
        queue.pop_front();
        for (const auto& name : loader.file.needed) {
            if (!seen.insert(name).second) continue;
            const auto found = find(name, loader);
            libraries.push_back({name, found.value_or("")});
            if (!found) continue;
            Loaded library{*found, read_elf(*found), loader.rpaths};
            const auto own = expanded(library.file.rpath, *found);
            library.rpaths.insert(library.rpaths.begin(), own.begin(), own.end());
            queue.push_back(std::move(library));
        }
    }
    return libraries;
}

}  // namespace drom::command
