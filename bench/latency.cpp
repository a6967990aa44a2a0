// SPDX-License-Identifier: BSD-3-Clause
// latency.cpp - an administrator that takes a CPU from a running client again and again, and looks at what happens
// then.
//
//   latency set PID SAMPLES GAP_US released|resized   how long each request takes until it is released or resized
//   latency free PID ROUNDS                           whether a thread of the client is seen on the CPU it released,
//   for a second
//
// The client has CPUs 0 and 1 and alternately loses either. Prints one JSON object. The table is DROM_TABLE's.
#include <dirent.h>
#include <drom/drom.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr uint64_t kBoth = 3;

uint64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void pause_us(long us) {
    const timespec time{us / 1'000'000, us % 1'000'000 * 1000};
    nanosleep(&time, nullptr);
}

[[noreturn]] void give_up(const char* what, const drom_error& error) {
    fprintf(stderr, "latency: %s: %s\n", what, error.text);
    exit(1);
}

class Client {
public:
    explicit Client(int32_t pid) : pid_(pid) {
        if (drom_open(&table_, nullptr, nullptr, &error_) != DROM_OK) give_up("open", error_);
    }

    /// Posts the request. Returns the nanoseconds until it was acknowledged; -1 when it was not.
    int64_t set(uint64_t mask, uint64_t wait) {
        drom_options options{};
        options.size = sizeof options;
        options.flags = wait;
        options.timeout_ms = 3000;
        const uint64_t begin = now_ns();
        const int status = drom_set_mask(table_, pid_, &mask, 1, &options, &error_);
        const uint64_t end = now_ns();
        if (status < 0) give_up("set", error_);
        return status == DROM_PENDING ? -1 : static_cast<int64_t>(end - begin);
    }

    /// Returns whether the client's newest request had to be enforced from here.
    bool was_confined() {
        std::vector<drom_client_info> clients(drom_table_clients(table_));
        for (auto& client : clients) client.size = sizeof client;
        size_t n = clients.size();
        if (drom_clients(table_, clients.data(), &n, &error_) != DROM_OK) give_up("clients", error_);
        for (size_t i = 0; i < n; ++i)
            if (clients[i].pid == pid_) return clients[i].confined_seq == clients[i].request_seq;
        return false;
    }

private:
    int32_t pid_;
    drom_table* table_ = nullptr;
    drom_error error_{};
};

void print(const char* name, const std::vector<int64_t>& values, const char* end) {
    printf("\"%s\": [", name);
    for (size_t i = 0; i < values.size(); ++i) printf("%s%lld", i == 0 ? "" : ", ", static_cast<long long>(values[i]));
    printf("]%s", end);
}

int measure_set(int32_t pid, int samples, long gap_us, bool resized) {
    Client client(pid);
    const uint64_t wait = resized ? DROM_WAIT_RESIZED : DROM_WAIT_RELEASED;
    std::vector<int64_t> shrink;
    std::vector<int64_t> grow;
    int confined = 0;
    srand(1);
    client.set(kBoth, wait);
    for (int i = 0; i < samples; ++i) {
        // The gaps differ, so that requests meet every moment of a region.
        pause_us(gap_us + rand() % gap_us);
        shrink.push_back(client.set(i % 2 == 0 ? 1 : 2, wait));
        confined += client.was_confined() ? 1 : 0;
        pause_us(gap_us + rand() % gap_us);
        grow.push_back(client.set(kBoth, wait));
    }
    printf("{\"confined\": %d, ", confined);
    print("shrink", shrink, ", ");
    print("grow", grow, "}\n");
    return 0;
}

// ---- who is where ---------------------------------------------------------------------------------------------------

bool read_text(const std::string& path, char* out, size_t size) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t length = read(fd, out, size - 1);
    close(fd);
    out[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/// Returns whether the thread is running or ready to run on `cpu`. Reads fields 3 and 39 of its stat; the name in field
/// 2 may hold anything.
bool runs_on(const std::string& task, long cpu) {
    char text[1024];
    if (!read_text(task + "/stat", text, sizeof text)) return false;
    const char* field = strrchr(text, ')');
    if (field == nullptr || field[1] == '\0' || field[2] != 'R') return false;
    field += 2;
    for (int number = 3; number < 39 && field != nullptr; ++number) {
        field = strchr(field, ' ');
        if (field != nullptr) ++field;
    }
    return field != nullptr && strtol(field, nullptr, 10) == cpu;
}

/// Returns the nanoseconds that the thread has run so far.
uint64_t run_time(const std::string& task) {
    char text[128];
    return read_text(task + "/schedstat", text, sizeof text) ? strtoull(text, nullptr, 10) : 0;
}

bool may_run_on(const char* tid, size_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(atoi(tid), sizeof set, &set) == 0 && CPU_ISSET(cpu, &set);
}

struct Seen {
    uint64_t last_ns = 0;  ///< when a thread ran on the CPU last, since its release; 0: never
    uint64_t looks = 0, allowed = 0, ran_ns = 0;
};

/// Looks once at every thread. Returns the sum of their run times in nanoseconds.
uint64_t look(const std::string& folder, size_t cpu, uint64_t since, Seen& seen) {
    uint64_t total = 0;
    DIR* tasks = opendir(folder.c_str());
    while (const dirent* entry = tasks != nullptr ? readdir(tasks) : nullptr) {
        if (entry->d_name[0] == '.') continue;
        const std::string task = folder + "/" + entry->d_name;
        if (runs_on(task, static_cast<long>(cpu))) seen.last_ns = now_ns() - since;
        if (may_run_on(entry->d_name, cpu)) ++seen.allowed;
        total += run_time(task);
    }
    if (tasks != nullptr) closedir(tasks);
    ++seen.looks;
    return total;
}

Seen watch_second(const std::string& folder, size_t cpu) {
    constexpr uint64_t kSecond = 1'000'000'000;
    const uint64_t since = now_ns();
    Seen seen;
    const uint64_t before = look(folder, cpu, since, seen);
    uint64_t after = before;
    while (now_ns() - since < kSecond) {
        // The CPU must be idle between looks, or no thread would be tempted to go there.
        pause_us(200);
        after = look(folder, cpu, since, seen);
    }
    seen.ran_ns = after - before;
    return seen;
}

int measure_free(int32_t pid, int rounds) {
    Client client(pid);
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    std::vector<int64_t> last;
    std::vector<int64_t> ran;
    uint64_t looks = 0;
    uint64_t allowed = 0;
    for (int i = 0; i < rounds; ++i) {
        client.set(kBoth, DROM_WAIT_RELEASED);
        pause_us(300'000);
        const size_t kept = static_cast<size_t>(i) % 2;
        client.set(uint64_t{1} << kept, DROM_WAIT_RELEASED);
        const Seen seen = watch_second(folder, 1 - kept);
        last.push_back(static_cast<int64_t>(seen.last_ns));
        ran.push_back(static_cast<int64_t>(seen.ran_ns));
        looks += seen.looks;
        allowed += seen.allowed;
    }
    printf("{\"looks\": %llu, \"allowed\": %llu, ", static_cast<unsigned long long>(looks),
           static_cast<unsigned long long>(allowed));
    print("last_ns", last, ", ");
    print("ran_ns", ran, "}\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 6 && strcmp(argv[1], "set") == 0)
        return measure_set(atoi(argv[2]), atoi(argv[3]), atol(argv[4]), strcmp(argv[5], "resized") == 0);
    if (argc == 4 && strcmp(argv[1], "free") == 0) return measure_free(atoi(argv[2]), atoi(argv[3]));
    fputs("usage: latency set PID SAMPLES GAP_US released|resized\n       latency free PID ROUNDS\n", stderr);
    return 2;
}
