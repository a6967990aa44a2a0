// SPDX-License-Identifier: BSD-3-Clause
// shim.cpp - decides which call fails, puts hooks into the library, and counts.
#include "shim.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "hooks.hpp"

namespace drom::faults {

namespace {

constexpr unsigned kNone = ~0U;
Failure armed{kNone, 0, 0, false};
std::atomic<bool> watching{false};
std::atomic<unsigned> injections{0};
std::atomic<unsigned> counts[kCalls];
std::atomic<int> memory{0}, mappings{0};

}  // namespace

const std::vector<CallInfo>& calls() {
    static const std::vector<CallInfo> all{
#define FAILS(name, ...) {#name, {__VA_ARGS__}},
#define SYSTEM(name, ...) {"syscall " #name, {__VA_ARGS__}},
#define NEVER(name)
#include "calls.def"
#undef FAILS
#undef SYSTEM
#undef NEVER
    };
    return all;
}

bool fails(Call call) noexcept {
    if (!watching.load()) return false;
    const auto index = static_cast<unsigned>(call);
    const unsigned count = ++counts[index];
    if (index != armed.call || (armed.lasting ? count < armed.nth : count != armed.nth)) return false;
    ++injections;
    if (armed.code != kShort) errno = armed.code;
    return true;
}

bool is_short() noexcept { return armed.code == kShort; }
int code() noexcept { return armed.code; }
void has_memory(int more) noexcept { memory += more; }
void has_mappings(int more) noexcept { mappings += more; }

void arm(const Failure& failure) {
    for (auto& count : counts) count = 0;
    injections = 0;
    armed = failure;
    watching = true;
}
void count_only() { arm({kNone, 0, 0, false}); }
void disarm() { watching = false; }
unsigned injected() { return injections; }
unsigned counted(unsigned call) { return counts[call]; }
Holdings holdings() { return {memory, mappings}; }
void free_given(void* given) {
    if (given != nullptr) --memory;
    std::free(given);
}

// --- into the library ----------------------------------------------------------------------------------------------

namespace {

#if defined(__x86_64__)
bool names_a_function(unsigned long type) {
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}
#elif defined(__aarch64__)
bool names_a_function(unsigned long type) {
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}
#endif

struct Hook {
    const char* name;
    void* function;  ///< null for a function that never fails
};

const std::vector<Hook>& hooks() {
    static const std::vector<Hook> all{
#define FAILS(name, ...) {#name, reinterpret_cast<void*>(hook_##name)},
#define SYSTEM(name, ...)
#define NEVER(name) {#name, nullptr},
#include "calls.def"
#undef FAILS
#undef SYSTEM
#undef NEVER
        {"syscall", reinterpret_cast<void*>(hook_syscall)},
        // This row counts, and not that of calls.def: free() never fails, but the hook counts what is given back.
        {"free", reinterpret_cast<void*>(hook_free)},
    };
    return all;
}

/// The relocations of a loaded library, by name.
struct Library {
    const char* file;
    std::string path{};
    ElfW(Addr) base = 0;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    struct Table {
        const ElfW(Rela) * begin = nullptr;
        std::size_t bytes = 0;
    } calls{}, others{};
};

void read_dynamic(const ElfW(Dyn) * entry, Library& library) {
    for (; entry->d_tag != DT_NULL; ++entry) {
        const auto address = entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB) library.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        if (entry->d_tag == DT_STRTAB) library.names = reinterpret_cast<const char*>(address);
        if (entry->d_tag == DT_JMPREL) library.calls.begin = reinterpret_cast<const ElfW(Rela)*>(address);
        if (entry->d_tag == DT_PLTRELSZ) library.calls.bytes = entry->d_un.d_val;
        if (entry->d_tag == DT_RELA) library.others.begin = reinterpret_cast<const ElfW(Rela)*>(address);
        if (entry->d_tag == DT_RELASZ) library.others.bytes = entry->d_un.d_val;
    }
}

int find_library(dl_phdr_info* info, std::size_t, void* out) {
    auto& library = *static_cast<Library*>(out);
    if (std::strstr(info->dlpi_name, library.file) == nullptr) return 0;
    library.path = info->dlpi_name;
    library.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_dynamic(reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), library);
    return 1;
}

void put(void** place, void* function) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto* begin = reinterpret_cast<char*>(reinterpret_cast<std::size_t>(place) / page * page);
    mprotect(begin, page, PROT_READ | PROT_WRITE);
    *place = function;
}

bool is_the_compilers_or_libdroms(const std::string& name) {
    // The last one is of std::string_view; an optimising compiler sees that it is not needed.
    for (const char* start : {"_ITM_", "__asan_", "__ubsan_", "__tsan_", "__sanitizer_", "drom_", "_ZN4drom",
                              "_ZNK4drom", "_ZSt24__throw_out_of_range_fmt"})
        if (name.rfind(start, 0) == 0) return true;
    return false;
}

/// Finds the last row of a name: free has two, as a function that never fails and as one that is counted.
const Hook* find_hook(const std::string& name) {
    const Hook* found = nullptr;
    for (const Hook& hook : hooks())
        if (name == hook.name) found = &hook;
    return found;
}

class Installing {
public:
    /// Puts hooks into a library. False when it is not loaded.
    bool into(const char* file) {
        Library library{.file = file};
        dl_iterate_phdr(find_library, &library);
        if (library.names == nullptr) return false;
        folder_ = library.path.substr(0, library.path.rfind('/'));
        each(library, library.calls);
        each(library, library.others);
        return true;
    }
    /// Loads a library only to look at its calls: without LD_PRELOAD it comes in front of no function. The path is
    /// needed, because AddressSanitizer's dlopen knows no RUNPATH but its own.
    void load(const char* file) {
        if (dlopen((folder_ + file).c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr)
            wrong_.push_back("cannot load " + folder_ + file);
    }
    void check_that_all_are_called() {
        for (std::size_t i = 0; i < hooks().size(); ++i)
            if (!seen_[i] && hooks()[i].function != nullptr)
                wrong_.push_back(std::string("no library calls ") + hooks()[i].name +
                                 " any more; take it out of calls.def");
    }
    [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }

private:
    void each(const Library& library, const Library::Table& table) {
        for (std::size_t i = 0; i < table.bytes / sizeof(ElfW(Rela)); ++i) {
            const ElfW(Rela)& place = table.begin[i];
            const ElfW(Sym)& symbol = library.symbols[ELF64_R_SYM(place.r_info)];
            if (names_a_function(ELF64_R_TYPE(place.r_info)) && ELF64_R_SYM(place.r_info) != 0)
                one(library, place, symbol);
        }
    }
    void one(const Library& library, const ElfW(Rela) & place, const ElfW(Sym) & symbol) {
        const std::string name = library.names + symbol.st_name;
        const Hook* hook = find_hook(name);
        if (hook == nullptr) {
            if (symbol.st_shndx == SHN_UNDEF && !is_the_compilers_or_libdroms(name))
                wrong_.push_back(std::string(library.file + 1) + " calls " + name +
                                 ", which calls.def does not know; say there how it may fail, or that it never does");
            return;
        }
        seen_[static_cast<std::size_t>(hook - hooks().data())] = true;
        if (hook->function != nullptr) put(reinterpret_cast<void**>(library.base + place.r_offset), hook->function);
    }

    std::string folder_;
    std::vector<bool> seen_ = std::vector<bool>(hooks().size(), false);
    std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> install() {
    Installing installing;
    if (!installing.into("/libdrom.so")) return {"libdrom.so is not loaded"};
    const bool all = installing.into("/libdlb.so");
    for (const char* library : {"/libdrom-mpi.so", "/libdrom-agent.so", "/libdrom-omp.so"}) {
        if (all) installing.load(library);
        installing.into(library);
    }
    if (all) installing.check_that_all_are_called();
    return installing.wrong();
}

}  // namespace drom::faults
