// SPDX-License-Identifier: BSD-3-Clause
// elf_file.cpp - what the ELF headers of an executable say.
#include "program/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace drom::command {

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Dynamic = ElfW(Dyn);
using NoteHeader = ElfW(Nhdr);

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr unsigned kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr unsigned kMachine = EM_RISCV;
#else
#error "name this machine's ELF number here"
#endif

/// A file's bytes, for as long as this lives.
class MappedFile {
public:
    explicit MappedFile(const std::string& path) {
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return;
        struct stat info{};
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
            size_ = static_cast<size_t>(info.st_size);
            void* base = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
            if (base != MAP_FAILED) base_ = static_cast<const char*>(base);
        }
        close(fd);
    }
    ~MappedFile() {
        if (base_ != nullptr) munmap(const_cast<char*>(base_), size_);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::string bytes_at(uint64_t offset, uint64_t count) const {
        return offset > size_ || count > size_ - offset ? std::string() : std::string(bytes().substr(offset, count));
    }
    [[nodiscard]] std::string_view bytes() const {
        return base_ == nullptr ? std::string_view() : std::string_view(base_, size_);
    }

    template <class T>
    [[nodiscard]] std::optional<T> at(uint64_t offset) const {
        if (base_ == nullptr || offset > size_ || size_ - offset < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, base_ + offset, sizeof value);
        return value;
    }

    [[nodiscard]] std::string text_at(uint64_t offset) const {
        if (base_ == nullptr || offset >= size_) return {};
        return std::string(base_ + offset, strnlen(base_ + offset, size_ - offset));
    }

private:
    const char* base_ = nullptr;
    size_t size_ = 0;
};

class ElfReader {
public:
    explicit ElfReader(const std::string& path) : file_(path) {}

    ElfFile read() {
        const auto bytes = file_.bytes();
        result_.is_script = bytes.starts_with("#!");
        if (!bytes.starts_with(ELFMAG)) return result_;
        const auto header = file_.at<Header>(0);
        result_.kind = ElfKind::kForeign;
        if (!header || header->e_ident[EI_CLASS] != kClass || header->e_machine != kMachine) return result_;
        result_.kind = ElfKind::kStatic;
        read_segments(*header);
        if (!result_.interpreter.empty()) result_.kind = ElfKind::kDynamic;
        return result_;
    }

private:
    void read_segments(const Header& header) {
        for (unsigned i = 0; i < header.e_phnum; ++i)
            if (const auto segment = file_.at<Segment>(header.e_phoff + uint64_t{i} * header.e_phentsize))
                segments_.push_back(*segment);
        for (const Segment& segment : segments_) {
            if (segment.p_type == PT_INTERP) result_.interpreter = file_.text_at(segment.p_offset);
            if (segment.p_type == PT_DYNAMIC) read_dynamic(segment);
            if (segment.p_type == PT_NOTE) read_notes(segment);
        }
    }

    [[nodiscard]] std::optional<uint64_t> offset_of(uint64_t address) const {
        for (const Segment& segment : segments_)
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
                return segment.p_offset + (address - segment.p_vaddr);
        return std::nullopt;
    }

    void read_dynamic(const Segment& segment) {
        std::optional<uint64_t> strings;
        uint64_t size = 0;
        for (uint64_t at = 0; at + sizeof(Dynamic) <= segment.p_filesz; at += sizeof(Dynamic)) {
            const auto entry = file_.at<Dynamic>(segment.p_offset + at);
            if (!entry || entry->d_tag == DT_NULL) break;
            if (entry->d_tag == DT_STRTAB) strings = offset_of(entry->d_un.d_ptr);
            if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
        }
        if (strings) result_.names = file_.bytes_at(*strings, size);
    }

    void read_notes(const Segment& segment) {
        constexpr auto kPadded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
        uint64_t at = segment.p_offset;
        const uint64_t end = segment.p_offset + segment.p_filesz;
        while (at < end) {
            const auto note = file_.at<NoteHeader>(at);
            if (!note) return;
            const uint64_t name = at + sizeof(NoteHeader);
            const uint64_t content = name + kPadded(note->n_namesz);
            if (note->n_type == NT_GNU_BUILD_ID && file_.text_at(name) == "GNU") read_build_id(content, note->n_descsz);
            at = content + kPadded(note->n_descsz);
        }
    }

    void read_build_id(uint64_t at, uint64_t size) {
        constexpr uint64_t kLongest = 64;
        result_.build_id.clear();
        for (uint64_t i = 0; i < size && i < kLongest; ++i)
            if (const auto byte = file_.at<unsigned char>(at + i)) result_.build_id += fmt::format("{:02x}", *byte);
    }

    MappedFile file_;
    std::vector<Segment> segments_;
    ElfFile result_;
};

}  // namespace

ElfFile read_elf(const std::string& path) { return ElfReader(path).read(); }

std::string content_id(const std::string& path) {
    const MappedFile file(path);
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (char c : file.bytes()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return fmt::format("fnv1a:{:016x}:{}", hash, file.bytes().size());
}

}  // namespace drom::command
