#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure.py - measures what drom promises in numbers, each beside its floor or its peer in the same run.

scripts/bench.sh builds everything and calls this. The summary's keys, targets and the incumbent's figures (DLB 3.7's, measured on a
machine like CI's) are in FIGURES. A target that is missed is reported, not an error: the exit status is 1 only when something could
not be measured."""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness import Build, CannotMeasure, Figure, Guest, TableFolder, output_of, paired, spread, wall_us

RUNTIMES = ("omp", "gomp")
ENDLESS = 1_000_000_000
BOTH = {"OMP_PROC_BIND": "true", "KMP_BLOCKTIME": "1"}  # the same for drom's guest and the bare one
ONE = {"OMP_NUM_THREADS": "1"}
TWO = {"OMP_NUM_THREADS": "2"}
PASSIVE = {"KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive"}
GRAINS = (("fine", 200, 2000), ("coarse", 10_000, 30))  # microseconds of one thread's work in a region, regions
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
BIND_BY_RANK = 'exec taskset -c "${OMPI_COMM_WORLD_LOCAL_RANK:-$MPI_LOCALRANKID}" "$@"'


def worst(parts: dict[str, Figure]) -> Figure:
    """Returns the largest figure, and all of them by name."""
    return dict(max(parts.values(), key=lambda part: part["value"])) | parts


class Measurer:
    def __init__(self, build: Build, scale: float) -> None:
        self.build = build
        self.scale = scale  # below 1: fewer samples
        self.steps_per_us: dict[str, float] = {}
        self.micro: dict[str, dict[str, list[float]]] = {}
        self.of_dlb: list[list[float]] = []

    def times(self, count: int) -> int:
        return max(3, round(count * self.scale))

    def steps(self, runtime: str, us: float) -> int:
        """Returns the work that takes one thread that long. The same number serves both sides of a pair."""
        if runtime not in self.steps_per_us:
            self.steps_per_us[runtime] = float(output_of([self.build.bench(f"regions-{runtime}"), "calibrate"], dict(os.environ)))
        return round(self.steps_per_us[runtime] * us)

    def broker(self, name: str, clock: str) -> list[float]:
        """Returns the microseconds of a benchmark of broker.cpp, one per repetition."""
        if not self.micro:
            self.micro = self.build.micro("bench_broker", self.times(25))
        return [value / 1000 for value in self.micro[name][clock]]

    # ---- calls -------------------------------------------------------------------------------------------------------

    def idle_poll(self) -> Figure:
        times = self.build.micro("bench_safe_point", self.times(25))
        over = [poll - call for poll, call in zip(times["idle_poll"]["cpu"], times["call_floor"]["cpu"], strict=True)]
        return spread(over) | {"with_the_call": spread(times["idle_poll"]["cpu"]),
                               "floor": {"empty_library_call": spread(times["call_floor"]["cpu"]), "load": spread(times["load_floor"]["cpu"])}}

    def set_async(self) -> Figure:
        # Processor time: the call never waits, and on a shared machine the clock would count who else was running.
        return spread(self.broker("set_async", "cpu")) | {
            "set_async_idle_client_us": spread(self.broker("set_async_idle_client", "real"))}

    def floors(self) -> Figure:
        return {"futex_round_trip_us": spread(self.broker("futex_round_trip", "real")),
                "sched_setaffinity_same_us": spread(self.broker("set_affinity_same", "cpu")),
                "sched_setaffinity_moving_us": spread(self.broker("set_affinity_moving", "real"))}

    def dlb(self, column: int, scale: float = 1) -> list[float]:
        """Returns a column of dlb.c, which is run once for all of them."""
        if not self.of_dlb:
            with TableFolder() as table:
                text = output_of([self.build.bench("bench_dlb"), str(self.times(25))], table.env)
            self.of_dlb = [[float(word) for word in line.split()] for line in text.splitlines()]
        return [line[column] / scale for line in self.of_dlb]

    def dlb_poll(self) -> Figure:
        return spread(self.dlb(0))

    def dlb_look(self) -> Figure:
        return spread(self.dlb(1)) | {"another_process_ns": spread(self.dlb(2))}

    def dlb_set(self) -> Figure:
        return spread(self.dlb(3, 1000))

    def dlb_preinit(self) -> Figure:
        return spread(self.dlb(4, 1000)) | {"postfinalize_us": spread(self.dlb(5, 1000))}

    # ---- regions -----------------------------------------------------------------------------------------------------

    def region_pairs(self, runtime: str, threads: int) -> Figure:
        """Measures empty regions of a program under drom run beside those of the same program by itself; several
        launches of each."""
        count, pairs = 40_000, []
        variables = BOTH | {"OMP_NUM_THREADS": str(threads)}
        for _ in range(self.times(5)):
            with (TableFolder() as table, Guest(self.build, runtime, "follow", 0, table=table, **variables) as ours,
                  Guest(self.build, runtime, "follow", 0, **variables) as bare):
                pairs += paired(lambda: ours.regions(count), lambda: bare.regions(count), self.times(16))
        over = [a - b for a, b in pairs]
        return spread(over) | {"floor": {"bare_region_ns": spread([b for _, b in pairs])}, "entry_point_ns": self.entry_point(runtime, threads)}

    def entry_point(self, runtime: str, threads: int) -> Figure:
        """Measures the entry point alone: the same region through it and straight to the runtime, in one process. Only
        where the team may follow is there an entry point."""
        with TableFolder() as table:
            text = output_of([self.build.drom, "run", "--resize=follow", "--cpus", "0,1", "--", self.build.bench(f"entry-{runtime}"), str(self.times(100)), "20000"],
                             table.env | BOTH | {"OMP_NUM_THREADS": str(threads)})
        return spread([float(through) - float(straight) for through, straight in (line.split() for line in text.splitlines())])

    def region_cost(self) -> Figure:
        parts = {f"{runtime}_threads_{threads}": self.region_pairs(runtime, threads) for runtime in RUNTIMES for threads in (1, 2)}
        named = {key.removeprefix("omp_"): part for key, part in parts.items()}
        named["threads_1"]["target"] = 10
        named["threads_2"]["target"] = 20
        return dict(named["threads_2"]) | named

    def full_size(self) -> Figure:
        """Measures a team with all its CPUs under drom run, beside the same program by itself."""
        return worst({f"{runtime}_{name}": self.full_size_pairs(runtime, us, count)
                      for runtime in RUNTIMES for name, us, count in (("fine", 25, 4000), ("coarse", 10_000, 10))})

    def full_size_pairs(self, runtime: str, us: float, count: int) -> Figure:
        steps, pairs = self.steps(runtime, us), []
        for _ in range(self.times(5)):
            with (TableFolder() as table, Guest(self.build, runtime, "keep", steps, table=table, **(BOTH | TWO)) as ours,
                  Guest(self.build, runtime, "keep", steps, **(BOTH | TWO)) as bare):
                pairs += paired(lambda: ours.regions(count), lambda: bare.regions(count), self.times(8))
        return spread([a / b for a, b in pairs]) | {"floor": {"bare_region_us": spread([b / 1000 for _, b in pairs])}}

    # ---- requests ----------------------------------------------------------------------------------------------------

    def latencies(self, runtime: str, kind: str, us: float, wait: str, samples: int, gap_us: int) -> Figure:
        """Requests that take a CPU from a program that is in the middle of it."""
        steps = self.steps(runtime, us) if us > 0 else 0
        with TableFolder() as table, Guest(self.build, runtime, kind, steps, table=table) as guest:
            guest.start(ENDLESS)
            text = output_of([self.build.bench("bench_latency"), "set", str(guest.pid), str(samples), str(gap_us), wait], table.env)
        found = json.loads(text)
        missing = sum(value < 0 for side in ("shrink", "grow") for value in found[side])
        if missing > samples // 10:
            raise CannotMeasure(f"{missing} of {2 * samples} requests were not {wait} within 3 s")
        shrink = spread([value / 1000 for value in found["shrink"] if value >= 0])
        grow = spread([value / 1000 for value in found["grow"] if value >= 0])
        return shrink | {"growing": grow, "late": missing, "confined_from_outside": found["confined"]}

    def request(self, kind: str, us: float, wait: str, samples: int, gap_us: int) -> Figure:
        by_runtime = {runtime: self.latencies(runtime, kind, us, wait, self.times(samples), gap_us) for runtime in RUNTIMES}
        floor = {"futex_round_trip_us": statistics.median(self.broker("futex_round_trip", "real")),
                 "sched_setaffinity_moving_us": statistics.median(self.broker("set_affinity_moving", "real"))}
        return by_runtime["omp"] | {"gomp": by_runtime["gomp"], "floor": floor}

    def released_spin(self) -> Figure:
        return self.request("follow", 0, "released", 1000, 2000)

    def released_1ms(self) -> Figure:
        return self.request("follow", 2000, "released", 1000, 3000)

    def released_serial(self) -> Figure:
        phases = {"serial": self.request("serial", 1_000_000, "released", 500, 2000),
                  "one_long_region": self.request("follow", 2_000_000, "released", 500, 2000)}
        for phase in phases.values():
            for part in (phase, phase["gomp"]):
                part["p50"], part["value"] = part["value"], part["p99"]
        return worst(phases)

    def resized_1ms(self) -> Figure:
        return self.request("follow", 2000, "resized", 500, 5000)

    def cpu_free(self) -> Figure:
        """Measures when the former owner was seen last on a CPU it had released, within a second; 0: not once."""
        rounds, parts = self.times(4), {}
        for runtime in RUNTIMES:
            for name, kind, us in (("spin", "follow", 0), ("1ms", "follow", 2000), ("held_1ms", "keep", 2000), ("serial", "serial", 1_000_000)):
                steps = self.steps(runtime, us) if us > 0 else 0
                with TableFolder() as table, Guest(self.build, runtime, kind, steps, table=table) as guest:
                    guest.start(ENDLESS)
                    found = json.loads(output_of([self.build.bench("bench_latency"), "free", str(guest.pid), str(rounds)], table.env))
                parts[f"{runtime}_{name}"] = {"last_seen_us": [value / 1000 for value in found["last_ns"]], "looks": found["looks"],
                                              "allowed_there": found["allowed"], "ran_ms": [value / 1e6 for value in found["ran_ns"]]}
        seen = [value for part in parts.values() for value in part["last_seen_us"]]
        return spread(seen) | {"value": max(seen), "allowed_there": sum(part["allowed_there"] for part in parts.values())} | parts

    # ---- after a request ---------------------------------------------------------------------------------------------

    def one_cpu(self, runtime: str, kind: str, us: float, regions: int, team: int, *, shrunk_with: dict[str, str] | None = None,
                native_with: dict[str, str] = ONE) -> Figure:
        """Measures a program that was shrunk to CPU 0 beside one that was started with one thread there."""
        steps, pairs = self.steps("gomp" if runtime == "tbb" else runtime, us), []
        for _ in range(self.times(3)):
            with (TableFolder() as table, Guest(self.build, runtime, kind, steps, table=table, **(shrunk_with or {})) as shrunk,
                  Guest(self.build, runtime, kind, steps, cpu=0, **native_with) as native):
                shrunk.shrink_to_one()
                size = shrunk.client()["team"]
                if size != team:
                    raise CannotMeasure(f"{' '.join(shrunk.command)} has {size} threads on one CPU and not {team}")
                pairs += paired(lambda: shrunk.regions(regions), lambda: native.regions(regions), self.times(8))
        return spread([a / b for a, b in pairs]) | {"floor": {"native_region_us": statistics.median(b for _, b in pairs) / 1000}}

    def confined_fine(self) -> Figure:
        return worst({runtime: self.one_cpu(runtime, "keep", 25, 10_000, 2) for runtime in RUNTIMES})

    def confined_coarse(self) -> Figure:
        return worst({runtime: self.one_cpu(runtime, "keep", 10_000, 30, 2) for runtime in RUNTIMES})

    def confined_passive(self) -> Figure:
        """Compares with the best that the runtimes' own settings make of two threads on one CPU."""
        return worst({runtime: self.over_best_setting(runtime) for runtime in RUNTIMES})

    def over_best_setting(self, runtime: str) -> Figure:
        by_setting = {name: self.one_cpu(runtime, "keep", 25, 10_000, 2, native_with=TWO | {name: value}) for name, value in PASSIVE.items()}
        # The smaller the bare time, the larger the ratio.
        return worst(by_setting)

    def confined_midregion(self) -> Figure:
        """Measures the processor time of a region with barriers whose CPU was taken in its middle, beside one that had
        one CPU from the start."""
        return worst({runtime: self.midregion(runtime) for runtime in RUNTIMES})

    def midregion(self, runtime: str) -> Figure:
        steps, count, pairs = self.steps(runtime, 25), 20_000, []
        for _ in range(self.times(6)):
            with (TableFolder() as table, Guest(self.build, runtime, "barriers", steps, table=table, **TWO) as shrunk,
                  Guest(self.build, runtime, "barriers", steps, cpu=0, **TWO) as from_start):
                shrunk.start(count)
                time.sleep(0.05)
                shrunk.take_all_but_one()
                in_the_middle = shrunk.finish()
                from_start.start(count)
                pairs.append((in_the_middle, from_start.finish()))
        return spread([a / b for a, b in pairs]) | {"floor": {"from_start_s": statistics.median(b for _, b in pairs) / 1e9}}

    def confined_tbb(self) -> Figure:
        """Measures a program of oneTBB that does not follow by itself: its workers share the CPU."""
        return worst({name: self.one_cpu("tbb", "follow", us, regions, 0) for name, us, regions in GRAINS})

    def confined_nested(self) -> Figure:
        """Measures teams inside a team of libgomp: the outer one follows or, held, does not; those inside never do."""
        native = {"OMP_NUM_THREADS": "1,1", "OMP_MAX_ACTIVE_LEVELS": "2"}
        teams = native | {"OMP_NUM_THREADS": "2,2"}
        held = teams | {"DROM_RESIZE": "keep"}
        return worst({f"{outer}_{name}": self.one_cpu("gomp", "nested", us, regions, team, shrunk_with=variables, native_with=native)
                      for outer, variables, team in (("follows", teams, 1), ("held", held, 2)) for name, us, regions in GRAINS})

    def resized_over_native(self) -> Figure:
        return worst({f"{runtime}_{name}": self.one_cpu(runtime, "follow", us, regions, 1)
                      for runtime in RUNTIMES for name, us, regions in (("fine", 25, 10_000), ("coarse", 10_000, 30))})

    # ---- processes ---------------------------------------------------------------------------------------------------

    def attach(self) -> Figure:
        with TableFolder() as table:
            output_of([self.build.bench("bench_attach")], table.env)  # the first one makes the table
            times = [float(output_of([self.build.bench("bench_attach")], table.env)) / 1000 for _ in range(self.times(200))]
        return spread(times)

    def list_clients(self) -> Figure:
        commands = {"drom_list": [self.build.drom, "list"], "taskset_p": ["/usr/bin/taskset", "-p", "1"], "true": ["/bin/true"]}
        times: dict[str, list[float]] = {name: [] for name in commands}
        with TableFolder() as table, Guest(self.build, "gomp", "follow", 0, table=table):
            for _ in range(self.times(100)):
                for name, command in commands.items():
                    times[name].append(wall_us(command, table.env) / 1000)
        return spread(times["drom_list"]) | {"peer": {"taskset_p_ms": spread(times["taskset_p"])}, "floor": {"true_ms": spread(times["true"])}}

    def preloaded(self) -> str:
        """Returns what drom run preloads into a program without MPI whose team keeps its size."""
        with TableFolder() as table:
            return output_of([self.build.drom, "run", "--", "printenv", "LD_PRELOAD"], table.env).strip()

    def preload_true(self) -> Figure:
        preloads = {"bare": {}, "empty": {"LD_PRELOAD": self.build.bench("libbench_nothing.so")}, "drom": {"LD_PRELOAD": self.preloaded()}}
        times: dict[str, list[float]] = {name: [] for name in preloads}
        with TableFolder() as table:
            for _ in range(self.times(300)):
                for name, preload in preloads.items():
                    times[name].append(wall_us(["/bin/true"], table.env | preload))
        def over(base: str) -> Figure:
            return spread([a - b for a, b in zip(times["drom"], times[base], strict=True)])

        return over("bare") | {"over_empty_preload": over("empty"), "floor": {"true_us": spread(times["bare"]), "with_empty_preload_us": spread(times["empty"])}}

    # ---- MPI ---------------------------------------------------------------------------------------------------------

    def mpis(self) -> list[str]:
        found = [mpi for mpi in ("openmpi", "mpich") if Path(self.build.bench(f"mpi_calls-{mpi}")).exists()]
        if not found:
            raise CannotMeasure("no MPI compiler: mpicc.openmpi or mpicc.mpich is needed")
        return found

    def mpi_call(self, **variables: str) -> Figure:
        """Measures a call through our entry point less the library's own, batch by batch in one process."""
        parts = {}
        for mpi in self.mpis():
            with TableFolder() as table:
                text = output_of([self.build.drom, "run", "--", self.build.bench(f"mpi_calls-{mpi}"), "call", str(self.times(200)), "100000"],
                                 table.env | AS_ROOT | variables)
            pairs = [(float(through), float(straight)) for through, straight in (line.split() for line in text.splitlines())]
            parts[mpi] = spread([a - b for a, b in pairs]) | {"floor": {"the_call_itself_ns": spread([b for _, b in pairs])}}
        return worst(parts)

    def mpi_call_off(self) -> Figure:
        return self.mpi_call(DROM_DISABLE="1")

    def mpi_call_idle(self) -> Figure:
        return self.mpi_call()

    def mpi_rounds(self, what: str) -> Figure:
        """Compares two ranks under drom run beside two by themselves, launch by launch in turns: the ratio of each pair
        of launches."""
        parts = {}
        for mpi in self.mpis():
            # Bound the same way on both sides: one CPU each.
            launcher = [f"mpirun.{mpi}", *(["--bind-to", "none"] if mpi == "openmpi" else []), "-np", "2"]
            rank = [self.build.bench(f"mpi_calls-{mpi}"), what, "40", "5000"]
            ratios, bare = [], []
            with TableFolder() as table:
                for _ in range(self.times(7)):
                    sides = []
                    for front in ([self.build.drom, "run", "--"], ["sh", "-c", BIND_BY_RANK, "sh"]):
                        text = output_of([*launcher, *front, *rank], table.env | AS_ROOT)
                        sides.append(statistics.median(float(line) for line in text.split()))
                    ratios.append(sides[0] / sides[1])
                    bare.append(sides[1])
            parts[mpi] = spread(ratios) | {"floor": {"bare_ns": spread(bare)}}
        return worst(parts)

    def mpi_pingpong(self) -> Figure:
        return self.mpi_rounds("pingpong")

    def mpi_allreduce(self) -> Figure:
        return self.mpi_rounds("allreduce")

    def agent_rss(self) -> Figure:
        def rss(guest: Guest) -> float:
            text = Path(f"/proc/{guest.pid}/smaps_rollup").read_text()
            return float(next(line.split()[1] for line in text.splitlines() if line.startswith("Rss:")))

        parts = {}
        for runtime in RUNTIMES:
            pairs = []
            for _ in range(self.times(10)):
                with (TableFolder() as table, Guest(self.build, runtime, "follow", 0, table=table) as ours,
                      Guest(self.build, runtime, "follow", 0) as bare):
                    pairs.append((rss(ours), rss(bare)))
            parts[runtime] = spread([a - b for a, b in pairs]) | {"floor": {"bare_kib": statistics.median(b for _, b in pairs)}}
        return worst(parts)


@dataclass(frozen=True)
class Promise:
    """`target` and `incumbent` are the issue's; an incumbent of None was not measured."""

    measure: Callable[[Measurer], Figure]
    what: str
    unit: str
    target: float | None
    incumbent: float | str | None = None


FIGURES = {
    "idle_poll_ns": Promise(Measurer.idle_poll, "drom_poll with nothing to do, less an empty call into a library", "ns", 1, 10.5),
    "safe_point_omp_region_ns_over_bare": Promise(Measurer.region_cost, "an empty region under drom run, less one of the same program by itself",
                                                  "ns", 20, "117 (2 threads), 45 (1 thread)"),
    "full_size_over_bare": Promise(Measurer.full_size, "2 threads on 2 CPUs under drom run, without a request, beside the same program by itself: the "
                                   "largest of regions of 0.025 ms and of 10 ms", "ratio", 1.01),
    "set_async_us": Promise(Measurer.set_async, "drom_set_mask that does not wait, for an idle client", "us", 1, "0.14-0.31"),
    "dlb_poll_ns": Promise(Measurer.dlb_poll, "DLB_PollDROM with nothing to do, the whole call", "ns", 8, 10.5),
    "dlb_look_ns": Promise(Measurer.dlb_look, "DLB_DROM_GetProcessMask of oneself, without Attach; beside it another process, which is asked whether it "
                           "lives", "ns", None, "1-17"),
    "dlb_set_async_us": Promise(Measurer.dlb_set, "DLB_DROM_SetProcessMask that does not wait, for a process that polls", "us", 10, "0.14-0.31"),
    "dlb_preinit_us": Promise(Measurer.dlb_preinit, "DLB_DROM_PreInit for a process that does not exist yet", "us", 1, 0.3),
    "set_released_spin_p50_us": Promise(Measurer.released_spin, "take a CPU from empty regions back to back, until released", "us", 100, 10_100),
    "set_released_1ms_p50_us": Promise(Measurer.released_1ms, "take a CPU from regions of 1 ms, until released", "us", 100, 10_100),
    "set_released_serial_p99_us": Promise(Measurer.released_serial, "take a CPU in a serial phase or one long region, until released: 99th of 100",
                                          "us", 1000, "never"),
    "set_resized_1ms_p50_us": Promise(Measurer.resized_1ms, "take a CPU from regions of 1 ms, until the team has followed", "us", 1100, 880),
    "cpu_free_after_release_us": Promise(Measurer.cpu_free, "last time within a second that a thread of the former owner was seen on the CPU",
                                         "us", 0, "188,000 or never"),
    "confined_fine_grained_over_resized": Promise(Measurer.confined_fine, "2 threads held on one CPU beside 1 thread there, 40,000 regions a second",
                                                  "ratio", 2.5),
    "confined_fine_grained_over_passive": Promise(Measurer.confined_passive, "the same beside 2 threads started on that CPU with the best of the "
                                                  "runtime's own settings", "ratio", 1.03),
    "confined_midregion_over_start": Promise(Measurer.confined_midregion, "a region with barriers that loses a CPU in its middle, processor time beside "
                                             "one that had one CPU from the start", "ratio", 1.1),
    "confined_coarse_over_resized": Promise(Measurer.confined_coarse, "2 threads held on one CPU beside 1 thread there, 100 regions a second",
                                            "ratio", 1.07),
    "confined_tbb_over_native": Promise(Measurer.confined_tbb, "oneTBB's 2 threads confined to one CPU beside 1 thread there: the larger of loops "
                                        "of 0.2 ms and of 10 ms", "ratio", None),
    "confined_nested_gomp_over_native": Promise(Measurer.confined_nested, "libgomp's teams inside teams confined to one CPU beside 1 thread there: the "
                                                "largest of regions of 0.2 ms and of 10 ms", "ratio", None),
    "resized_over_native": Promise(Measurer.resized_over_native, "shrunk to 1 thread beside started with 1", "ratio", 1.03),
    "attach_us": Promise(Measurer.attach, "drom_init in a fresh process, the table exists", "us", 300, 3100),
    "list_ms": Promise(Measurer.list_clients, "drom list, the whole process", "ms", 3, 12.8),
    "preload_true_us": Promise(Measurer.preload_true, "/bin/true with what drom run preloads, less /bin/true", "us", 50, "600-4,400"),
    "mpi_call_off_ns": Promise(Measurer.mpi_call_off, "MPI_Wait with libdrom-mpi.so there and switched off, less the MPI library's own", "ns", 0.5, 26),
    "mpi_call_idle_ns": Promise(Measurer.mpi_call_idle, "MPI_Wait of a client with nothing to do, less the MPI library's own", "ns", 3, "28-30"),
    "mpi_pingpong_over_bare": Promise(Measurer.mpi_pingpong, "8 bytes there and back between 2 ranks under drom run, beside bare ranks", "ratio", None),
    "mpi_allreduce_over_bare": Promise(Measurer.mpi_allreduce, "MPI_Allreduce of 2 ranks under drom run, beside bare ranks", "ratio", None),
    "agent_rss_kib": Promise(Measurer.agent_rss, "memory of a program under drom run, less that of the same program by itself", "KiB", 1024),
    "floors": Promise(Measurer.floors, "what the system's own calls cost", "us", None),
}


def load1() -> float:
    return round(os.getloadavg()[0], 2)


def described(promise: Promise) -> Figure:
    return {"what": promise.what, "unit": promise.unit, "target": promise.target, "incumbent": promise.incumbent}


def missing(key: str, why: CannotMeasure) -> Figure:
    """Returns the row of a figure that could not be measured: a row that is only left out is not missed."""
    return described(FIGURES[key]) | {"missing": str(why)}


def measure(measurer: Measurer, key: str) -> Figure:
    promise = FIGURES[key]
    before = load1()
    begin = time.monotonic()
    figure = promise.measure(measurer)
    return figure | described(promise) | {"load1": max(before, load1()),
                     "seconds": round(time.monotonic() - begin, 1), "command": f"scripts/bench.sh --only {key}"}


def line(key: str, figure: Figure) -> str:
    if "value" not in figure:
        return f"{key:36} " + ", ".join(f"{name} {part['value']:g}" for name, part in figure.items() if isinstance(part, dict))
    target, value = figure["target"], figure["value"]
    verdict = "" if target is None else "reached" if value <= target else "MISSED"
    around = f"{figure['min']:g} .. {figure['p90']:g}" if "p90" in figure else ""
    return f"{key:36} {value:>10g} {figure['unit']:5} target {target!s:>6} {verdict:8} {around:22} incumbent {figure['incumbent']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="the build's folder")
    parser.add_argument("--out", type=Path, required=True, help="the summary to write; what it has of other keys is kept")
    parser.add_argument("--only", action="append", choices=FIGURES, metavar="KEY", help="this key (may be repeated): " + ", ".join(FIGURES))
    parser.add_argument("--quick", action="store_true", help="a fifth of the samples")
    options = parser.parse_args()

    if not {0, 1} <= os.sched_getaffinity(0):
        print("bench: measure: CPUs 0 and 1 are needed, and this process may not use both", file=sys.stderr)
        return 1
    measurer = Measurer(Build(options.build.resolve()), 0.2 if options.quick else 1)
    summary = json.loads(options.out.read_text()) if options.only and options.out.exists() else {}
    failed = 0
    for key in options.only or FIGURES:
        try:
            summary[key] = measure(measurer, key)
            print(line(key, summary[key]), flush=True)
        except CannotMeasure as why:
            failed += 1
            summary[key] = missing(key, why)
            print(f"bench: measure {key}: {why}", file=sys.stderr, flush=True)
    summary["load1"] = load1()
    summary["machine"] = {"cpus": os.cpu_count(), "kernel": platform.release(), "processor": platform.machine()}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(summary, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
