// SPDX-License-Identifier: BSD-3-Clause
// claims.cpp - which processes carry a reservation in their environment.
#include "claims.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>

#include "identity.hpp"
#include "tasks.hpp"

namespace drom {

namespace {

/// The path of a table may be spelled in several ways.
bool is_same_table(const char* a, const char* b) noexcept {
    struct stat one;
    struct stat other;
    return strcmp(a, b) == 0 ||
           (stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/// Takes an environment as it is read, and notes the two variables.
class Reader {
public:
    explicit Reader(const Claim& claim) noexcept : claim_(claim) {}

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
        if (strncmp(entry_, "DROM_TABLE=", 11) == 0) table_ = is_same_table(entry_ + 11, claim_.table);
    }

    const Claim& claim_;
    char entry_[288];  ///< a table's path is shorter; of other variables the end is cut
    size_t length_ = 0;
    bool slot_ = false;
    bool table_ = false;
};

/// False when nothing can be read: a thread that has ended has no environment, another user's cannot be opened.
bool read_environment(uint32_t pid, uint32_t tid, Reader& reader) noexcept {
    char text[4096];
    snprintf(text, sizeof text, "/proc/%u/task/%u/environ", pid, tid);
    const int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool any = false;
    for (ssize_t length = read(file, text, sizeof text); length > 0; length = read(file, text, sizeof text)) {
        reader.take(text, static_cast<size_t>(length));
        any = true;
    }
    close(file);
    return any;
}

}  // namespace

bool carries(uint32_t pid, const Claim& claim) noexcept {
    if (uid_of(pid) != claim.uid) return false;
    Reader reader(claim);
    if (read_environment(pid, pid, reader)) return reader.carries();
    // A process whose first thread has ended lives in the others.
    Tasks tasks(pid);
    bool read = false;
    if (!tasks.ok()) return false;
    tasks.each([&](uint32_t tid) { read = read || read_environment(pid, tid, reader); });
    return reader.carries();
}

}  // namespace drom
