// SPDX-License-Identifier: BSD-3-Clause
// file_text.cpp - reads a file into mapped memory.
#include "file_text.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace drom::container {

namespace {
constexpr size_t kFirst = size_t{16} * 1024;
constexpr size_t kMost = size_t{4} * 1024 * 1024;
}  // namespace

FileText::FileText(const char* path) noexcept {
    const int descriptor = open(path, kReading);
    if (descriptor < 0) {
        error_ = errno;
        return;
    }
    read_from(descriptor);
    close(descriptor);
}

FileText::FileText(int descriptor) noexcept { read_from(descriptor); }

FileText::~FileText() {
    if (at_ != nullptr) munmap(at_, capacity_);
}

bool FileText::grow() noexcept {
    const size_t wanted = capacity_ == 0 ? kFirst : 4 * capacity_;
    if (wanted > kMost) return false;
    void* room = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    if (at_ != nullptr) {
        memcpy(room, at_, length_);
        munmap(at_, capacity_);
    }
    at_ = static_cast<char*>(room);
    capacity_ = wanted;
    return true;
}

void FileText::read_from(int descriptor) noexcept {
    for (;;) {
        if (length_ == capacity_ && !grow()) {
            error_ = ENOMEM;
            return;
        }
        const ssize_t got = pread(descriptor, at_ + length_, capacity_ - length_, static_cast<off_t>(length_));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) error_ = errno;
        if (got <= 0) return;
        length_ += static_cast<size_t>(got);
    }
}

uint64_t FileText::hash() const noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text()) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

}  // namespace drom::container
