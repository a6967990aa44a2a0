// SPDX-License-Identifier: BSD-3-Clause
// objects.cpp - the program and its libraries.
#include "objects.hpp"

#include <link.h>
#include <cstring>

namespace drom {

namespace {

using Header = ElfW(Phdr);

struct Search {
    uintptr_t address;
    Object found;
};

const char* file_name(const char* path) noexcept {
    const char* slash = strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

bool starts_with(const char* text, const char* start) noexcept { return strncmp(text, start, strlen(start)) == 0; }

bool is_openmp_runtime(const char* name) noexcept {
    return starts_with(name, "libgomp.so") || starts_with(name, "libomp") || starts_with(name, "libiomp5");
}

bool is_openblas(const char* name) noexcept { return starts_with(name, "libopenblas"); }

/// True when one of the DT_NEEDED entries is `wanted`.
bool needs(const ElfW(Dyn) * dynamic, uintptr_t base, bool (*wanted)(const char*)) noexcept {
    uintptr_t strings = 0;
    for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (strings == 0) return false;
    if (strings < base) strings += base;  // some loaders leave the table as it is in the file
    for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_NEEDED && wanted(reinterpret_cast<const char*>(strings + entry->d_un.d_val)))
            return true;
    return false;
}

/// OpenBLAS asks at every call that is large enough for threads (num_cpu_avail in its common_thread.h), opens its regions with exactly
/// as many, and hands the number to nobody. It may come as the system's libblas and liblapack, which then need libopenblas.
bool asks_each_time(const char* path, const ElfW(Dyn) * dynamic, uintptr_t base) noexcept {
    const char* name = file_name(path);
    if (is_openblas(name)) return true;
    const bool front = starts_with(name, "libblas.so") || starts_with(name, "liblapack.so");
    return front && needs(dynamic, base, is_openblas);
}

Object describe(const dl_phdr_info& info) noexcept {
    Object object{info.dlpi_addr, UINTPTR_MAX, 0, false, false, false, 0};
    for (const Header* header = info.dlpi_phdr; header != info.dlpi_phdr + info.dlpi_phnum; ++header) {
        const uintptr_t start = info.dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && start < object.low) object.low = start;
        if (header->p_type == PT_LOAD && start + header->p_memsz > object.high) object.high = start + header->p_memsz;
        if (header->p_type == PT_TLS && header->p_memsz > 0) object.has_tls = true;
        if (header->p_type == PT_GNU_EH_FRAME) object.unwinding = start;
        if (header->p_type != PT_DYNAMIC) continue;
        const auto* dynamic = reinterpret_cast<const ElfW(Dyn)*>(start);
        object.needs_openmp = needs(dynamic, info.dlpi_addr, is_openmp_runtime);
        object.asks_each_time = asks_each_time(info.dlpi_name, dynamic, info.dlpi_addr);
    }
    return object;
}

int find_address(dl_phdr_info* info, size_t, void* arg) {
    auto* search = static_cast<Search*>(arg);
    for (const Header* header = info->dlpi_phdr; header != info->dlpi_phdr + info->dlpi_phnum; ++header) {
        const uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || search->address < start || search->address >= start + header->p_memsz)
            continue;
        search->found = describe(*info);
        return 1;
    }
    return 0;
}

struct Segments {
    uintptr_t base;
    VisitWords visit;
    void* arg;
};

int visit_segments(dl_phdr_info* info, size_t, void* arg) {
    const auto* segments = static_cast<const Segments*>(arg);
    if (info->dlpi_addr != segments->base) return 0;
    for (const Header* header = info->dlpi_phdr; header != info->dlpi_phdr + info->dlpi_phnum; ++header) {
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W) == 0) continue;
        const uintptr_t start = (info->dlpi_addr + header->p_vaddr + 7) & ~uintptr_t{7};
        const uintptr_t end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
        if (end <= start) continue;
        if (!segments->visit(reinterpret_cast<std::atomic<uint64_t>*>(start), (end - start) / 8, segments->arg)) break;
    }
    return 1;
}

int compare_name(dl_phdr_info* info, size_t, void* arg) {
    return strcmp(file_name(info->dlpi_name), static_cast<const char*>(arg)) == 0 ? 1 : 0;
}

}  // namespace

Object object_of(const void* address) noexcept {
    Search search{reinterpret_cast<uintptr_t>(address), {}};
    dl_iterate_phdr(find_address, &search);
    return search.found;
}

void each_writable_segment(uintptr_t base, VisitWords visit, void* arg) noexcept {
    Segments segments{base, visit, arg};
    dl_iterate_phdr(visit_segments, &segments);
}

bool is_loaded(const char* file_name) noexcept {
    return dl_iterate_phdr(compare_name, const_cast<char*>(file_name)) != 0;
}

contract::Party Parties::of(const void* address, Object& fresh) noexcept {
    const auto at = reinterpret_cast<uintptr_t>(address);
    fresh = {};
    for (uint32_t party = 0; party < count_; ++party)
        if (at >= ranges_[party].low && at < ranges_[party].high) return static_cast<contract::Party>(party);
    constexpr uint32_t kLast = contract::kParties - 1;
    if (count_ == kLast) return kLast;  // that one is shared by all that come late
    fresh = object_of(address);
    // Code that no object holds (made at run time) is taken for one small object of its own.
    ranges_[count_] = fresh.high != 0 ? Range{fresh.low, fresh.high} : Range{at & ~uintptr_t{4095}, (at | 4095) + 1};
    return static_cast<contract::Party>(count_++);
}

}  // namespace drom
