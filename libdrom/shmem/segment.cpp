// SPDX-License-Identifier: BSD-3-Clause
// segment.cpp - a table on disk: create it, open it, check it.
#include "segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/env.hpp"
#include "base/error.hpp"
#include "base/process_identity.hpp"
#include "base/process_stat.hpp"
#include "foreign_files.hpp"
#include "ledger.hpp"
#include "locations.hpp"
#include "node_page.hpp"
#include "removed.hpp"

namespace drom {

namespace {

constexpr char kLedgerName[] = "ledger";
// O_PATH: a node's directory lets other users pass through it (0711), not list it.
constexpr int kDirectory = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// --- sizes ---------------------------------------------------------------------------------------------------------

struct Extent {
    uint64_t owners_at, homes_at, locations_at, slots_at, requests_at, intent_at, events_at, size;
};

constexpr uint64_t align(uint64_t value) noexcept { return (value + 63) / 64 * 64; }

Extent extent_of(uint32_t cpus, uint32_t clients) noexcept {
    const uint32_t mask_words = (cpus + 63) / 64;
    Extent e{};
    e.owners_at = sizeof(Header);
    e.homes_at = align(e.owners_at + 8ULL * cpus);
    e.locations_at = align(e.homes_at + 8ULL * cpus);
    e.slots_at = align(e.locations_at + sizeof(Location) * cpus);
    e.requests_at = align(e.slots_at + sizeof(Slot) * clients);
    e.intent_at = align(e.requests_at + uint64_t{request_stride(mask_words)} * clients);
    e.events_at = align(e.intent_at + intent_bytes(mask_words));
    e.size = (e.events_at + sizeof(Event) * kEvents + 4095) / 4096 * 4096;
    return e;
}

// --- the machine ---------------------------------------------------------------------------------------------------

bool read_cpus(const char* path, CpuSet& set) noexcept {
    char text[4096];
    const int length = read_text(AT_FDCWD, path, text, sizeof text);
    if (length <= 0) return false;
    text[length - 1] = '\0';  // the end of the line
    return parse_cpus(text, set).what == nullptr;
}

CpuSet cpus_of_file(const char* path) noexcept {
    CpuSet set{};
    if (read_cpus(path, set)) return set;
    const long count = sysconf(_SC_NPROCESSORS_CONF);
    return CpuSet::range(0, count > 0 && count <= long{kMaxCpus} ? static_cast<uint32_t>(count) : 1);
}

const char* advice_for(int code) noexcept {
    switch (code) {
        case EFBIG: return "; raise the limit of a file's size (ulimit -f)";
        case ENOSPC:
        case EDQUOT: return "; remove files there, or set DROM_TABLE to a directory that has room";
        default: return "";
    }
}

// --- creating ------------------------------------------------------------------------------------------------------

int make_directory(const char* path, uint32_t mode, drom_error* error) noexcept {
    const mode_t bits = (mode & kModeNode) != 0 ? 0711 : 0700;
    if (mkdir(path, bits) == 0) {
        // The umask must not decide which users may look: open_ledger checks the mode.
        if (chmod(path, bits) == 0) return DROM_OK;
        const int code = errno;
        rmdir(path);  // the next process would take the directory as it is
        return fail(error, DROM_E_OS, "drom: create table %s: %s", path, errno_text(code));
    }
    if (errno == EEXIST) return DROM_OK;
    const int status = errno == EACCES || errno == EPERM ? DROM_E_PERM : errno == ENOSPC ? DROM_E_FULL : DROM_E_OS;
    const char* advice = advice_for(errno);
    return fail(error, status, "drom: create table %s: %s%s", path, errno_text(errno),
                advice[0] != '\0' ? advice : "; set DROM_TABLE to a directory you can write");
}

int open_directory(const char* path, int& fd, drom_error* error) noexcept {
    fd = open(path, kDirectory);
    if (fd < 0) {
        if (errno == ENOENT)
            return fail(error, DROM_E_NOTABLE,
                        "drom: open table %s: there is none; start a program with drom run, or set DROM_TABLE", path);
        const int status = errno == EACCES                      ? DROM_E_PERM
                           : errno == ELOOP || errno == ENOTDIR ? DROM_E_CORRUPT
                                                                : DROM_E_OS;
        const char* why = status == DROM_E_CORRUPT
                              ? "it is not a directory, or a symbolic link, which is not followed; name "
                                "the directory itself"
                              : errno_text(errno);
        return fail(error, status, "drom: open table %s: %s", path, why);
    }
    struct stat info{};
    if (fstat(fd, &info) != 0) {
        const int code = errno;
        close(fd);
        return fail(error, DROM_E_OS, "drom: open table %s: %s", path, errno_text(code));
    }
    if (info.st_uid != geteuid() && info.st_uid != 0) {
        close(fd);
        return fail(error, DROM_E_PERM, "drom: open table %s: it belongs to uid %u, not to you (uid %u)", path,
                    info.st_uid, geteuid());
    }
    if ((info.st_mode & 022) != 0) {
        close(fd);
        if ((info.st_mode & S_ISVTX) != 0)
            return fail(error, DROM_E_PERM,
                        "drom: open table %s: the directory is there for the files of all users; name one inside it",
                        path);
        return fail(error, DROM_E_PERM,
                    "drom: open table %s: others may write to the directory (mode %04o); chmod 0700 it", path,
                    info.st_mode & 07777);
    }
    return DROM_OK;
}

void fill_header(Header& header, const CreateSpec& spec, uint32_t cpus, const Extent& extent, uint64_t boot) noexcept {
    header.magic = kLedgerMagic;
    header.layout_version = kLayoutVersion;
    header.header_size = sizeof(Header);
    header.layout_hash = kLayoutHash;
    header.file_size = extent.size;
    header.boot_id = boot;
    header.pidns = self().pidns;
    header.mode = spec.mode;
    header.owner_uid = geteuid();
    header.cpus = cpus;
    header.clients = spec.clients;
    header.mask_words = (cpus + 63) / 64;
    header.request_stride = request_stride(header.mask_words);
    header.owners_at = extent.owners_at;
    header.homes_at = extent.homes_at;
    header.locations_at = extent.locations_at;
    header.slots_at = extent.slots_at;
    header.requests_at = extent.requests_at;
    header.events_at = extent.events_at;
    header.intent_at = extent.intent_at;
    header.checksum = header_checksum(header);
}

void fill_cpus(const Ledger& ledger, bool synthetic) noexcept {
    const CpuSet present = synthetic ? CpuSet::range(0, ledger.cpus()) : present_cpus();
    const CpuSet online = synthetic ? present : online_cpus();
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const uint64_t flags = (present.has(cpu) ? 0 : Owner::kAbsent) | (online.has(cpu) ? 0 : Owner::kOffline);
        begin_owner(ledger, cpu, flags);
        const auto index = static_cast<uint16_t>(cpu);
        ledger.location(cpu) = synthetic ? Location{index, UINT16_MAX, UINT16_MAX, 0} : location_of(cpu);
    }
}

/// Returns whether RLIMIT_FSIZE allows the size. The kernel ends a process that exceeds it (SIGXFSZ), and this is
/// another program's process.
bool within_file_limit(uint64_t size) noexcept {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur;
}

/// Calls posix_fallocate in pieces. On tmpfs each signal undoes the whole call; small pieces succeed between two
/// signals.
int allocate(int fd, uint64_t size) noexcept {
    constexpr uint64_t kPiece = 128 * 1024;
    int interrupted = 0;
    if (!within_file_limit(size)) return EFBIG;
    for (uint64_t at = 0; at < size;) {
        const uint64_t length = size - at < kPiece ? size - at : kPiece;
        const int code = posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(length));
        if (code == 0) at += length;
        if (code != 0 && (code != EINTR || ++interrupted == 1000)) return code;
    }
    return 0;
}

int boot_id_unreadable(const char* verb, const char* path, drom_error* error) noexcept {
    return fail(error, DROM_E_OS, "drom: %s table %s: the kernel's boot id in /proc cannot be read; try again", verb,
                path);
}

int fill_file(int fd, const char* path, const CreateSpec& spec, drom_error* error) noexcept {
    uint64_t boot = 0;
    if (!read_boot_id(boot)) return boot_id_unreadable("create", path, error);
    const uint32_t cpus = spec.cpus != 0 ? spec.cpus : present_cpus().last() + 1;
    const Extent extent = extent_of(cpus, spec.clients);
    // posix_fallocate and not ftruncate: a full file system must be reported now, not by SIGBUS later.
    if (const int code = allocate(fd, extent.size); code != 0)
        return fail(error, code == ENOSPC ? DROM_E_FULL : DROM_E_OS, "drom: create table %s: %s (%llu KiB needed)%s",
                    path, errno_text(code), static_cast<unsigned long long>(extent.size / 1024), advice_for(code));
    void* base = mmap(nullptr, extent.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) return fail(error, DROM_E_OS, "drom: create table %s: mmap: %s", path, errno_text(errno));
    Ledger ledger;
    ledger.base = static_cast<char*>(base);
    fill_header(ledger.header(), spec, cpus, extent, boot);
    ledger.shape = shape_of(ledger.header());
    fill_cpus(ledger, spec.cpus != 0);
    munmap(base, extent.size);
    return DROM_OK;
}

int link_into_place(int directory, const char* temporary, const char* path, drom_error* error) noexcept {
    // link fails where rename would replace. The faster process made the table that all processes use.
    if (linkat(directory, temporary, directory, kLedgerName, 0) == 0 || errno == EEXIST) return DROM_OK;
    return fail(error, DROM_E_OS, "drom: create table %s: link: %s%s", path, errno_text(errno), advice_for(errno));
}

int create_in(int directory, const char* path, const CreateSpec& spec, drom_error* error) noexcept {
    char temporary[64];
    snprintf(temporary, sizeof temporary, "ledger.%llx.new", static_cast<unsigned long long>(packed(self())));
    const int fd = openat(directory, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        const int status = errno == ENOSPC ? DROM_E_FULL : errno == EACCES ? DROM_E_PERM : DROM_E_OS;
        return fail(error, status, "drom: create table %s: %s%s", path, errno_text(errno), advice_for(errno));
    }
    int status = fill_file(fd, path, spec, error);
    if (status == DROM_OK && fchmod(fd, (spec.mode & kModeNode) != 0 ? 0644 : 0600) != 0)
        status = fail(error, DROM_E_OS, "drom: create table %s: chmod: %s", path, errno_text(errno));
    close(fd);
    if (status == DROM_OK) status = link_into_place(directory, temporary, path, error);
    unlinkat(directory, temporary, 0);
    return status;
}

// --- believing -----------------------------------------------------------------------------------------------------

int damaged(drom_error* error, const char* path, const char* what) noexcept {
    return fail(error, DROM_E_CORRUPT, "drom: open table %s: %s; stop its clients and remove the directory", path,
                what);
}

int check_file(const struct stat& info, const char* path, drom_error* error) noexcept {
    if (!S_ISREG(info.st_mode)) return damaged(error, path, "its ledger is not a regular file");
    if (info.st_uid != geteuid() && info.st_uid != 0)
        return fail(error, DROM_E_PERM, "drom: open table %s: its ledger belongs to uid %u", path, info.st_uid);
    if ((info.st_mode & 022) != 0)  // mutant mode
        return fail(error, DROM_E_PERM, "drom: open table %s: others may write to its ledger (mode %04o)", path,
                    info.st_mode & 07777);
    if (info.st_nlink == 0) return fail(error, DROM_E_NOTABLE, "drom: open table %s: it was removed", path);
    return DROM_OK;
}

bool extent_matches(const Header& header) noexcept {
    if (header.cpus == 0 || header.cpus > kMaxCpus || header.clients == 0 || header.clients > kMaxClients) return false;
    if (header.mask_words != (header.cpus + 63) / 64 || header.request_stride != request_stride(header.mask_words))
        return false;
    const Extent e = extent_of(header.cpus, header.clients);
    return e.owners_at == header.owners_at && e.homes_at == header.homes_at && e.locations_at == header.locations_at &&
           e.slots_at == header.slots_at && e.requests_at == header.requests_at && e.events_at == header.events_at &&
           e.intent_at == header.intent_at && e.size == header.file_size;
}

int check_header(const Header& header, const struct stat& info, const char* path, drom_error* error) noexcept {
    if (header.magic != kLedgerMagic) return damaged(error, path, "its ledger does not begin like one");
    if (header.layout_version != kLayoutVersion)
        return fail(error, DROM_E_VERSION,
                    "drom: open table %s: it has layout version %u and this is %u; use the drom that made it", path,
                    header.layout_version, kLayoutVersion);
    if (header.layout_hash != kLayoutHash)  // mutant layout
        return fail(error, DROM_E_VERSION,
                    "drom: open table %s: another version of drom made it, with another layout (%016llx, this is "
                    "%016llx); use that one, or stop its clients and remove the directory",
                    path, static_cast<unsigned long long>(header.layout_hash),
                    static_cast<unsigned long long>(kLayoutHash));
    if (header.checksum != header_checksum(header))  // mutant header-sum
        return damaged(error, path, "its header's checksum is wrong");
    if (!extent_matches(header)) return damaged(error, path, "its sizes contradict one another");  // mutant extent
    if (static_cast<uint64_t>(info.st_size) != header.file_size)                                   // mutant file-size
        return damaged(error, path, "its ledger has been cut or has grown");
    // A healthy table, seen through a user namespace. "Damaged" would advise to remove it.
    if (header.owner_uid != info.st_uid)
        return fail(error, DROM_E_PERM,
                    "drom: open table %s: uid %u made it and its ledger belongs to uid %u, so it is of another user "
                    "namespace or was given away; use it where it was made, or name another table",
                    path, header.owner_uid, info.st_uid);
    uint64_t boot = 0;
    if (!read_boot_id(boot)) return boot_id_unreadable("open", path, error);
    // As healthy as above: where /proc is not mounted nothing tells one boot from another.
    if ((header.boot_id == 0) != (boot == 0))
        return fail(error, DROM_E_OS, "drom: open table %s: it was made %s /proc, so its boot is not known here; %s",
                    path, boot == 0 ? "with" : "without",
                    boot == 0 ? "mount /proc" : "name another table (DROM_TABLE)");
    if (header.boot_id != boot) return damaged(error, path, "it is of an earlier boot");  // mutant boot
    return DROM_OK;
}

int map_ledger(int fd, const char* path, bool read_only, Ledger& ledger, drom_error* error) noexcept {
    struct stat info{};
    if (fstat(fd, &info) != 0) return fail(error, DROM_E_OS, "drom: open table %s: %s", path, errno_text(errno));
    if (const int status = check_file(info, path, error); status != DROM_OK) return status;
    Header header{};
    const ssize_t length = pread(fd, static_cast<void*>(&header), sizeof header, 0);
    if (length < 0) return fail(error, DROM_E_OS, "drom: open table %s: %s", path, errno_text(errno));
    if (length != static_cast<ssize_t>(sizeof header)) return damaged(error, path, "its ledger is too short");
    if (const int status = check_header(header, info, path, error); status != DROM_OK) return status;
    const int protection = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    void* base = mmap(nullptr, header.file_size, protection, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) return fail(error, DROM_E_OS, "drom: open table %s: mmap: %s", path, errno_text(errno));
    ledger.base = static_cast<char*>(base);
    ledger.size = header.file_size;
    ledger.shape = shape_of(header);  // of the copy that was checked
    ledger.writable = !read_only;
    return DROM_OK;
}

void page_name(char (&out)[48], uint32_t slot, uint32_t generation) noexcept {
    snprintf(out, sizeof out, "client.%u.%u", slot, generation);
}

/// A descriptor of the table's directory: the ledger's own, or one opened for this call.
class Directory {
public:
    Directory(const Ledger& ledger, const char* path) noexcept
        : kept_(ledger.directory >= 0), fd_(kept_ ? ledger.directory : open(path, kDirectory)) {}
    ~Directory() {
        if (!kept_ && fd_ >= 0) close(fd_);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    [[nodiscard]] int fd() const noexcept { return fd_; }

private:
    bool kept_;
    int fd_;
};

Page* map_page(int fd) noexcept {
    void* base = mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return base == MAP_FAILED ? nullptr : static_cast<Page*>(base);
}

}  // namespace

CpuSet present_cpus() noexcept { return cpus_of_file("/sys/devices/system/cpu/present"); }
CpuSet online_cpus() noexcept { return cpus_of_file("/sys/devices/system/cpu/online"); }
bool read_online_cpus(CpuSet& cpus) noexcept { return read_cpus("/sys/devices/system/cpu/online", cpus); }

Shape shape_of(const Header& header) noexcept {
    return {header.owners_at,   header.homes_at,   header.locations_at,   header.slots_at,
            header.requests_at, header.events_at,  header.intent_at,      header.cpus,
            header.clients,     header.mask_words, header.request_stride, header.mode};
}

uint64_t header_checksum(const Header& header) noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
    for (size_t i = 0; i < offsetof(Header, checksum); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

int table_path(const char* where, char* out, size_t size, drom_error* error) noexcept {
    if (where == nullptr) where = env::text("DROM_TABLE");
    // A process may change its directory, and its children inherit the variable: a name means one table, in any
    // directory.
    char here[256] = "";
    const bool relative = where != nullptr && where[0] != '/' && where[0] != '\0';
    if (relative && getcwd(here, sizeof here) == nullptr)
        return fail(error, DROM_E_OS, "drom: open table %s: the current directory: %s; give an absolute path", where,
                    errno_text(errno));
    const int length = where == nullptr ? snprintf(out, size, "/dev/shm/drom-%u", geteuid())
                                        : snprintf(out, size, "%s%s%s", here, relative ? "/" : "", where);
    if (length <= 0 || static_cast<size_t>(length) >= size)
        return fail(error, DROM_E_INVAL, "drom: open table: the path is empty or longer than %zu characters", size - 1);
    return DROM_OK;
}

namespace {
int refuse_ledger(int directory, const char* path, int code, drom_error* error) noexcept {
    struct stat info{};
    if (code == EACCES && fstat(directory, &info) == 0 && info.st_uid != geteuid())
        return fail(error, DROM_E_PERM, "drom: open table %s: it belongs to uid %u, not to you (uid %u)", path,
                    info.st_uid, geteuid());
    const int status = code == EACCES ? DROM_E_PERM : code == ELOOP ? DROM_E_CORRUPT : DROM_E_OS;
    return fail(error, status, "drom: open table %s: ledger: %s", path, errno_text(code));
}
}  // namespace

int open_ledger(const char* path, bool read_only, Ledger& ledger, drom_error* error) noexcept {
    int directory = -1;
    if (const int status = open_directory(path, directory, error); status != DROM_OK) return status;
    const int fd = openat(directory, kLedgerName,
                          (read_only ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);  // mutant no-link
    int status = DROM_OK;
    if (fd < 0 && errno == ENOENT)
        status = fail(error, DROM_E_NOTABLE,
                      "drom: open table %s: the directory holds no ledger; start a program with drom run", path);
    else if (fd < 0)
        status = refuse_ledger(directory, path, errno, error);
    else
        status = map_ledger(fd, path, read_only, ledger, error);
    if (status != DROM_OK) {
        if (fd >= 0) close(fd);  // mutant unread
        close(directory);
        return status;
    }
    ledger.directory = directory;
    ledger.file = fd;
    return DROM_OK;
}

bool tell_of_removed(const char* path, const char* verb, drom_error* error) noexcept {
    const uint32_t user = user_of_removed(path);
    if (user == 0) return false;
    fail(error, DROM_E_NOTABLE,
         "drom: %s table %s: it was removed while in use, and process %u still has its CPUs by it; end that process, "
         "or name another table",
         verb, path, user);
    return true;
}

namespace {
/// Refuses to make a table while processes use a removed one of this path: the new table would give their CPUs away a
/// second time.
int refuse_second(const char* path, drom_error* error) noexcept {
    char ledger[320];
    snprintf(ledger, sizeof ledger, "%s/%s", path, kLedgerName);
    if (faccessat(AT_FDCWD, ledger, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return DROM_OK;
    return tell_of_removed(path, "create", error) ? DROM_E_NOTABLE : DROM_OK;
}
}  // namespace

int create_ledger(const char* path, const CreateSpec& wanted, drom_error* error) noexcept {
    CreateSpec spec = wanted;
    if (spec.clients == 0) spec.clients = kMaxClients;
    if (spec.cpus > kMaxCpus || spec.clients > kMaxClients)
        return fail(error, DROM_E_INVAL, "drom: create table %s: at most %u CPUs and %u clients", path, kMaxCpus,
                    kMaxClients);
    if (const int status = refuse_second(path, error); status != DROM_OK) return status;
    if (const int status = make_directory(path, spec.mode, error); status != DROM_OK) return status;
    int directory = -1;
    if (const int status = open_directory(path, directory, error); status != DROM_OK) return status;
    const bool exists = faccessat(directory, kLedgerName, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    int status = exists ? succeed(error) : refuse_foreign_files(directory, path, error);
    if (status == DROM_OK && !exists) status = create_in(directory, path, spec, error);
    if (status == DROM_OK && !exists && (spec.mode & kModeNode) != 0) remove_left_pages();
    close(directory);
    return status;
}

void close_ledger(Ledger& ledger) noexcept {
    if (ledger.base != nullptr) munmap(ledger.base, ledger.size);
    if (ledger.file >= 0) close(ledger.file);
    if (ledger.directory >= 0) close(ledger.directory);
    ledger = Ledger{};
}

int still_there(const Ledger& ledger, const char* path, drom_error* error) noexcept {
    struct stat info;
    if (ledger.file < 0 || fstat(ledger.file, &info) != 0 || info.st_nlink > 0) return DROM_OK;  // mutant removed
    return fail(error, DROM_E_NOTABLE,
                "drom: table %s: it was removed while in use; its clients run on with the masks they have", path);
}

Page* create_page(const Ledger& ledger, const char* path, uint32_t slot, uint32_t generation, uint32_t uid,
                  drom_error* error) noexcept {
    if (ledger.node_mode()) return create_node_page(ledger.slot(slot), slot, generation, uid, error);
    char name[48];
    page_name(name, slot, generation);
    const Directory directory(ledger, path);
    // Left by a process that died while joining with this very generation.
    unlinkat(directory.fd(), name, 0);  // mutant old-page
    const int fd = openat(directory.fd(), name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const int code = fd < 0 ? errno : allocate(fd, kPageSize);
    Page* page = code == 0 ? map_page(fd) : nullptr;
    if (fd >= 0) close(fd);
    if (page == nullptr) {
        if (fd >= 0) unlinkat(directory.fd(), name, 0);
        fail(error, code == ENOSPC ? DROM_E_FULL : DROM_E_OS, "drom: join table %s: %s: %s%s", path, name,
             errno_text(code != 0 ? code : ENOMEM), advice_for(code));
        return nullptr;
    }
    page->magic = kPageMagic;
    page->layout_version = kLayoutVersion;
    page->slot = slot;
    page->generation = generation;
    return page;
}

Page* open_page(const Ledger& ledger, const char* path, uint32_t slot, uint32_t generation) noexcept {
    if (ledger.node_mode()) return open_node_page(ledger.slot(slot), generation, ledger.header().owner_uid);
    char name[48];
    page_name(name, slot, generation);
    const Directory directory(ledger, path);
    const int fd = openat(directory.fd(), name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return nullptr;
    struct stat info{};
    const bool fine = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == static_cast<off_t>(kPageSize);
    Page* page = fine ? map_page(fd) : nullptr;
    close(fd);
    return page;
}

void remove_page(const Ledger& ledger, const char* path, uint32_t slot, uint32_t generation) noexcept {
    if (ledger.node_mode()) return remove_node_page(ledger.slot(slot), generation, ledger.header().owner_uid);
    char name[48];
    page_name(name, slot, generation);
    const Directory directory(ledger, path);
    if (directory.fd() >= 0) {
        unlinkat(directory.fd(), name, 0);
        return;
    }
    // A client that leaves keeps no descriptor, and may have none to spare.
    char whole[320];
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    unlinkat(AT_FDCWD, whole, 0);
}

void unmap_page(Page* page) noexcept {
    if (page != nullptr) munmap(static_cast<void*>(page), kPageSize);
}

}  // namespace drom
