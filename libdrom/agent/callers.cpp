// SPDX-License-Identifier: BSD-3-Clause
// callers.cpp - the library of a return address, and its names.
#include "callers.hpp"

#include <dlfcn.h>
#include <link.h>
#include <cstdint>
#include <cstring>

#include "base/thread_pools.hpp"

namespace drom::callers {

namespace {

const char* file_of(const char* path) noexcept {
    const char* slash = strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

/// Returns the object that holds the address; null: none is known.
const link_map* object_at(const void* address) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE  // glibc 2.35
    // Takes no lock. dladdr takes the loader's: a thread may ask while another one loads a library whose constructor
    // waits for it.
    dl_find_object found{};
    return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_link_map : nullptr;
#else
    Dl_info unused{};
    void* map = nullptr;
    return dladdr1(address, &unused, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map) : nullptr;
#endif
}

/// Returns the name that the object was linked with (DT_SONAME); "": none.
const char* linked_name(const link_map& object) noexcept {
    uintptr_t texts = 0;
    uintptr_t at = 0;
    for (const auto* entry = object.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) texts = entry->d_un.d_ptr;
        if (entry->d_tag == DT_SONAME) at = entry->d_un.d_val;
    }
    if (texts == 0 || at == 0) return "";
    if (texts < object.l_addr) texts += object.l_addr;  // some loaders leave it as it is in the file
    return reinterpret_cast<const char*>(texts + at);
}

}  // namespace

bool is_openmp_runtime(const char* path) noexcept {
    const char* name = file_of(path);
    for (const char* known : {"libgomp.so", "libomp.so", "libomp5.so", "libiomp5.so", "libomp-"})
        if (strncmp(name, known, strlen(known)) == 0) return true;
    return false;
}

bool called_by_runtime(const void* caller) noexcept {
    const link_map* object = object_at(caller);
    return object != nullptr && is_openmp_runtime(object->l_name);
}

bool called_by_pool(const void* caller) noexcept {
    const link_map* object = object_at(caller);
    return object != nullptr &&
           (is_thread_pool_library(file_of(object->l_name)) || is_thread_pool_library(linked_name(*object)));
}

}  // namespace drom::callers
