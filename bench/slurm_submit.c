// SPDX-License-Identifier: GPL-2.0-or-later
// slurm_submit.c - submits thousands of malleable jobs to slurmctld in seconds, as sbatch would one by one.
//
// Each line of the input is COUNT NODES CPUS MINUTES MEMORY PARTITION: a job of NODES nodes with CPUS CPUs and MEMORY
// MB on each (0: as it comes), or an array of COUNT such jobs. Prints the number of each job.
// Exit status: 0 all were submitted, 1 one was not.
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <unistd.h>

struct request {
    unsigned count, nodes, cpus, minutes, memory;
    char partition[64];
};

static void describe(job_desc_msg_t* job, const struct request* request) {
    static char script[] = "#!/bin/sh\nsleep 36000\n", path[] = "PATH=/usr/bin:/bin", declared[] = "DROM_MALLEABLE=1";
    static char name[] = "scale", folder[] = "/tmp", nowhere[] = "/dev/null";
    static char elements[32];
    static char *environment[] = {path, NULL}, *of_plugins[] = {declared, NULL};
    slurm_init_job_desc_msg(job);
    job->name = name;
    job->script = script;
    job->work_dir = folder;
    job->std_out = nowhere;
    job->environment = environment;
    job->env_size = 1;
    job->spank_job_env = of_plugins;
    job->spank_job_env_size = 1;
    job->user_id = getuid();
    job->group_id = getgid();
    job->partition = (char*)request->partition;
    job->time_limit = request->minutes;
    job->min_nodes = job->max_nodes = job->num_tasks = request->nodes;
    job->ntasks_per_node = 1;
    job->cpus_per_task = (uint16_t)request->cpus;
    job->min_cpus = request->nodes * request->cpus;
    if (request->memory != 0) job->pn_min_memory = request->memory;
    snprintf(elements, sizeof elements, "1-%u", request->count);
    if (request->count > 1) job->array_inx = elements;
}

static int submit(const struct request* request) {
    job_desc_msg_t job;
    submit_response_msg_t* answer = NULL;
    describe(&job, request);
    if (slurm_submit_batch_job(&job, &answer) != SLURM_SUCCESS) {
        slurm_perror("slurm_submit");
        return 1;
    }
    printf("%u\n", answer->job_id);
    slurm_free_submit_response_response_msg(answer);
    return 0;
}

int main(void) {
    struct request request;
    while (scanf("%u %u %u %u %u %63s", &request.count, &request.nodes, &request.cpus, &request.minutes,
                 &request.memory, request.partition) == 6)
        if (submit(&request) != 0) return 1;
    return 0;
}
