// SPDX-License-Identifier: BSD-3-Clause
// help.cpp - help pages.
#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/settings.hpp"
#include "report/jobs_csv.hpp"
#include "report/replay_text.hpp"
#include "report/series_csv.hpp"
#include "report/summary_csv.hpp"

namespace drom::sim {
namespace {

constexpr const char* kRun =
    "drom-sim - replay months of a batch system's log in seconds, under a scheduling policy\n"
    "\n"
    "Usage: drom-sim [run] --swf LOG [--nodes N] [--cores-per-node C] [--policy POLICY] [options] [--out DIR]\n"
    "       drom-sim compare --swf LOG ... SETTING... [--vary NAME=V,...] [options]\n"
    "       drom-sim generate PRESET [--workload-seed N] [--out FILE]\n"
    "       drom-sim replay LOG [--decisions] [--out FILE] [options]\n"
    "       drom-sim policies [POLICY...] [--json | --markdown]\n"
    "       drom-sim import --slurm FILE [--out LOG.swf.gz] [options]\n"
    "       drom-sim place FILE [--out FILE] [--json]\n"
    "       drom-sim map --machine FILE --apps FILE [--weights NAME=W,...] [--json]\n";

constexpr const char* kCompare =
    "drom-sim compare - several policies or parameters side by side, in one report\n"
    "\n"
    "Usage: drom-sim compare --swf LOG | --generate PRESET [--seeds N] [options] SETTING... [--vary NAME=V1,V2,...] "
    "[--out DIR]\n"
    "\n"
    "SETTING: POLICY or POLICY:NAME=VALUE,...; the first is the baseline of the others (default: slurm sd)\n";

constexpr const char* kGenerate =
    "drom-sim generate - a synthetic workload as a log in the Standard Workload Format\n"
    "\n"
    "Usage: drom-sim generate PRESET [--workload-seed N] [--jobs N] [--app-mix MIX] [--out FILE]\n"
    "\n"
    "  w1          Cirne and Berman's model: 5000 jobs for 1024 nodes of 48 cores, at most 128 nodes per job\n"
    "  w2          the same jobs; each asks for the time it runs\n"
    "  w1-samples  w1 with the laws that the generator's published samples follow; w2-samples likewise\n"
    "  w5          2000 jobs for 49 nodes of 48 cores, at most 16 nodes per job\n"
    "  year        a million jobs of a year on 10000 nodes of 192 cores, at most 1024 nodes per job\n"
    "  eamc        5000 jobs for two partitions of 512 nodes, of the thesis's chapter 6\n"
    "  lublin      Lublin and Feitelson's model: 10000 jobs for 256 nodes\n"
    "  platforms-x0.5, platforms-x1, platforms-x2\n"
    "              1000 jobs of five applications for three partitions of 256 cores, at three loads\n"
    "  reshape-120, reshape-nas, cannon4096, gauss4096, cannon1024, cannon-3, equipartition-5, "
    "equipartition-60, equipartition-60-mask\n"
    "              programs that iterate and whose number of nodes may change; see drom-sim(1)\n"
    "\n"
    "Options:\n"
    "  --workload-seed N  the same seed gives the same bytes everywhere (1)\n"
    "  --jobs N           number of jobs (as the preset says)\n"
    "  --app-mix MIX      applications of the jobs: even, or NUMBER:PERCENT,... out of the thesis's eight (eamc: "
    "even)\n"
    "  -o, --out FILE     compressed when it ends in .gz (standard output)\n"
    "  --force            write over FILE\n";

constexpr const char* kPolicies =
    "drom-sim policies - what can be simulated: each policy with its options, their defaults and its source\n"
    "\n"
    "Usage: drom-sim policies [POLICY...] [--json | --markdown]\n"
    "\n"
    "  -J, --json      the same as JSON\n"
    "  --markdown      the same as docs/reference/policies.md has it\n";

constexpr const char* kImport =
    "drom-sim import - a site's own log, from the accounting of Slurm to the Standard Workload Format\n"
    "\n"
    "Usage: drom-sim import --slurm FILE [--out LOG.swf.gz] [options]\n"
    "\n"
    "FILE is the text of sacct -P, or the file of jobcomp/filetxt, plain or gzip; - is stdin. Columns of sacct may be "
    "in any order, and more than these: JobIDRaw, Submit, Start, End, Timelimit, NNodes, NCPUS, State; and User, "
    "Partition, QOS, ReqMem, JobName, which may be missing.\n"
    "Users and job names become numbers, the same number for the same name. Partitions and QOS keep their names. Each "
    "job that "
    "is left out is counted under its reason.\n"
    "\n"
    "Options:\n"
    "  -o, --out FILE          compressed when it ends in .gz (standard output)\n"
    "  --force                 write over FILE\n"
    "  --salt TEXT             a secret, without which no guessed name can be checked against its number (none)\n"
    "  --timezone ZONE         of the times (this machine's), for instance Europe/Madrid\n"
    "  --nodes N               of the machine (the most that were in use at once)\n"
    "  --cores-per-node C      CPUs of each node, as Slurm counts them (the most that a job had)\n"
    "  --slurm-conf FILE       machine, and limits of partitions for jobs without one, as this slurm.conf has them\n"
    "  --whole-nodes           the width of a job is its nodes with all their cores; else it is its CPUs\n"
    "  --default-limit TIME    of jobs without a time limit, for instance 1-00:00:00 (unknown)\n"
    "  --skip-bad-lines        lines that are no jobs are counted instead of refused\n"
    "  -q, --quiet             no remarks\n"
    "\n"
    "Examples:\n"
    "  drom-sim import --slurm jobs.txt --out site.swf.gz\n"
    "  drom-sim compare --swf site.swf.gz slurm sd --out report\n";

constexpr const char* kReplay =
    "drom-sim replay - are recorded decisions those of the policy?\n"
    "\n"
    "Usage: drom-sim replay LOG [--decisions] [--out FILE] [--max-slowdown P] [options]\n"
    "       drom-sim replay RECORD|JOURNAL [--json]\n"
    "\n"
    "LOG is what a controller that co-schedules wrote, plain or gzip; - is stdin. Events are taken as they happened. "
    "Each decision is made again: it has to be the same, to the mates, the cores and the predicted end.\n"
    "RECORD is what a run of any policy wrote with --record. A scheduler of the same policy gets the same inputs, and "
    "the first line that it decides differently is named.\n"
    "JOURNAL is a file of drom advise --journal. Differences are named.\n"
    "\n"
    "Output, all but --json and --quiet of a LOG only:\n"
    "  --decisions             every decision as a line of a table; without it only those that differ, the first 20\n"
    "  -o, --out FILE          every decision as CSV (drom-sim help columns)\n"
    "  --force                 write over FILE\n"
    "  -J, --json              numbers and what differs as JSON; with --decisions every decision\n"
    "  -q, --quiet             no remarks about the log\n";

constexpr const char* kReplayWhatIf =
    "What if: decisions by other parameters than the log's, each after what really happened before it\n";

constexpr const char* kReplayMore =
    "\n"
    "A refusal is in the log once, until it changes: what is counted are the moments at which the controller wrote.\n"
    "\n"
    "Examples:\n"
    "  drom-sim replay decisions.log\n"
    "  drom-sim replay decisions.log --max-slowdown 5 --decisions\n"
    "  drom-sim replay decisions.log.1.gz --json -q\n"
    "  drom-sim replay eamc.record\n"
    "  drom-sim replay advise.journal\n";

constexpr const char* kReplayExit =
    "Exit status: 0 all decisions are the policy's, or others were asked for; 1 some differ; 2 usage, or a file that "
    "cannot be read\n";

constexpr const char* kPlace =
    "drom-sim place - which application has how many ranks on which system, at the least cost\n"
    "\n"
    "Usage: drom-sim place FILE [--out FILE] [--json]\n"
    "\n"
    "FILE has a line for each system and application, and for where applications run now; - is stdin:\n"
    "\n"
    "  rules spread=5 ageing=1\n"
    "  system east cores=64 cost=1\n"
    "  application ocean ranks=40 priority=2 move=0.5 age=0\n"
    "  runs ocean east ranks=40\n"
    "\n"
    "Output:\n"
    "  -o, --out FILE          the same as it is once the placement is carried out: where applications run, their "
    "ages\n"
    "  --force                 write over that file\n"
    "  -J, --json              the placement as JSON instead of a table\n";

constexpr const char* kPlaceMore =
    "The cost is the sum of priority * (cost of each rank's system + spread * systems + move * ranks that arrive on a "
    "system). Applications are dropped only where there are too few cores: the least priority + ageing * age first.\n"
    "\n"
    "Examples:\n"
    "  drom-sim place sites.txt\n"
    "  drom-sim place sites.txt --out next.txt\n";

constexpr const char* kPlaceExit = "Exit status: 0 done; 1 cannot be written; 2 usage, or a file that cannot be read\n";

constexpr const char* kMap =
    "drom-sim map - on which partition of a machine each application should run, by weights\n"
    "\n"
    "Usage: drom-sim map --machine FILE --apps FILE [--weights NAME=W,...] [--json]\n"
    "\n"
    "For each application its partitions, the best one first, with run time and energy on one node at the nominal "
    "frequency. The last line is the map as the policy app takes it.\n"
    "\n"
    "  --machine FILE          partitions with their energy model; drom-sim(1) has the lines\n"
    "  --apps FILE             applications on these partitions\n"
    "  --weights NAME=W,...    of time, energy and room, which are the cores of a partition (time=1,energy=1); those "
    "that are left out do not count\n"
    "  -J, --json              the same as JSON\n"
    "  -q, --quiet             no remarks\n"
    "\n"
    "The score is sqrt(time (T/T*)^2 + energy (E/E*)^2 + room (C*/C)^2), where * is the best of the partitions.\n";

constexpr const char* kExitOfMap = "Exit status: 0 done; 2 usage, or a file that cannot be read\n";

constexpr const char* kMapMore =
    "Example:\n"
    "  drom-sim map --machine three.machine --apps kinds.apps --weights time=1,room=1\n";

constexpr const char* kJobs =
    "Jobs:\n"
    "  --swf LOG               a log in the Standard Workload Format or one of its dialects, plain or gzip; - is "
    "stdin\n"
    "  --generate PRESET       a synthetic workload instead; drom-sim generate -h lists them\n"
    "  --nodes N               of the machine (as the log's header says)\n"
    "  --cores-per-node C      processors per node (as the log's header says, else 1)\n"
    "  --slurm-conf FILE       the machine, and parameters of slurm and sd, as this slurm.conf has them\n";

constexpr const char* kMoreJobs =
    "  --machine FILE          partitions with their energy model instead; --apps goes with it\n"
    "  --apps FILE             applications on these partitions\n"
    "  --app-mix MIX           draws each job's application: even, or NUMBER:PERCENT,... (as the log says; eamc: "
    "even)\n"
    "  --partition NAME        with --slurm-conf: only the nodes and the jobs of this partition\n"
    "  --workload-seed N       of a generated workload (1)\n"
    "  --jobs N                of a generated workload\n"
    "  --first N               only the first N jobs by submission\n"
    "  --processors WHICH      requested (default), allocated or larger, where the log's two numbers differ\n"
    "  --keep-overrun          jobs that ran longer than they asked for: they are killed at their limit, unless --kill "
    "no; else their run time is cut\n"
    "  --drop-cancelled        jobs with status 5; else they are kept if they ran\n"
    "  --drop-unrun            jobs with run time 0\n"
    "  --skip-bad-lines        lines that are no jobs are counted instead of refused\n";

constexpr const char* kOutput =
    "Output:\n"
    "  -o, --out DIR           report.html, summary.json, schedule.swf; jobs, decisions, series, days and summary "
    "as .csv (see drom-sim help columns); without it only numbers\n"
    "  --force                 write over the result that DIR has\n"
    "  --gantt FROM-TO         window of the report's chart: seconds, or 12h-36h, 3d-4d; none (a day in the middle)\n"
    "  -J, --json              summary.json on stdout instead of a table\n"
    "  -q, --quiet             no progress, no remarks about the log\n";

constexpr const char* kMoreOutput = "  --node-list             jobs.csv says on which nodes each job started\n";

constexpr const char* kRunOptions =
    "  --record FILE           what the policy is told and decides, as plain text\n"
    "  --trace FILE            timeline of that window: .json Perfetto, .prv Paraver\n";

constexpr const char* kCompareOptions =
    "  --vary NAME=V1,V2,...   the last setting once for each value; given several times, for each combination\n"
    "  --seeds N               N generated workloads; means with 95 % confidence intervals\n"
    "  --threads N             simulations at the same time (as many as CPUs)\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  drom-sim --swf KTH-SP2-1996-2.1-cln.swf.gz --policy easy\n"
    "  drom-sim --swf RICC-sept-2010.swf.gz --policy sd --bf-max-job-test 50 --bf-window 0 --max-slowdown inf --out "
    "ricc\n"
    "  drom-sim compare --swf RICC-sept-2010.swf.gz --bf-max-job-test 50 --bf-window 0 slurm sd --vary "
    "max_slowdown=5,10,50,inf,dynamic --out ricc\n"
    "  drom-sim compare --generate w1 --seeds 20 --bf-max-job-test 50 slurm sd:max_slowdown=inf\n"
    "  drom-sim generate w2 --workload-seed 7 --out w2.swf.gz\n";

constexpr const char* kExit =
    "Exit status: 0 done; 1 refused; 2 usage, or a log that is none; 130 interrupted: what was written is about the "
    "jobs so far\n";

std::string policies() {
    std::vector<std::string_view> names;
    for (const policy::PolicyRow& row : policy::policies()) names.emplace_back(row.name);
    return fmt::format("Policies: {}; drom-sim policies describes them\n", fmt::join(names, ", "));
}

std::string what_if_names() {
    std::vector<std::string> names;
    for (const ParameterRow& row : parameters_in_decision_log()) names.push_back(option_of(row.name));
    return fmt::format("  {}\n", fmt::join(names, ", "));
}

std::string what_if_texts() {
    std::string text;
    for (const ParameterRow& row : parameters_in_decision_log()) text += parameter_line(row.name, row.label, row.text);
    return text;
}

std::string replay_help(bool full) {
    std::string text = kReplay + std::string("\n") + kReplayWhatIf + (full ? what_if_texts() : what_if_names());
    if (full) text += kReplayMore;
    return text + '\n' + kReplayExit +
           (full ? "" : "drom-sim replay --help explains them, with examples. See drom-sim(1).\n");
}

std::string parameters() {
    std::string text = "Parameters (as options here, as NAME=VALUE with _ for - in a SETTING):\n";
    for (const ParameterRow& row : all_parameters())
        text += parameter_line(row.name, row.label, fmt::format("{} ({})", row.text, row.by_default));
    return text;
}

}  // namespace

std::string parameter_line(std::string_view name, std::string_view label, std::string_view text) {
    constexpr size_t kColumn = 24;
    const std::string option = fmt::format("{} {}", option_of(std::string(name)), label);
    return option.size() + 2 > kColumn ? fmt::format("  {}\n  {:<{}}{}\n", option, "", kColumn, text)
                                       : fmt::format("  {:<{}}{}\n", option, kColumn, text);
}

std::string columns_help() {
    return jobs_columns() + '\n' + decisions_columns() + '\n' + series_columns() + '\n' + days_columns() + '\n' +
           summary_columns() + '\n' + redecided_columns();
}

std::string help(const std::string& verb, bool full) {
    if (verb == "generate") return kGenerate + std::string("\n") + kExit;
    if (verb == "import") return kImport + std::string("\n") + kExit;
    if (verb == "replay") return replay_help(full);
    if (verb == "policies") return kPolicies + std::string("\n") + kExit;
    if (verb == "place") return kPlace + std::string("\n") + (full ? kPlaceMore + std::string("\n") : "") + kPlaceExit;
    if (verb == "map") return kMap + std::string("\n") + (full ? kMapMore + std::string("\n") : "") + kExitOfMap;
    const bool compare = verb == "compare";
    std::string text = (compare ? kCompare : kRun) + std::string("\n") + policies() + '\n' + kJobs +
                       (full ? kMoreJobs : "") + '\n' + kOutput + (full ? kMoreOutput : "");
    if (compare) text += kCompareOptions;
    if (!compare) text += kRunOptions;
    if (full) text += '\n' + parameters() + '\n' + kExamples;
    text += std::string("\n") + kExit;
    if (!full)
        text += fmt::format("drom-sim {}--help lists every parameter. See drom-sim(1).\n", compare ? "compare " : "");
    return text;
}

}  // namespace drom::sim
