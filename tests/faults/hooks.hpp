// SPDX-License-Identifier: BSD-3-Clause
// hooks.hpp - the functions that libdrom.so calls instead of those of calls.def that may fail.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace drom::faults {

enum class Call : unsigned {
#define FAILS(name, ...) name##_call,
#define SYSTEM(name, ...) system_##name,
#define NEVER(name)
#include "calls.def"
#undef FAILS
#undef SYSTEM
#undef NEVER
    count
};
inline constexpr unsigned kCalls = static_cast<unsigned>(Call::count);

/// Counts the call. True when it has to fail now: then errno is set, unless the call is to be short.
bool fails(Call call) noexcept;
bool is_short() noexcept;
int code() noexcept;
void has_memory(int more) noexcept;
void has_mappings(int more) noexcept;

int hook_access(const char* path, int mode);
int hook_asprintf(char** text, const char* format, ...);
void* hook_calloc(std::size_t count, std::size_t size);
int hook_chmod(const char* path, mode_t mode);
int hook_close(int fd);
void* hook_dlopen(const char* path, int flags);
int hook_faccessat(int fd, const char* path, int mode, int flags);
int hook_fchmod(int fd, mode_t mode);
int hook_fstat(int fd, struct stat* info);
int hook_fstatat(int folder, const char* path, struct stat* info, int flags);
void hook_free(void* memory);
char* hook_getcwd(char* path, size_t size);
pid_t hook_getsid(pid_t pid);
int hook_kill(pid_t pid, int signal);
int hook_linkat(int from, const char* old_path, int to, const char* new_path, int flags);
off_t hook_lseek(int fd, off_t offset, int whence);
int hook_madvise(void* address, std::size_t length, int advice);
void* hook_malloc(std::size_t size);
int hook_mkdir(const char* path, mode_t mode);
void* hook_mmap(void* address, std::size_t length, int protection, int flags, int fd, off_t offset);
int hook_munmap(void* address, std::size_t length);
int hook_open(const char* path, int flags, ...);
int hook_openat(int directory, const char* path, int flags, ...);
int hook_clock_getcpuclockid(pid_t pid, clockid_t* clock);
int hook_posix_fallocate(int fd, off_t offset, off_t length);
int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
ssize_t hook_process_vm_readv(pid_t pid, const iovec* to, unsigned long to_count, const iovec* from,
                              unsigned long from_count, unsigned long flags);
ssize_t hook_pread(int fd, void* buffer, std::size_t size, off_t offset);
int hook_pthread_attr_init(pthread_attr_t* attributes);
int hook_pthread_attr_setstacksize(pthread_attr_t* attributes, std::size_t size);
int hook_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument);
int hook_pthread_key_create(pthread_key_t* key, void (*destroy)(void*));
int hook_pthread_setspecific(pthread_key_t key, const void* value);
ssize_t hook_read(int fd, void* buffer, std::size_t size);
void* hook_realloc(void* memory, std::size_t size);
ssize_t hook_readlinkat(int directory, const char* path, char* target, size_t size);
int hook_rmdir(const char* path);
int hook_sched_getcpu();
int hook_setenv(const char* name, const char* value, int overwrite);
void* hook_shmat(int id, const void* address, int flags);
int hook_shmctl(int id, int command, shmid_ds* info);
int hook_shmget(key_t key, std::size_t size, int flags);
int hook_stat(const char* path, struct stat* info);
char* hook_strdup(const char* text);
long hook_sysconf(int name);
int hook_unlinkat(int directory, const char* path, int flags);
int hook___register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library);
long hook_syscall(long number, long a, long b, long c, long d, long e, long f);

}  // namespace drom::faults
