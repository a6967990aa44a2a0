// SPDX-License-Identifier: BSD-3-Clause
// cpu_quota.cpp - finds and reads the quotas of cgroups.
#include "cpu_quota.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "file_text.hpp"
#include "mounts.hpp"

namespace drom::container {

namespace {

/// Reads the number at the begin of a text, and moves to the end of it. Returns false where there is none.
bool read_number(const char*& text, int64_t& number) noexcept {
    const bool negative = *text == '-';
    const char first = text[negative ? 1 : 0];
    if (first < '0' || first > '9') return false;
    char* end = nullptr;
    number = strtol(text, &end, 10);
    text = end;
    return true;
}

/// Returns whether nothing follows but the end of the line.
bool is_end(const char* text) noexcept { return *text == '\0' || strcmp(text, "\n") == 0; }

uint32_t rounded_up(int64_t quota, int64_t period) noexcept {
    if (quota <= 0 || period <= 0) return kNoQuota;
    const int64_t cpus = quota / period + (quota % period != 0 ? 1 : 0);
    return static_cast<uint32_t>(std::min<int64_t>(cpus, kNoQuota));
}

/// Reads a descriptor from its begin. Returns false when it cannot be read: the group has gone.
bool read_again(int descriptor, char* text, size_t size) noexcept {
    const ssize_t length = pread(descriptor, text, size - 1, 0);
    text[std::max<ssize_t>(length, 0)] = '\0';
    return length > 0;
}

constexpr size_t kLongestQuota = 64;

/// Returns false where a file cannot be read.
bool read_cpus(int quota_file, int period_file, uint32_t& cpus) noexcept {
    char quota[kLongestQuota];
    char period[kLongestQuota];
    if (!read_again(quota_file, quota, sizeof quota)) return false;
    const bool v1 = period_file >= 0;
    if (v1 && !read_again(period_file, period, sizeof period)) return false;
    cpus = v1 ? cpus_of_quota(quota, period) : cpus_of_max(quota);
    return true;
}

bool is_missing(int code) noexcept { return code == ENOENT || code == ENOTDIR || code == EACCES || code == ENODEV; }

}  // namespace

uint32_t cpus_of_max(const char* text) noexcept {
    int64_t quota = 0;
    int64_t period = 0;
    if (!read_number(text, quota) || *text != ' ') return kNoQuota;
    ++text;
    if (!read_number(text, period) || !is_end(text)) return kNoQuota;
    return rounded_up(quota, period);
}

uint32_t cpus_of_quota(const char* quota, const char* period) noexcept {
    int64_t time = 0;
    int64_t of = 0;
    if (!read_number(quota, time) || !is_end(quota) || !read_number(period, of) || !is_end(period)) return kNoQuota;
    return rounded_up(time, of);
}

/// Opens the files of one hierarchy, from the process's own group up to the folder where the hierarchy is mounted.
class CpuQuota::Finder {
public:
    Finder(CpuQuota& quota, Place& place) noexcept : quota_(quota), place_(place) {}

    /// Returns false where a file is there and cannot be opened.
    bool open_all() noexcept {
        size_t length = strlen(place_.path);
        for (;;) {
            if (!open_group(length)) return false;
            if (length <= place_.top) return true;
            length = above(length);
        }
    }

private:
    /// Returns the length of the path of the group above.
    [[nodiscard]] size_t above(size_t length) const noexcept {
        do --length;
        while (length > place_.top && place_.path[length] != '/');
        return length;
    }

    /// Opens a file of the group; -1: there is none. Sets `failed_` where it is there. Its name replaces the rest of
    /// the path: groups below this one have been opened.
    int open_file(size_t length, const char* name, int flags = kReading) noexcept {
        snprintf(place_.path + length, kLongestFile, "/%s", name);
        const int file = open(place_.path, flags);
        failed_ = failed_ || (file < 0 && !is_missing(errno));
        return file;
    }

    bool open_group(size_t length) noexcept {
        if (quota_.count_ == kMaxGroups) return true;
        const int quota = open_file(length, place_.v2 ? "cpu.max" : "cpu.cfs_quota_us");
        const int period = quota < 0 || place_.v2 ? -1 : open_file(length, "cpu.cfs_period_us");
        if (quota >= 0 && (place_.v2 || period >= 0))
            quota_.groups_[quota_.count_++] = {quota, period};
        else if (quota >= 0)
            close(quota);
        else if (place_.v2)
            hold_folder(length);
        return !failed_;
    }

    void hold_folder(size_t length) noexcept {
        const int folder = open_file(length, ".", O_PATH | O_CLOEXEC);
        if (folder >= 0) quota_.groups_[quota_.count_++] = {-1, -1, folder};
    }

    CpuQuota& quota_;
    Place& place_;
    bool failed_ = false;
};

CpuQuota::CpuQuota(const char* root) noexcept {
    snprintf(root_, sizeof root_, "%s", root);
    find();
}

CpuQuota::~CpuQuota() { close_groups(); }

void CpuQuota::close_groups() noexcept {
    for (uint32_t i = 0; i < count_; ++i)
        for (const int file : {groups_[i].quota, groups_[i].period, groups_[i].folder})
            if (file >= 0) close(file);
    count_ = 0;
    if (membership_ >= 0) close(membership_);
    membership_ = -1;
}

void CpuQuota::find() noexcept {
    void* room = mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    known_ = room != MAP_FAILED;
    if (!known_) return;
    auto* place = new (room) Place{};
    place->root = strlen(root_);
    memcpy(place->path, root_, place->root);
    find(*place);
    munmap(room, sizeof(Place));
}

void CpuQuota::find(Place& place) noexcept {
    char path[sizeof root_ + 32];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root_);
    membership_ = open(path, kReading);
    known_ = membership_ >= 0 || is_missing(errno);
    if (membership_ < 0) return;
    const FileText groups(membership_);
    present_ = groups.hash();
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root_);
    const FileText mounts(path);
    known_ = groups.ok() && (mounts.ok() || is_missing(mounts.error()));
    std::string_view lines = groups.text();
    while (!lines.empty()) {
        const Membership member = membership_of(cut(lines, '\n'));
        if (limits_time(member) && locate(member, mounts.text(), place))
            known_ = Finder(*this, place).open_all() && known_;
    }
}

bool CpuQuota::has_moved() noexcept {
    if (membership_ < 0) return true;
    const FileText groups(membership_);
    return groups.ok() && groups.hash() != present_;
}

/// Opens the file of a group that had none. Only v2 enables its controllers per group.
void CpuQuota::open_late(Group& group) noexcept {
    if (group.folder < 0) return;
    group.quota = openat(group.folder, "cpu.max", kReading);
    if (group.quota < 0) {
        known_ = known_ && is_missing(errno);
        return;
    }
    close(group.folder);
    group.folder = -1;
}

bool CpuQuota::read(uint32_t& cpus) noexcept {
    if (!known_ || stale_ || has_moved()) {
        close_groups();
        find();
    }
    cpus = kNoQuota;
    stale_ = false;
    for (uint32_t i = 0; i < count_; ++i) {
        open_late(groups_[i]);
        uint32_t own = kNoQuota;
        const bool has_file = groups_[i].folder < 0;
        stale_ = stale_ || (has_file && !read_cpus(groups_[i].quota, groups_[i].period, own));
        cpus = std::min(cpus, own);
    }
    return known_;
}

}  // namespace drom::container
