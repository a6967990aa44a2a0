// SPDX-License-Identifier: BSD-3-Clause
// client_api.cpp - the calls of clients in the C interface: drom_init ... drom_limits.
#include <atomic>
#include <cstddef>

#include "admin/options.hpp"
#include "admin/regions.hpp"
#include "base/env.hpp"
#include "base/error.hpp"
#include "client/client.hpp"
#include "client/regions.hpp"
#include "openmp/apply.hpp"

using drom::CpuSet;
using drom::fail;
using drom::Request;
namespace client = drom::client;

namespace {

struct Callback {
    std::atomic<drom_mask_fn> fn;
    std::atomic<void*> arg;
};
constinit Callback callback{};

void call_back(const Request& wanted) {
    if (drom_mask_fn fn = callback.fn.load()) fn(wanted.mask.words, CpuSet::kWords, callback.arg.load());
}

[[gnu::noinline]] int not_joined(const char* verb, drom_error* error) noexcept {
    return fail(error, DROM_E_NOINIT, "drom: %s: this process is not a client; call drom_init first", verb);
}

int no_thread(const char* verb, drom_error* error) noexcept {
    return fail(error, DROM_E_OS, "drom: %s: the agent's thread cannot be created; leave DROM_ASYNC out, and poll",
                verb);
}

/// The newest request that a call returned, until the caller calls again.
constinit std::atomic<uint64_t> reported{0};

void acknowledge_reported() noexcept {
    const uint64_t seq = reported.exchange(0);
    if (seq != 0) client::acknowledge_resize(seq, 0, DROM_RESIZE_CALLER, "the program adapts by itself");
}

/// Acknowledges the last returned request: a caller that calls again has adapted to it. Returns DROM_OK and the mask
/// when there is a new request.
int poll_request(Request& wanted) noexcept {
    acknowledge_reported();
    if (!client::pending() || !client::newest(wanted)) return DROM_UNCHANGED;
    if (client::released().seq < wanted.seq && !client::release(wanted)) return DROM_UNCHANGED;
    return DROM_OK;
}

/// Implements drom_poll when there may be something to do; separate, so that the idle path needs no stack frame.
[[gnu::noinline]] int poll_busy(uint64_t* words, size_t nwords, drom_error* error) noexcept {
    client::page().polls.fetch_add(1, std::memory_order_relaxed);
    Request wanted{};
    if (const int status = poll_request(wanted); status != DROM_OK) return status;
    if (words != nullptr && !drom::to_words(wanted.mask, words, nwords))
        return fail(error, DROM_E_INVAL, "drom: poll: the mask has CPU %u, which does not fit in %s",
                    wanted.mask.last(), drom::CountText(nwords, "word").text);
    client::hot.seen.store(wanted.seq);
    reported.store(wanted.seq);
    call_back(wanted);
    return DROM_OK;
}

}  // namespace

extern "C" {

/// Hands over to the program, which says itself where it adapts from now on. The agent joined when the program started.
static int take_over(const drom::Options& read, drom_error* error) noexcept {
    client::add_entry_points(DROM_ENTRY_EXPLICIT);
    client::hot.seen.store(0);  // the first poll returns its present mask
    if (read.min_cpus != 0 || read.max_cpus != 0)
        if (const int status = client::limits(read.min_cpus, read.max_cpus, error); status != DROM_OK) return status;
    return drom::succeed(error);
}

int drom_init(const uint64_t* words, size_t nwords, const drom_options* options, drom_error* error) {
    drom::Options read;
    if (const int status = drom::read_options(options, DROM_ASYNC | DROM_RIGID, "init", read, error); status != DROM_OK)
        return status;
    CpuSet mask{};
    if (words != nullptr && !drom::from_words(words, nwords, mask))
        return fail(error, DROM_E_NOCPU, "drom: init: the mask names a CPU beyond %u", drom::kMaxCpus - 1);
    if (words != nullptr && mask.none()) return fail(error, DROM_E_INVAL, "drom: init: the mask is empty");
    if (const int status = client::check_limits("init", read.min_cpus, read.max_cpus, error); status != DROM_OK)
        return status;
    const client::JoinOptions join{words != nullptr ? &mask : nullptr,
                                   DROM_ENTRY_EXPLICIT,
                                   false,
                                   read.name,
                                   read.job,
                                   read.min_cpus,
                                   read.max_cpus,
                                   read.has(DROM_RIGID)};
    const bool by_agent = client::joined() && (client::page().entry_points.load() & DROM_ENTRY_EXPLICIT) == 0;
    const int status = by_agent && words == nullptr ? take_over(read, error) : client::join(join, error);
    if (status != DROM_OK || !read.has(DROM_ASYNC) || client::start_agent()) return status;
    client::leave(nullptr);
    return no_thread("init", error);
}

int drom_finalize(drom_error* error) {
    reported.store(0);  // a request of this membership does not belong to the next one
    return client::leave(error);
}

int drom_poll(uint64_t* words, size_t nwords, drom_error* error) {
    if (client::pending() || reported.load(std::memory_order_relaxed) != 0) return poll_busy(words, nwords, error);
    return client::reads_requests() ? int{DROM_UNCHANGED} : not_joined("poll", error);
}

int drom_poll_apply(drom_error* error) {
    if (!client::joined()) return not_joined("poll", error);
    if ((client::page().entry_points.load(std::memory_order_relaxed) & DROM_ENTRY_EXPLICIT) == 0)
        client::add_entry_points(DROM_ENTRY_EXPLICIT);
    acknowledge_reported();
    if (!client::pending()) return DROM_UNCHANGED;
    Request wanted{};
    if (!client::newest(wanted)) return DROM_UNCHANGED;
    if (!drom::apply_now()) return DROM_UNCHANGED;
    call_back(wanted);
    return DROM_OK;
}

int drom_on_change(drom_mask_fn fn, void* arg, const drom_options* options, drom_error* error) {
    drom::Options read;
    if (const int status = drom::read_options(options, DROM_ASYNC, "on-change", read, error); status != DROM_OK)
        return status;
    const bool async = fn != nullptr && read.has(DROM_ASYNC);
    if (async && !client::start_agent()) return no_thread("on-change", error);
    if (fn != nullptr) client::let_team_follow();
    callback.fn.store(nullptr);
    callback.arg.store(arg);
    callback.fn.store(fn);
    client::on_release(async ? call_back : nullptr);
    return drom::succeed(error);
}

int drom_disable(void) {
    if (!client::joined()) return DROM_E_NOINIT;
    client::disable();
    return DROM_OK;
}

int drom_enable(void) {
    if (!client::joined()) return DROM_E_NOINIT;
    client::enable();
    return DROM_OK;
}

int drom_limits(uint32_t min_cpus, uint32_t max_cpus, drom_error* error) {
    return client::limits(min_cpus, max_cpus, error);
}

int drom_region_begin(const char* name) { return client::regions::begin(name); }

int drom_region_end(const char* name) { return client::regions::end(name); }

int drom_region_get(const char* name, drom_region_info* out, drom_error* error) {
    if (out == nullptr) return fail(error, DROM_E_INVAL, "drom: region: out is NULL; give the address of one");
    if (const int status = drom::check_region_size(out->size, "region", error); status != DROM_OK) return status;
    drom::RegionFigures figures{};
    switch (const int status = client::regions::figures_of(name, figures)) {
        case DROM_OK: break;
        case DROM_E_NOPROC:
            return fail(error, status, "drom: region: no region of this process is called '%s'; begin it first", name);
        case DROM_E_BUSY:
            return fail(error, status, "drom: region '%s': other threads change it all the time; try again", name);
        default:
            return fail(error, status, "drom: region: the name is NULL, empty, or longer than %d bytes; shorten it",
                        DROM_REGION_NAME - 1);
    }
    drom::describe_region(figures, DROM_REGION_FINE, out->size, out);
    return drom::succeed(error);
}

}  // extern "C"
