// SPDX-License-Identifier: BSD-3-Clause
// trace.hpp - the owner of each CPU over time, and what programs did there, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drom::trace {

/// A program, from when it joined until it left.
struct Client {
    std::string name;
    std::string job;  ///< empty: none
    int64_t pid = 0;
    std::optional<unsigned> rank;
    uint64_t begin_ns = 0, end_ns = 0;
};

struct Span {
    uint64_t begin_ns = 0, end_ns = 0;
};

/// A CPU was a client's.
struct Tenure {
    size_t client = 0;  ///< index into Trace::clients, as in all that follows
    unsigned cpu = 0;
    uint64_t begin_ns = 0, end_ns = 0;
    /// The times in which the client was notified to leave the CPU. The last one was followed if it ends with the
    /// tenure, and each other one was withdrawn.
    std::vector<Span> offers = {};
};

/// A new mask for a client.
struct Request {
    size_t client = 0;
    uint64_t seq = 0;
    unsigned cpus = 0;
    uint64_t posted_ns = 0;
    std::optional<uint64_t> released_ns;
    std::optional<uint64_t> replaced_ns;  ///< a newer one was posted, or released, before it was released
    bool confined = false;                ///< released from outside
    std::optional<uint64_t> resized_ns;   ///< the team has followed, or is known to keep its size
    unsigned threads = 0;                 ///< of the team then
};

/// The use of a client's CPUs for a while. Each is a number of CPUs, the mean.
struct Sample {
    size_t client = 0;
    uint64_t begin_ns = 0, end_ns = 0;
    double useful = 0;  ///< in the program's own code
    double mpi = 0;     ///< inside the MPI library
};

/// Times are in nanoseconds of one clock; `begin_ns` is the first of them.
struct Trace {
    std::string node;
    std::string place = "CPU";  ///< what a tenure is of, in names: a simulated schedule has nodes
    unsigned lanes = 1;         ///< numbers of CPUs per place: a node that jobs share has as many as jobs at once
    uint64_t begin_ns = 0, end_ns = 0;
    double began_unix_s = 0;  ///< the time of day of `begin_ns`, in seconds since 1970
    std::vector<Client> clients;
    std::vector<Tenure> tenures;  ///< by their begins
    std::vector<Request> requests;
    std::vector<Sample> samples;
    uint64_t lost = 0;  ///< events that came faster than they were read
};

/// Returns the last sample of each client that has any.
std::vector<Sample> last_samples(const Trace& trace);

/// Returns "CPU 3"; of a place with several lanes "node 3", "node 3 (2)".
std::string place_of(const Trace& trace, unsigned cpu);

/// Returns "NAME", "NAME (PID)" or "NAME.RANK (PID)"; a name that ends with its rank has it once.
std::string title_of(const Client& client);

}  // namespace drom::trace
