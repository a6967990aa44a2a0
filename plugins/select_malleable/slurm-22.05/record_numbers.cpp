// SPDX-License-Identifier: GPL-2.0-or-later
// record_numbers.cpp - begins records of jobs in Slurm 22.05. slurmdbd numbers them, and may answer seconds later.
#include "select_malleable/books/record_numbers.hpp"

extern "C" {
#include "src/slurmctld/locks.h"
}
#pragma weak acct_db_conn
#pragma weak lock_slurmctld
#pragma weak slurmctld_config
#pragma weak unlock_slurmctld

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace drom::slurm {

namespace {

/// A record that is to begin: a copy of slurmctld's of the job, as far as slurmdbd is told about it.
class Opening {
public:
    Opening(const job_record_t& job, char* tres) : job_(job), details_(*job.details) {
        job_.details = &details_;
        job_.array_recs = nullptr;
        job_.part_ptr = nullptr;
        job_.bit_flags = 0;  // its script was sent with the first record
        details_.env_sup = nullptr;
        if (job.part_ptr != nullptr) job_.partition = job.part_ptr->name;
        job_.tres_alloc_str = tres;
        job_.job_state = job.job_state | static_cast<uint32_t>(JOB_RESIZING);
        job_.db_index = NO_VAL64;
        each_text([](char*& text) { text = xstrdup(text); });
    }
    ~Opening() {
        each_text([](char*& text) { xfree(text); });
    }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;

    void say() { jobacct_storage_g_job_start(acct_db_conn, &job_); }
    uint32_t job() const { return job_.job_id; }

    /// Takes the number over that slurmdbd has told. Steps that run belong to the new record from now on.
    void take_over() const {
        job_record_t* now = find_job_record(job_.job_id);
        if (now == nullptr || now->resize_time != job_.resize_time || now->db_index != NO_VAL64) return;
        now->db_index = job_.db_index;
        say_steps(*now);
    }

private:
    template <class Body>
    void each_text(const Body& body) {
        for (char** text : {&job_.account, &job_.container, &job_.gres_used, &job_.mcs_label, &job_.name, &job_.nodes,
                            &job_.partition, &job_.tres_alloc_str, &job_.tres_req_str, &job_.wckey, &details_.env_hash,
                            &details_.features, &details_.features_use, &details_.script_hash, &details_.submit_line,
                            &details_.work_dir})
            body(*text);
    }

    job_record_t job_;
    job_details_t details_;
};

// Never destroyed: the thread is there as long as the process.
struct Openings {
    std::mutex mutex;
    std::condition_variable asked;
    std::vector<std::unique_ptr<Opening>> waiting;
    std::multiset<uint32_t> jobs;  ///< of records that wait, or are asked for now
    bool has_thread = false;
};

Openings& openings() {
    static auto* const one = new Openings;
    return *one;
}

void take_over(const std::vector<std::unique_ptr<Opening>>& said) {
    slurmctld_lock_t locks = {};
    locks.job = WRITE_LOCK;
    lock_slurmctld(locks);
    if (slurmctld_config.shutdown_time == 0)
        for (const auto& opening : said) opening->take_over();
    unlock_slurmctld(locks);
}

void serve() {
    for (;;) {
        std::vector<std::unique_ptr<Opening>> waiting;
        {
            std::unique_lock lock(openings().mutex);
            openings().asked.wait(lock, [] { return !openings().waiting.empty(); });
            waiting = std::exchange(openings().waiting, {});
        }
        if (slurmctld_config.shutdown_time != 0) continue;
        for (const auto& opening : waiting) opening->say();
        take_over(waiting);
        const std::lock_guard lock(openings().mutex);
        for (const auto& opening : waiting) openings().jobs.erase(openings().jobs.find(opening->job()));
    }
}

}  // namespace

bool number_is_on_its_way(const job_record_t& job) {
    const std::lock_guard lock(openings().mutex);
    return openings().jobs.count(job.job_id) != 0;
}

void open_record(job_record_t& job) {
    job.db_index = NO_VAL64;
    const std::lock_guard lock(openings().mutex);
    openings().waiting.push_back(std::make_unique<Opening>(job, job.tres_alloc_str));
    openings().jobs.insert(job.job_id);
    if (!openings().has_thread) std::thread(serve).detach();
    openings().has_thread = true;
    openings().asked.notify_one();
}

}  // namespace drom::slurm
