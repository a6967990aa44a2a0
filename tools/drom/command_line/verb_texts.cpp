// SPDX-License-Identifier: BSD-3-Clause
// verb_texts.cpp - the text of the help, one row per verb.
#include "command_line/verb_texts.hpp"

#include <algorithm>

namespace drom::command {

namespace {

constexpr VerbText kVerbs[] = {
    {"run", "[options] -- COMMAND [ARGUMENT]...", "start COMMAND on CPUs made free for it",
     "Looks at the program, chooses how it will be reached (its entry points), reserves its CPUs, and starts it when "
     "they are free.\n"
     "Without --cpus or --ncpus it gets all free CPUs of the present affinity, or, when none is free, an equal share "
     "of them.\n"
     "--ncpus takes free CPUs first, near one another. The CPUs still missing are taken from running clients: never "
     "from rigid ones, and never below a client's minimum. drom chooses them so that programs share few caches, NUMA "
     "nodes and packages; of equal choices the client with the most CPUs gives. They go back when the command ends.\n"
     "A program starts with its maximum of threads (OMP_NUM_THREADS, else --max, else its CPUs) and never exceeds it.\n"
     "When there is no room it is refused. With --wait it starts as soon as there is, or is refused when --timeout has "
     "passed; without --timeout it waits until there is room. With --queue it also waits until those before it have "
     "started: of the same priority in the order of arrival.\n"
     "Every signal that can be caught is passed on. The exit status is the command's; when the command died of a "
     "signal, that signal is raised here, too.\n"
     "When COMMAND cannot be executed or was not found, nothing is left behind.\n"
     "--resize keep: its team keeps its size, and CPUs change beneath it.\n"
     "--resize follow: as each outermost region starts it has as many threads as CPUs, never more than its own "
     "number.\n"
     "--resize auto: keep, unless OMP_DYNAMIC=true, the program, or a record of drom verify for exactly this program "
     "says that it may change.\n"
     "--follow is for containers, and needs neither a table nor rights: COMMAND takes this process over, on as many "
     "CPUs "
     "as its affinity and the CPU quotas of its cgroups allow. All that count CPUs by the affinity are right. When the "
     "limits change, an agent inside it moves its threads within a second or so; a team keeps its size.",
     "drom run -- ./simulation                      # all free CPUs\n"
     "drom run --ncpus 4 --name render -- ./render  # four CPUs, taken from others if need be\n"
     "drom run --ncpus 1 --max 8 -- ./simulation    # begins on one CPU and can grow to eight\n"
     "drom run --cpus numa:1 --rigid -- ./server    # exactly these, and no other client may take them\n"
     "drom run --queue --ncpus 2 -- ./next          # when there is room, and it is its turn\n"
     "drom run --follow -- ./service                # the entry point of a container\n"
     "mpirun -np 2 drom run --ncpus 1 -- ./rank     # once per rank"},
    {"verify", "[options] -- COMMAND [ARGUMENT]...", "find out by trial whether COMMAND's team may follow its CPUs",
     "Runs COMMAND undisturbed, and then in rounds under random requests, once with keep and once with follow. The "
     "runs have a table of their own, and CPUs that no client owns. Where fewer than two are left, they use those of "
     "clients too, and a remark says so.\n"
     "A run is right when it succeeds and its output is that of the undisturbed run, or, with --check, when CHECK "
     "succeeds with the run's output as its standard input.\n"
     "follow is recorded when it was right every time and took less CPU time than keep beyond doubt. Otherwise keep "
     "is, or rigid when even keep was wrong. Without evidence nothing is recorded, and the exit status is 1.\n"
     "The record is ${XDG_STATE_HOME:-~/.local/state}/drom/modes, one line per program and its libraries; drom run "
     "uses it.",
     "drom verify -- ./simulation -s 20\n"
     "drom verify --runs 20 --check 'grep -q \"energy = 2.443e5\"' -- ./simulation"},
    {"list", "[CLIENT]", "the owner of each CPU, and what is still unacknowledged",
     "One line per client, then the CPUs that no client owns. CPUS are the client's until it releases them. WANT, "
     "shown when it differs, is what it will have when everything posted is done.",
     "drom list\n"
     "drom list -o pid,cpus,request --raw           # for scripts without JSON\n"
     "drom list --json | jq '.clients[].mask'"},
    {"set", "CLIENT MASK", "give CLIENT exactly these CPUs",
     "CPUs of other clients are refused unless --take is given. A request that is not acknowledged yet is replaced.\n"
     "With --job in place of CLIENT the ranks of the job divide the CPUs evenly, each keeping what it has where it "
     "can. All of them get their CPUs, or, when one cannot, none.",
     "drom set 4242 0-3\n"
     "drom set --job 88.0 0-7                        # for all ranks of the job on this node\n"
     "drom set render numa:0 --take --return\n"
     "drom set '#3' core:0-1 --wait resized --timeout 5000"},
    {"shrink", "CLIENT N", "take CPUs from CLIENT until N are left, the farthest first",
     "Which CPUs go is chosen by locality: those far from the rest first.\n"
     "With --job in place of CLIENT the job is left with N CPUs, divided evenly among its ranks; with "
     "--per-rank each rank is left with so many.",
     "drom shrink simulation 2\n"
     "drom shrink --job 88.0 --per-rank 1"},
    {"expand", "CLIENT N", "give CLIENT CPUs until it has N, the nearest first",
     "Takes the nearest free CPUs; with --take also those of other clients.\n"
     "With --job in place of CLIENT the job gets N CPUs, divided evenly among its ranks; with --per-rank "
     "each rank gets so many.",
     "drom expand simulation 8\n"
     "drom expand --job 88.0 --per-rank 2\n"
     "drom expand simulation 8 --take"},
    {"add", "CLIENT MASK", "add these CPUs to CLIENT's",
     "The CPUs must be free, unless --take is given. With --job the ranks of the job divide these and the CPUs that "
     "they have evenly.",
     "drom add render 4-5"},
    {"remove", "CLIENT MASK", "remove these CPUs from CLIENT's",
     "All of them must be CLIENT's, and its minimum of CPUs must be left. They become free, or return to the client "
     "that lent them.\n"
     "With --job the ranks of the job divide what is left evenly.",
     "drom remove render 4-5"},
    {"drain", "MASK", "empty these CPUs and give them to no client until restored",
     "Their owners are notified to leave. Where a client is rigid, or would have fewer CPUs than its minimum, the "
     "whole request is refused.",
     "drom drain package:1"},
    {"restore", "MASK", "hand drained CPUs back to the clients that had them",
     "CPUs whose owner has ended meanwhile become free.", "drom restore package:1"},
    {"wait", "CLIENT", "wait until CLIENT's newest request is released",
     "With --wait resized it waits until the client's threads are as many as its CPUs, or are known to stay as they "
     "are.",
     "drom set 4242 0 --no-wait; drom wait 4242\n"
     "drom wait 4242 --seq 17 --wait resized --timeout 10000"},
    {"watch", "[CLIENT]", "follow what happens, one line per event",
     "Ends at SIGINT, after --for seconds or --count events. With --json each line is one object.",
     "drom watch\n"
     "drom watch --json --for 60 > events.jsonl\n"
     "drom watch --all --count 100                  # from the oldest event still kept"},
    {"explain", "CLIENT|--slurm JOB", "why CLIENT is where it is: entry points, threads, cost",
     "Says which entry points answered and how often, why a request is not released or not resized, what confinement "
     "costs, which threads run where, and whether the program spins. Looks at the threads for --sample milliseconds.\n"
     "With --slurm it says of a job in Slurm's queue with which jobs it shares its nodes, or why it shares none, since "
     "when, and what would help.",
     "drom explain simulation\n"
     "drom explain 4242 --json\n"
     "drom explain --slurm 4711                     # why a malleable job waits"},
    {"stats", "[CLIENT]|merge FILE...", "what programs gain from CPUs, as factors of efficiency",
     "Looks at the programs from outside for --window seconds: which of their threads are on a CPU, and there in their "
     "own "
     "code, in MPI, or waiting in the OpenMP runtime. The programs run no code for it. Without CLIENT all clients are "
     "looked at; the clients of a job are one program.\n"
     "Each factor is the product of those below it. A sentence names the largest loss.\n"
     "Where the kernel lets no samples be taken, only the CPU use is known; a sentence says so, and the exit status is "
     "1.\n"
     "--regions prints what programs count themselves, for each part that they name (drom_region_begin): how often it "
     "began, time, CPU time of all threads, and CPUs of the mask over that time. It looks once.\n"
     "merge puts the reports of several nodes (--json) together. A file that is no such report is named with the "
     "place, "
     "and the exit status is 2.",
     "drom stats simulation\n"
     "drom stats --job 88.0 --window 60 --json > $(hostname).json\n"
     "drom stats merge n1.json n2.json              # the factors of the job on both nodes\n"
     "drom stats --job 88.0 --talp > talp.json      # for tools that read TALP's files\n"
     "drom stats --regions simulation               # the parts that the program names"},
    {"top", "", "what each client does with its CPUs, one line per client",
     "Looks at all clients for --window seconds, as drom stats does, again and again. On a terminal it is a screen "
     "with "
     "the node's CPUs, and its last line names the keys; else tables are printed until SIGINT. With --once it is one "
     "table.\n"
     "BUSY is the CPU time of the client over what it owned, USEFUL the part of that in the program's own code, "
     "WAITED the time in which its threads could run and others had the CPU.",
     "drom top                                      # q ends it\n"
     "drom top --once\n"
     "drom top --once --all-users                   # as root: one table per user\n"
     "drom top --window 10 --json                   # one object per table"},
    {"trace", "FILE [options] [-- COMMAND [ARGUMENT]...]", "record the owner of each CPU over time",
     "Writes a file for viewers of timelines. Follows the events of the table, and looks at all clients from outside, "
     "as drom stats does, twice per second. Ends "
     "when COMMAND does, at SIGINT, or after --for seconds, and writes FILE as a whole then.\n"
     "perfetto is a JSON object for ui.perfetto.dev: a process is a client, a thread a CPU that it had. paraver makes "
     "three files, FILE.prv, .pcf and .row: an application is a job, a task a client. csv has one line per fact, for "
     "scripts.\n"
     "COMMAND runs as it would without drom trace, and may be drom run itself. The exit status is the command's.",
     "drom trace night.json --for 3600\n"
     "drom trace t.json -- drom run -- ./simulation # for ui.perfetto.dev\n"
     "drom trace t.prv                              # until SIGINT, for Paraver"},
    {"advise", "", "which program should have more CPUs, and which fewer",
     "Looks at all clients for --window seconds, as drom stats does, and says how many CPUs each should have, and why. "
     "The programs of a job count as one. With --apply the CPUs are moved: all changes of a round are one request, "
     "which is carried out as a whole or not at all.\n"
     "Policies: equipartition gives all programs equal CPUs. efficiency halves a program that loses much of its CPU "
     "time, and lets one that loses little grow to double. balance lets the ranks of a job trade CPUs; a trade that "
     "made the job slower is undone. reshape lets programs grow on free CPUs as long as that makes them faster. share "
     "moves CPUs to the program that they help most. A program gets no more CPUs than it has threads, unless its team "
     "follows.",
     "drom advise\n"
     "drom advise --policy balance --job 88.0 --interval 15 --apply\n"
     "drom advise --policy efficiency:upper=0.3,min_gap=60 --json\n"
     "drom advise --interval 15 --apply --journal advise.journal"},
    {"metrics", "", "what clients do with their CPUs, as text for Prometheus",
     "Looks at all clients for --window seconds, as drom stats does, and prints gauges: CPUs owned, busy, useful and "
     "lost by cause, per process; factors of efficiency per program; requests per client; CPUs of the table.\n"
     "With --out the file is replaced as a whole, for all users to read, as the textfile collector of Prometheus' node "
     "exporter wants it. Where the kernel lets no samples be taken, the gauges that need them are missing; a sentence "
     "says so, and the exit status is 1. A table that cannot be read leaves the file as it was.",
     "drom metrics\n"
     "drom metrics --all-users                      # as root: the tables of all users, in one text\n"
     "drom metrics --window 15 --out /var/lib/prometheus/node-exporter/drom.prom"},
    {"check", "", "verify the table, finish what another command left unfinished, remove the dead",
     "Never repairs damage: a damaged table is reported with exit status 4.", "drom check"},
    {"env", "", "the variables drom reads, their values, and where those come from",
     "A variable that begins with DROM_ and is not in the list is reported, and so is a value that its variable "
     "cannot have; the exit status is then 1.",
     "drom env"},
};

}  // namespace

std::span<const VerbText> verb_texts() { return kVerbs; }

const VerbText* find_verb(std::string_view name) {
    const auto* found = std::ranges::find(kVerbs, name, &VerbText::name);
    return found == std::end(kVerbs) ? nullptr : found;
}

}  // namespace drom::command
