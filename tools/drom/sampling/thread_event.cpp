// SPDX-License-Identifier: BSD-3-Clause
// thread_event.cpp - the kernel's samples of one thread, by perf_event_open.
#include "sampling/thread_event.hpp"

#include <linux/perf_event.h>
#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace drom::command {

namespace {

// The registers of the program, also where the kernel works for it. aarch64 has the caller of a leaf in a register.
#if defined(__x86_64__)
constexpr uint64_t kRegisters = 1ULL << PERF_REG_X86_IP;
#elif defined(__aarch64__)
constexpr uint64_t kRegisters = 1ULL << PERF_REG_ARM64_LR | 1ULL << PERF_REG_ARM64_PC;
#else
constexpr uint64_t kRegisters = 0;
#endif

constexpr size_t kRingPages = 8;  // 180 samples: 0.8 seconds have 160

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
size_t ring_bytes() { return kRingPages * page_size(); }

perf_event_attr description(std::chrono::nanoseconds period, bool in_kernel) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = static_cast<uint64_t>(period.count());
    attributes.sample_type = PERF_SAMPLE_IP;
    if (kRegisters != 0) attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = kRegisters;
    attributes.sample_stack_user = kRegisters != 0 ? sizeof ThreadSample::stack : 0;
    attributes.exclude_kernel = in_kernel ? 0 : 1;
    attributes.exclude_hv = 1;
    return attributes;
}

/// Takes values from the front of a record.
class Record {
public:
    explicit Record(std::span<const std::byte> bytes) : left_(bytes) {}

    bool take(void* into, size_t size) {
        if (left_.size() < size) return false;
        std::memcpy(into, left_.data(), size);
        left_ = left_.subspan(size);
        return true;
    }
    bool skip(size_t size) {
        if (left_.size() < size) return false;
        left_ = left_.subspan(size);
        return true;
    }

private:
    std::span<const std::byte> left_;
};

bool read_registers(Record& record, ThreadSample& sample) {
    uint64_t interface = 0;
    if (!record.take(&interface, sizeof interface)) return false;
    if (interface == PERF_SAMPLE_REGS_ABI_NONE) return true;
    uint64_t values[std::max(1, std::popcount(kRegisters))] = {};
    if (!record.take(values, sizeof values)) return false;
    sample.address = values[std::size(values) - 1];
    if (std::size(values) > 1) sample.stack[sample.words++] = values[0];
    return true;
}

bool read_stack(Record& record, ThreadSample& sample) {
    uint64_t size = 0;
    std::array<uint64_t, ThreadSample::kStackWords> words{};
    if (!record.take(&size, sizeof size)) return false;
    if (size == 0) return true;
    if (size != sizeof words || !record.take(words.data(), size)) return false;
    uint64_t read = 0;
    if (!record.take(&read, sizeof read)) return false;
    const size_t count = std::min<size_t>(read / sizeof(uint64_t), words.size() - sample.words);
    std::copy_n(words.begin(), count, sample.stack.begin() + static_cast<std::ptrdiff_t>(sample.words));
    sample.words += count;
    return true;
}

/// Copies bytes of the ring, whose end is followed by its beginning.
void copy(const std::byte* data, uint64_t at, std::span<std::byte> into) {
    const size_t begin = at % ring_bytes();
    const size_t first = std::min(into.size(), ring_bytes() - begin);
    std::memcpy(into.data(), data + begin, first);
    std::memcpy(into.data() + first, data, into.size() - first);
}

}  // namespace

bool read_sample(std::span<const std::byte> record, ThreadSample& sample) {
    Record left(record);
    sample = {};
    if (!left.take(&sample.address, sizeof sample.address)) return false;
    return kRegisters == 0 || (read_registers(left, sample) && read_stack(left, sample));
}

tl::expected<ThreadEvent, int> ThreadEvent::open(pid_t tid, std::chrono::nanoseconds period, bool in_kernel) {
    perf_event_attr attributes = description(period, in_kernel);
    const auto descriptor =
        static_cast<int>(syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (descriptor < 0) return tl::make_unexpected(errno);
    void* ring = mmap(nullptr, page_size() + ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (ring == MAP_FAILED) {
        const int why = errno;
        close(descriptor);
        return tl::make_unexpected(why);
    }
    return ThreadEvent(descriptor, static_cast<std::byte*>(ring));
}

ThreadEvent::ThreadEvent(ThreadEvent&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), ring_(std::exchange(other.ring_, nullptr)) {}

ThreadEvent& ThreadEvent::operator=(ThreadEvent&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(ring_, other.ring_);
    return *this;
}

ThreadEvent::~ThreadEvent() {
    if (ring_ != nullptr) munmap(ring_, page_size() + ring_bytes());
    if (descriptor_ >= 0) close(descriptor_);
}

void ThreadEvent::drain(const Seen& seen) {
    auto* page = reinterpret_cast<perf_event_mmap_page*>(ring_);
    const std::byte* data = ring_ + page_size();
    const uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
    uint64_t tail = page->data_tail;
    std::vector<std::byte> record;
    ThreadSample sample;
    while (tail < head) {
        perf_event_header header{};
        copy(data, tail, std::as_writable_bytes(std::span(&header, 1)));
        if (header.size < sizeof header) break;
        record.resize(header.size - sizeof header);
        copy(data, tail + sizeof header, record);
        if (header.type == PERF_RECORD_SAMPLE && read_sample(record, sample)) seen(sample);
        tail += header.size;
    }
    std::atomic_ref(page->data_tail).store(head, std::memory_order_release);
}

std::chrono::nanoseconds ThreadEvent::on_cpu() const {
    uint64_t count = 0;
    if (read(descriptor_, &count, sizeof count) != sizeof count) count = 0;
    return std::chrono::nanoseconds(count);
}

}  // namespace drom::command
