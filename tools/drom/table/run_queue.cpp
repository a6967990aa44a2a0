// SPDX-License-Identifier: BSD-3-Clause
// run_queue.cpp - the file `queue` of a table, and its locks.
#include "table/run_queue.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>

#include "libdrom/base/process_identity.hpp"

namespace drom::command {

namespace {

/// The content of the file, per place. Other versions of drom may read it: a field keeps its place and its meaning.
struct Record {
    uint64_t arrival;  ///< earlier newcomers have lower numbers
    uint64_t pidns;    ///< pid namespace of `pid`
    int64_t since_s;
    uint32_t pid;
    uint32_t cpus;
    uint32_t priority;
    char name[92];
};
static_assert(sizeof(Record) == 128);

constexpr off_t kNewcomers = off_t{QueuePlace::kPlaces} * sizeof(Record);  // the byte that newcomers lock

off_t offset_of(unsigned place) { return off_t{place} * off_t{sizeof(Record)}; }

struct flock lock_of(off_t byte, short type) {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

/// Takes the lock of a byte. Returns 0, EAGAIN when another holder has it, or another errno.
int lock(int file, off_t byte) {
    struct flock wanted = lock_of(byte, F_WRLCK);
    if (fcntl(file, F_OFD_SETLK, &wanted) == 0) return 0;
    return errno == EACCES ? EAGAIN : errno;
}

void unlock(int file, off_t byte) {
    struct flock none = lock_of(byte, F_UNLCK);
    fcntl(file, F_OFD_SETLK, &none);
}

/// Returns whether another holder has the place.
bool is_held(int file, unsigned place) {
    struct flock asked = lock_of(offset_of(place), F_WRLCK);
    return fcntl(file, F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

/// Returns the record of a place that another process holds; nothing: none does.
std::optional<Record> held_record(int file, unsigned place) {
    Record record{};
    if (!is_held(file, place)) return std::nullopt;
    if (pread(file, &record, sizeof record, offset_of(place)) != sizeof record) return std::nullopt;
    return record;
}

std::vector<Record> held_records(int file) {
    std::vector<Record> records;
    for (unsigned place = 0; place < QueuePlace::kPlaces; ++place)
        if (const auto record = held_record(file, place)) records.push_back(*record);
    return records;
}

bool comes_before(unsigned priority, uint64_t arrival, unsigned other_priority, uint64_t other_arrival) {
    return priority != other_priority ? priority > other_priority : arrival < other_arrival;
}

/// Returns whether the process is stopped. One of another pid namespace cannot be judged, and counts as running.
bool is_stopped(const Record& record) {
    if (record.pidns != self().pidns) return false;
    ProcessStat stat;
    const std::string path = fmt::format("/proc/{}/stat", record.pid);
    return read_stat(AT_FDCWD, path.c_str(), stat) == 0 && stat.state == 'T';
}

Record record_of(const QueuedProgram& program, uint64_t arrival) {
    Record record{
        arrival, self().pidns, program.since_s, static_cast<uint32_t>(program.pid), program.cpus, program.priority, {}};
    program.name.copy(record.name, sizeof record.name - 1);
    return record;
}

QueuedProgram program_of(const Record& record) {
    return {std::string(record.name, strnlen(record.name, sizeof record.name)), static_cast<pid_t>(record.pid),
            record.cpus, record.priority, record.since_s};
}

std::string path_of(const std::string& table) { return table + "/queue"; }

Error unusable(const std::string& table, int code) {
    return {DROM_E_OS, fmt::format("{}: {}", path_of(table), std::strerror(code))};
}

Expected<int> open_queue(const std::string& table) {
    const int file = open(path_of(table).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return tl::make_unexpected(unusable(table, errno));
    struct stat info{};
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) return file;
    close(file);
    return failure(DROM_E_OS, path_of(table) + ": it is no file");
}

/// Waits for the turn of a newcomer. Another one needs microseconds for its own, unless it was stopped in the middle.
/// Returns 0, EAGAIN after a second, or another errno.
int lock_newcomers(int file) {
    constexpr int kTries = 100;
    int code = EAGAIN;
    for (int tries = 0; tries < kTries && code == EAGAIN; ++tries) {
        if (tries != 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        code = lock(file, kNewcomers);
    }
    return code;
}

/// Writes the record. Returns 0 or errno. Beyond the limit of a file's size (ulimit -f) the kernel would end the
/// process.
int write_record(int file, unsigned place, const Record& record) {
    rlimit most{};
    const auto end = static_cast<rlim_t>(offset_of(place) + off_t{sizeof record});
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < end) return EFBIG;
    const ssize_t written = pwrite(file, &record, sizeof record, offset_of(place));
    if (written == ssize_t{sizeof record}) return 0;
    return written < 0 ? errno : ENOSPC;
}

/// Writes the record into a place that no process holds, and holds it. Returns 0, EAGAIN when all are held, or another
/// errno.
int hold_free_place(int file, const Record& record, unsigned& place) {
    for (place = 0; place < QueuePlace::kPlaces; ++place) {
        if (is_held(file, place)) continue;
        if (const int code = write_record(file, place, record); code != 0) return code;
        if (const int code = lock(file, offset_of(place)); code != EAGAIN) return code;
    }
    return EAGAIN;
}

}  // namespace

std::vector<QueuedProgram> queued_programs(const std::string& table) {
    const int file = open(path_of(table).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return {};
    std::vector<Record> records = held_records(file);
    close(file);
    std::ranges::sort(records, [](const Record& a, const Record& b) {
        return comes_before(a.priority, a.arrival, b.priority, b.arrival);
    });
    std::vector<QueuedProgram> programs;
    programs.reserve(records.size());
    for (const Record& record : records) programs.push_back(program_of(record));
    return programs;
}

Expected<QueuePlace> QueuePlace::take(const std::string& table, const QueuedProgram& program) {
    const auto file = open_queue(table);
    if (!file) return tl::make_unexpected(file.error());
    QueuePlace taken(*file, kPlaces, 0, program.priority);
    const int locked = lock_newcomers(*file);
    if (locked == EAGAIN)
        return failure(DROM_E_BUSY, path_of(table) +
                                        ": another program has been taking its place for a second; is it "
                                        "stopped? let it go on, or use --wait");
    if (locked != 0) return tl::make_unexpected(unusable(table, locked));
    for (const Record& record : held_records(*file)) taken.arrival_ = std::max(taken.arrival_, record.arrival + 1);
    unsigned place = kPlaces;
    const int code = hold_free_place(*file, record_of(program, taken.arrival_), place);
    unlock(*file, kNewcomers);
    if (code == EAGAIN) return failure(DROM_E_BUSY, fmt::format("{}: {} programs wait already", path_of(table), place));
    if (code != 0) return tl::make_unexpected(unusable(table, code));
    taken.place_ = place;
    return taken;
}

QueuePlace::QueuePlace(QueuePlace&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      place_(other.place_),
      arrival_(other.arrival_),
      priority_(other.priority_) {}

QueuePlace& QueuePlace::operator=(QueuePlace&& other) noexcept {
    if (this == &other) return *this;
    leave();
    file_ = std::exchange(other.file_, -1);
    place_ = other.place_;
    arrival_ = other.arrival_;
    priority_ = other.priority_;
    return *this;
}

unsigned QueuePlace::before() const {
    const std::vector<Record> records = held_records(file_);
    return static_cast<unsigned>(std::ranges::count_if(records, [&](const Record& other) {
        return comes_before(other.priority, other.arrival, priority_, arrival_) && !is_stopped(other);
    }));
}

void QueuePlace::leave() noexcept {
    if (file_ < 0) return;
    // A child that was forked meanwhile shares the lock, which closing alone would leave to it.
    if (place_ < kPlaces) unlock(file_, offset_of(place_));
    close(std::exchange(file_, -1));
}

}  // namespace drom::command
