// SPDX-License-Identifier: BSD-3-Clause
// hooks.cpp - each hook fails if this is the call that has to fail, and else calls the function.
#include "hooks.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>

extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*);

namespace drom::faults {

int hook_access(const char* path, int mode) { return fails(Call::access_call) ? -1 : access(path, mode); }

int hook_asprintf(char** text, const char* format, ...) {
    if (fails(Call::asprintf_call)) return -1;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(text, format, arguments);
    va_end(arguments);
    if (length >= 0) has_memory(1);
    return length;
}

void* hook_calloc(std::size_t count, std::size_t size) {
    void* memory = fails(Call::calloc_call) ? nullptr : std::calloc(count, size);
    if (memory != nullptr) has_memory(1);
    return memory;
}

int hook_chmod(const char* path, mode_t mode) { return fails(Call::chmod_call) ? -1 : chmod(path, mode); }

/// Closes the descriptor also if it fails, as Linux does.
int hook_close(int fd) {
    const int result = close(fd);
    return fails(Call::close_call) ? -1 : result;
}

void* hook_dlopen(const char* path, int flags) { return fails(Call::dlopen_call) ? nullptr : dlopen(path, flags); }

int hook_faccessat(int fd, const char* path, int mode, int flags) {
    return fails(Call::faccessat_call) ? -1 : faccessat(fd, path, mode, flags);
}

int hook_fchmod(int fd, mode_t mode) { return fails(Call::fchmod_call) ? -1 : fchmod(fd, mode); }

int hook_fstatat(int folder, const char* path, struct stat* info, int flags) {
    return fails(Call::fstatat_call) ? -1 : fstatat(folder, path, info, flags);
}
int hook_fstat(int fd, struct stat* info) { return fails(Call::fstat_call) ? -1 : fstat(fd, info); }

void hook_free(void* memory) {
    if (memory != nullptr) has_memory(-1);
    std::free(memory);
}

char* hook_getcwd(char* path, size_t size) { return fails(Call::getcwd_call) ? nullptr : getcwd(path, size); }
pid_t hook_getsid(pid_t pid) { return fails(Call::getsid_call) ? -1 : getsid(pid); }

int hook_kill(pid_t pid, int signal) { return fails(Call::kill_call) ? -1 : kill(pid, signal); }

int hook_linkat(int from, const char* old_path, int to, const char* new_path, int flags) {
    return fails(Call::linkat_call) ? -1 : linkat(from, old_path, to, new_path, flags);
}

off_t hook_lseek(int fd, off_t offset, int whence) { return fails(Call::lseek_call) ? -1 : lseek(fd, offset, whence); }

int hook_madvise(void* address, std::size_t length, int advice) {
    return fails(Call::madvise_call) ? -1 : madvise(address, length, advice);
}

void* hook_malloc(std::size_t size) {
    void* memory = fails(Call::malloc_call) ? nullptr : std::malloc(size);
    if (memory != nullptr) has_memory(1);
    return memory;
}

int hook_mkdir(const char* path, mode_t mode) { return fails(Call::mkdir_call) ? -1 : mkdir(path, mode); }

namespace {
std::mutex shared_mutex;
std::set<void*> shared_mappings;  ///< mappings of files; the library keeps private ones until the process ends
}  // namespace

void* hook_mmap(void* address, std::size_t length, int protection, int flags, int fd, off_t offset) {
    if (fails(Call::mmap_call)) return MAP_FAILED;
    void* base = mmap(address, length, protection, flags, fd, offset);
    const std::lock_guard<std::mutex> guard(shared_mutex);
    if (base != MAP_FAILED && (flags & MAP_SHARED) != 0 && shared_mappings.insert(base).second) has_mappings(1);
    return base;
}

void* hook_shmat(int id, const void* address, int flags) {
    void* base = fails(Call::shmat_call) ? reinterpret_cast<void*>(-1) : shmat(id, address, flags);
    const std::lock_guard<std::mutex> guard(shared_mutex);
    if (base != reinterpret_cast<void*>(-1) && shared_mappings.insert(base).second) has_mappings(1);
    return base;
}

int hook_shmctl(int id, int command, shmid_ds* info) {
    return fails(Call::shmctl_call) ? -1 : shmctl(id, command, info);
}

int hook_shmget(key_t key, std::size_t size, int flags) {
    return fails(Call::shmget_call) ? -1 : shmget(key, size, flags);
}

int hook_munmap(void* address, std::size_t length) {
    const std::lock_guard<std::mutex> guard(shared_mutex);
    if (shared_mappings.erase(address) != 0)
        has_mappings(-1);  // also if munmap() fails, because that is not the library's fault
    return fails(Call::munmap_call) ? -1 : munmap(address, length);
}

int hook_open(const char* path, int flags, ...) { return fails(Call::open_call) ? -1 : open(path, flags); }

int hook_openat(int directory, const char* path, int flags, ...) {
    if (fails(Call::openat_call)) return -1;
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return openat(directory, path, flags, mode);
}

int hook_clock_getcpuclockid(pid_t pid, clockid_t* clock) {
    return fails(Call::clock_getcpuclockid_call) ? code() : clock_getcpuclockid(pid, clock);
}

int hook_posix_fallocate(int fd, off_t offset, off_t length) {
    return fails(Call::posix_fallocate_call) ? code() : posix_fallocate(fd, offset, length);
}

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
    return fails(Call::prctl_call) ? -1 : prctl(option, a, b, c, d);
}

ssize_t hook_process_vm_readv(pid_t pid, const iovec* to, unsigned long to_count, const iovec* from,
                              unsigned long from_count, unsigned long flags) {
    return fails(Call::process_vm_readv_call) ? -1 : process_vm_readv(pid, to, to_count, from, from_count, flags);
}

ssize_t hook_pread(int fd, void* buffer, std::size_t size, off_t offset) {
    if (!fails(Call::pread_call)) return pread(fd, buffer, size, offset);
    return is_short() ? pread(fd, buffer, size / 2, offset) : -1;
}

int hook_pthread_attr_init(pthread_attr_t* attributes) {
    return fails(Call::pthread_attr_init_call) ? code() : pthread_attr_init(attributes);
}

int hook_pthread_attr_setstacksize(pthread_attr_t* attributes, std::size_t size) {
    return fails(Call::pthread_attr_setstacksize_call) ? code() : pthread_attr_setstacksize(attributes, size);
}

int hook_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
    return fails(Call::pthread_create_call) ? code() : pthread_create(thread, attributes, run, argument);
}

int hook_pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
    return fails(Call::pthread_key_create_call) ? code() : pthread_key_create(key, destroy);
}

int hook_pthread_setspecific(pthread_key_t key, const void* value) {
    return fails(Call::pthread_setspecific_call) ? code() : pthread_setspecific(key, value);
}

/// Reads half of the file when it has to be short, and not half of the buffer, which is larger than the files.
ssize_t hook_read(int fd, void* buffer, std::size_t size) {
    if (!fails(Call::read_call)) return read(fd, buffer, size);
    if (!is_short()) return -1;
    const ssize_t length = read(fd, buffer, size);
    return length > 1 ? length / 2 : length;
}

void* hook_realloc(void* memory, std::size_t size) {
    void* larger = fails(Call::realloc_call) ? nullptr : std::realloc(memory, size);
    if (larger != nullptr && memory == nullptr) has_memory(1);
    return larger;
}

ssize_t hook_readlinkat(int directory, const char* path, char* target, size_t size) {
    return fails(Call::readlinkat_call) ? -1 : readlinkat(directory, path, target, size);
}
int hook_rmdir(const char* path) { return fails(Call::rmdir_call) ? -1 : rmdir(path); }
int hook_sched_getcpu() { return fails(Call::sched_getcpu_call) ? -1 : sched_getcpu(); }
int hook_setenv(const char* name, const char* value, int overwrite) {
    return fails(Call::setenv_call) ? -1 : setenv(name, value, overwrite);
}

int hook_stat(const char* path, struct stat* info) { return fails(Call::stat_call) ? -1 : stat(path, info); }

char* hook_strdup(const char* text) {
    char* copy = fails(Call::strdup_call) ? nullptr : strdup(text);
    if (copy != nullptr) has_memory(1);
    return copy;
}

long hook_sysconf(int name) { return fails(Call::sysconf_call) ? -1 : sysconf(name); }

int hook_unlinkat(int directory, const char* path, int flags) {
    return fails(Call::unlinkat_call) ? -1 : unlinkat(directory, path, flags);
}

int hook___register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library) {
    return fails(Call::__register_atfork_call) ? code() : __register_atfork(prepare, parent, child, library);
}

namespace {

bool system_call_fails(long number) {
    switch (number) {
#define FAILS(name, ...)
#define SYSTEM(name, ...) \
    case SYS_##name: return fails(Call::system_##name);
#define NEVER(name)
#include "calls.def"
#undef FAILS
#undef SYSTEM
#undef NEVER
        default: return false;
    }
}

/// Returns syscall() of libc: libdrom.so has one of its own for the program.
long (*libc_syscall())(long, ...) {
    static auto* const real =
        reinterpret_cast<long (*)(long, ...)>(dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "syscall"));
    return real;
}

}  // namespace

long hook_syscall(long number, long a, long b, long c, long d, long e, long f) {
    return system_call_fails(number) ? -1 : libc_syscall()(number, a, b, c, d, e, f);
}

}  // namespace drom::faults
