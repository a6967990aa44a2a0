// SPDX-License-Identifier: BSD-3-Clause
// claims.cpp - which processes carry a reservation in their environment.
#include "claims.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/process_identity.hpp"
#include "base/tasks.hpp"

namespace drom {

namespace {

/// Returns whether two paths, perhaps spelled differently, name the same table.
bool is_same_table(const char* a, const char* b) noexcept {
    struct stat one;
    struct stat other;
    return strcmp(a, b) == 0 ||
           (stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/// Returns whether process `pid` sees a file at `path` that is not the table.
bool is_other_table(uint32_t pid, const char* path, const char* table) noexcept {
    char name[320];
    snprintf(name, sizeof name, "/proc/%u/root%s", pid, path);
    struct stat one;
    struct stat other;
    if (path[0] != '/' || stat(name, &one) != 0 || stat(table, &other) != 0) return false;
    return one.st_dev != other.st_dev || one.st_ino != other.st_ino;
}

/// Takes an environment in pieces, as it is read, and notes the two variables.
class Reader {
public:
    /// Reads for the claim. `below`: the process, when it is in a namespace below this one; 0 otherwise.
    Reader(const Claim& claim, uint32_t below) noexcept : claim_(claim), below_(below) {}

    void take(const char* text, size_t length) noexcept {
        for (size_t i = 0; i < length; ++i) {
            if (length_ < sizeof entry_ - 1) entry_[length_++] = text[i];
            if (text[i] != '\0') continue;
            entry_[length_] = '\0';
            look();
            length_ = 0;
        }
    }
    [[nodiscard]] bool carries() const noexcept { return slot_ && table_; }

private:
    void look() noexcept {
        unsigned slot = 0;
        unsigned generation = 0;
        if (sscanf(entry_, "DROM_SLOT=%u:%u", &slot, &generation) == 2)
            slot_ = slot == claim_.slot && generation == claim_.generation;
        if (strncmp(entry_, "DROM_TABLE=", 11) == 0) table_ = means_table(entry_ + 11);
    }

    bool means_table(const char* path) noexcept {
        return below_ == 0 ? is_same_table(path, claim_.table) : !is_other_table(below_, path, claim_.table);
    }

    const Claim& claim_;
    uint32_t below_;
    char entry_[288];  ///< a table's path is shorter; the end of other variables is cut
    size_t length_ = 0;
    bool slot_ = false;
    bool table_ = false;
};

enum class Environment : uint8_t { kRead, kNone, kRefused };

/// Returns kNone for a thread that has ended and has no environment any more, kRefused for one of another user.
Environment read_environment(uint32_t pid, uint32_t tid, Reader& reader) noexcept {
    char text[4096];
    snprintf(text, sizeof text, "/proc/%u/task/%u/environ", pid, tid);
    const int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT || errno == ESRCH ? Environment::kNone : Environment::kRefused;
    bool any = false;
    ssize_t length = read(file, text, sizeof text);
    for (; length > 0; length = read(file, text, sizeof text)) {
        reader.take(text, static_cast<size_t>(length));
        any = true;
    }
    const bool refused = length < 0 && errno != ESRCH;
    close(file);
    if (refused) return Environment::kRefused;
    return any ? Environment::kRead : Environment::kNone;
}

/// Reads the environment of any thread: a process whose first thread has ended lives in its other threads.
Environment read_environment(uint32_t pid, Reader& reader) noexcept {
    Environment first = read_environment(pid, pid, reader);
    if (first != Environment::kNone) return first;
    Tasks tasks(pid);
    if (!tasks.ok()) return Environment::kNone;
    tasks.each([&](uint32_t tid) {
        if (first == Environment::kNone && tid != pid) first = read_environment(pid, tid, reader);
    });
    return first;
}

}  // namespace

bool carries(uint32_t pid, const Claim& claim) noexcept {
    if (uid_of(pid) != claim.uid) return false;
    Reader reader(claim, 0);
    read_environment(pid, reader);
    return reader.carries();
}

bool may_carry(uint32_t pid, const Claim& claim) noexcept {
    Reader reader(claim, pid);
    return read_environment(pid, reader) == Environment::kRefused || reader.carries();
}

}  // namespace drom
