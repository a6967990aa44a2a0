// SPDX-License-Identifier: BSD-3-Clause
// objects.cpp - the program and its libraries.
#include "objects.hpp"

#include <dlfcn.h>
#include <link.h>
#include <cstring>

namespace drom {

namespace {

using Header = ElfW(Phdr);

Object describe(const dl_phdr_info& info) noexcept {
    Object object{info.dlpi_addr, UINTPTR_MAX, 0};
    for (const Header* header = info.dlpi_phdr; header != info.dlpi_phdr + info.dlpi_phnum; ++header) {
        const uintptr_t start = info.dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD) continue;
        if (start < object.low) object.low = start;
        if (start + header->p_memsz > object.high) object.high = start + header->p_memsz;
    }
    return object;
}

bool holds(const dl_phdr_info& info, uintptr_t address) noexcept {
    for (const Header* header = info.dlpi_phdr; header != info.dlpi_phdr + info.dlpi_phnum; ++header) {
        const uintptr_t start = info.dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && address >= start && address < start + header->p_memsz) return true;
    }
    return false;
}

struct Search {
    uintptr_t address;
    Object found;
};

int find_address(dl_phdr_info* info, size_t, void* arg) {
    auto* search = static_cast<Search*>(arg);
    if (!holds(*info, search->address)) return 0;
    search->found = describe(*info);
    return 1;
}

/// The tables of an object that name its references to other objects.
struct References {
    uintptr_t base;
    const ElfW(Dyn) * dynamic;

    /// Returns an address in the table of this tag; some loaders leave it as it is in the file.
    [[nodiscard]] uintptr_t table(ElfW(Sxword) tag) const noexcept {
        for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == tag) return entry->d_un.d_ptr < base ? entry->d_un.d_ptr + base : entry->d_un.d_ptr;
        return 0;
    }

    [[nodiscard]] const char* text(uintptr_t at) const noexcept {
        return reinterpret_cast<const char*>(table(DT_STRTAB) + at);
    }

    /// Returns a count of symbols that includes those that other objects define: they come before the first one in the
    /// hash table.
    [[nodiscard]] uint32_t count() const noexcept {
        if (const auto* gnu = reinterpret_cast<const uint32_t*>(table(DT_GNU_HASH)); gnu != nullptr) return gnu[1];
        const auto* hash = reinterpret_cast<const uint32_t*>(table(DT_HASH));
        return hash != nullptr ? hash[1] : 0;
    }

    /// Returns the number that the object gives to the version of `symbol`; 0: none.
    [[nodiscard]] uint32_t version_number(const char* symbol) const noexcept {
        const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(table(DT_SYMTAB));
        const auto* versions = reinterpret_cast<const ElfW(Versym)*>(table(DT_VERSYM));
        if (symbols == nullptr || versions == nullptr || table(DT_STRTAB) == 0) return 0;
        for (uint32_t i = 1; i < count(); ++i)
            if (symbols[i].st_shndx == SHN_UNDEF && strcmp(text(symbols[i].st_name), symbol) == 0)
                return versions[i] & 0x7fffU;
        return 0;
    }

    [[nodiscard]] const char* version_name(uint32_t number) const noexcept {
        uintptr_t at = table(DT_VERNEED);
        while (at != 0) {
            const auto* file = reinterpret_cast<const ElfW(Verneed)*>(at);
            uintptr_t next = at + file->vn_aux;
            for (uint32_t i = 0; i < file->vn_cnt; ++i) {
                const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(next);
                if ((version->vna_other & 0x7fffU) == number) return text(version->vna_name);
                next += version->vna_next;
            }
            at = file->vn_next != 0 ? at + file->vn_next : 0;
        }
        return nullptr;
    }
};

struct VersionSearch {
    uintptr_t address;
    const char* symbol;
    const char* found;
};

int find_version(dl_phdr_info* info, size_t, void* arg) {
    auto* search = static_cast<VersionSearch*>(arg);
    if (!holds(*info, search->address)) return 0;
    for (const Header* header = info->dlpi_phdr; header != info->dlpi_phdr + info->dlpi_phnum; ++header) {
        if (header->p_type != PT_DYNAMIC) continue;
        const References references{info->dlpi_addr,
                                    reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + header->p_vaddr)};
        constexpr uint32_t kGlobal = 1;  // and 0, local: not a version
        const uint32_t number = references.version_number(search->symbol);
        if (number > kGlobal) search->found = references.version_name(number);
    }
    return 1;
}

}  // namespace

Object object_of(const void* address) noexcept {
    Search search{reinterpret_cast<uintptr_t>(address), {}};
    dl_iterate_phdr(find_address, &search);
    return search.found;
}

bool may_define(const void* address, const char* symbol) noexcept {
    Dl_info unused{};
    void* map = nullptr;
    if (dladdr1(address, &unused, &map, RTLD_DL_LINKMAP) == 0) return false;  // in no object
    const char* name = static_cast<const link_map*>(map)->l_name;
    void* handle = dlopen(*name == '\0' ? nullptr : name, RTLD_LAZY | RTLD_NOLOAD);  // no name: the program
    if (handle == nullptr) return true;
    const void* found = dlsym(handle, symbol);  // also in the libraries that the object needs
    dlclose(handle);
    return found != nullptr && object_of(address).holds(found);
}

const char* needed_version(const void* address, const char* symbol) noexcept {
    VersionSearch search{reinterpret_cast<uintptr_t>(address), symbol, nullptr};
    dl_iterate_phdr(find_version, &search);
    return search.found;
}

}  // namespace drom
