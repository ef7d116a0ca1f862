# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the figures on compile speed and caching, and writes them as a table, as JSON and as a plot.

run.sh has built the programs that this calls. A part is a function that returns figures; the sides of a part take turns.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import plot

MS = 1e6  # nanoseconds


class Failure(Exception):
    """A part could not be measured."""


@dataclass
class Figure:
    """One line of the table. `score` is compared with `wanted`, in the sense that `at_most` says."""

    what: str
    ours: str
    theirs: str
    score: float
    wanted: float | None = None
    at_most: bool = True
    unit: str = ""

    @property
    def reached(self):
        if self.wanted is None:
            return None
        return self.score <= self.wanted if self.at_most else self.score >= self.wanted


def ms(nanoseconds):
    return f"{nanoseconds / MS:.1f} ms" if nanoseconds < 100 * MS else f"{nanoseconds / MS:.0f} ms"


def times_as_fast(what, ours, theirs, wanted):
    return Figure(what, ms(ours), ms(theirs), theirs / ours, wanted, at_most=False, unit="x")


@dataclass
class Build:
    """What one build took, in nanoseconds."""

    total: int
    driver: int

    @property
    def own(self):
        return self.total - self.driver


def median(builds, share):
    return statistics.median(getattr(build, share) for build in builds)


class Bench:
    def __init__(self, out, kernels, nvrtc, quick):
        self.out, self.kernels, self.nvrtc, self.quick = out, kernels, nvrtc, quick
        self.bin = out / "bin"
        self.timer = self.bin / "libdriver_timer.so"
        self.samples = {}
        # Nothing of the user's may change what is measured, and nothing of the user's is changed.
        self.base = {k: v for k, v in os.environ.items() if not k.startswith(("SYCL", "ONEAPI", "XDG_CACHE"))}
        self.base |= {"OPENCL_LAYERS": str(self.timer), "SYCL_CACHE_PERSISTENT": "0", "XDG_CACHE_HOME": str(out / "cache")}

    def few(self, full, quick):
        return quick if self.quick else full

    def environment(self, **changes):
        return self.base | {k: str(v) for k, v in changes.items()}

    def run(self, command, limit=900, **environment):
        command = [str(word) for word in command]
        try:
            done = subprocess.run(
                command, env=self.environment(**environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired as late:
            raise Failure(f"no end after {limit} s: {' '.join(command)}") from late
        if done.returncode:
            raise Failure(f"exit {done.returncode} of {' '.join(command)}\n{done.stderr.strip()}")
        return done

    def builds(self, side, workload, count, *options, **environment):
        """Builds in one fresh process."""
        command = [self.bin / f"builds.{side}", self.kernels, self.timer, workload, count, *options]
        lines = self.run(command, **environment).stdout.split("\n")[:-1]
        return [Build(*map(int, line.split())) for line in lines]

    def note(self, part, **samples):
        """Keeps what was measured, for figures.json."""
        self.samples.setdefault(part, {}).update(samples)

    def fresh(self, name):
        """An empty folder."""
        folder = self.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def times(self, part, sides):
        """Notes the medians of some sides and gives them to the plot."""
        self.note(part, **{name: [[b.total, b.driver] for b in builds] for name, builds in sides.items()})


def first(bench):
    """The first build of a process, for the tiny kernel."""
    sides = {"syclrtc": [], "syclrtc, no preamble file": [], "DPC++": []}
    bench.builds("syclrtc", "tiny", 1)
    for _ in range(bench.few(9, 2)):
        sides["syclrtc"] += bench.builds("syclrtc", "tiny", 1)
        sides["syclrtc, no preamble file"] += bench.builds("syclrtc", "tiny", 1, SYCLRTC_PREAMBLES="off")
        sides["DPC++"] += bench.builds("dpcpp", "tiny", 1)
    bench.times("first", sides)
    ours, bare, theirs = (median(builds, "own") for builds in sides.values())
    return [
        Figure("first build, own share", ms(ours), f"DPC++ {ms(theirs)}", ours / MS, 60, unit=" ms"),
        Figure("first build without a preamble file, own share", ms(bare), f"DPC++ {ms(theirs)}", bare / MS, unit=" ms"),
    ]


def following(bench):
    """More builds in the same process, another text each."""
    sides = {"syclrtc": [], "DPC++": [], "DPC++ --auto-pch": []}
    nvrtc = []
    count = bench.few(6, 3)
    for _ in range(bench.few(5, 2)):
        sides["syclrtc"] += bench.builds("syclrtc", "tiny", 4 * count)[1:]
        lines = bench.run([bench.bin / "nvrtc", bench.nvrtc, bench.kernels / "tiny.cu", 4 * count]).stdout.split()
        nvrtc += [int(line) for line in lines[1:]]
        sides["DPC++"] += bench.builds("dpcpp", "tiny", count)[1:]
        sides["DPC++ --auto-pch"] += bench.builds("dpcpp", "tiny", count, "--auto-pch")[1:]
    bench.times("following", sides | {"NVRTC": [Build(t, 0) for t in nvrtc]})
    own, total = median(sides["syclrtc"], "own"), median(sides["syclrtc"], "total")
    cuda = statistics.median(nvrtc)
    return [
        Figure("following build, own share, against NVRTC", ms(own), f"NVRTC {ms(cuda)}", own / cuda, 0.4, unit="x"),
        times_as_fast("following build, all in, against DPC++", total, median(sides["DPC++"], "total"), 60),
        times_as_fast("following build, all in, against DPC++ --auto-pch", total, median(sides["DPC++ --auto-pch"], "total"), 45),
    ]


def templates(bench):
    """Sources with many instantiations, not the first of the process."""
    figures = []
    for workload, what in (("instantiations", "30 instantiations"), ("matrix", "200 lines with templates")):
        sides = {"syclrtc": [], "DPC++": []}
        for _ in range(bench.few(3, 1)):
            sides["syclrtc"] += bench.builds("syclrtc", workload, bench.few(6, 3))[1:]
            sides["DPC++"] += bench.builds("dpcpp", workload, bench.few(3, 2))[1:]
        bench.times(workload, sides)
        for share, words in (("own", "own share"), ("total", "all in")):
            ours, theirs = (median(builds, share) for builds in sides.values())
            figures.append(times_as_fast(f"{what}, {words}", ours, theirs, 20))
    return figures


def macros(bench):
    """Twenty builds that differ in macros against twenty that differ in the text."""
    count = bench.few(20, 5)
    sums = {"fft-macros": [], "fft-text": []}
    sides = {"fft-macros": [], "fft-text": []}
    for _ in range(bench.few(3, 1)):
        for workload in sides:
            # The first build of a process stands for itself in `first`.
            builds = bench.builds("syclrtc", workload, count + 1)[1:]
            sides[workload] += builds
            sums[workload].append(sum(build.total for build in builds))
    bench.times("macros", sides)
    by_macros, by_text = (statistics.median(totals) for totals in sums.values())
    own = median(sides["fft-macros"], "own") / median(sides["fft-text"], "own")
    return [
        Figure(f"{count} builds that differ in -D only", ms(by_macros), f"in the text {ms(by_text)}", by_macros / by_text, 1.2, unit="x"),
        Figure("differing in -D only, own share of a build", ms(median(sides["fft-macros"], "own")), f"in the text {ms(median(sides['fft-text'], 'own'))}", own, 1.2, unit="x"),
    ]


def hit(bench):
    """A new process finds its kernel in the persistent cache."""
    folder = bench.fresh("persistent")
    cached = {"SYCL_CACHE_PERSISTENT": 1}
    binary = folder / "binary"
    for side in ("syclrtc", "dpcpp"):
        bench.builds(side, "tiny", 1, SYCL_CACHE_DIR=folder / side, **cached)
    # The driver's own binary of this kernel, for the comparison with the bare driver.
    bench.builds("syclrtc", "tiny", 1, DRIVER_TIMER_KEEP=binary)
    sides = {"syclrtc": [], "DPC++": []}
    raw = []
    for _ in range(bench.few(15, 4)):
        sides["syclrtc"] += bench.builds("syclrtc", "tiny", 1, SYCL_CACHE_DIR=folder / "syclrtc", **cached)
        raw.append(int(bench.run([bench.bin / "raw_opencl", "load", binary]).stdout))
        sides["DPC++"] += bench.builds("dpcpp", "tiny", 1, SYCL_CACHE_DIR=folder / "dpcpp", **cached)
    bench.times("hit", sides | {"bare driver": [Build(t, t) for t in raw]})
    ours, theirs, bare = median(sides["syclrtc"], "total"), median(sides["DPC++"], "total"), statistics.median(raw)
    return [
        times_as_fast("persistent hit in a new process, against DPC++'s hit", ours, theirs, 80),
        Figure("persistent hit, against clCreateProgramWithBinary and build", ms(ours), f"bare driver {ms(bare)}", ours / bare, 2, unit="x"),
    ]


def watched(bench, command, **environment):
    """Peak memory in KiB, and the number of processes seen."""
    report = bench.out / "watched"
    bench.run([bench.bin / "watch", report, *command], **environment)
    return tuple(map(int, report.read_text(encoding="utf-8").split()))


def peak(bench):
    """Peak memory of a process that builds one kernel, with all processes that it starts."""
    sides = {"syclrtc": [], "dpcpp": []}
    for _ in range(bench.few(5, 2)):
        for side, peaks in sides.items():
            peaks.append(watched(bench, [bench.bin / f"many.{side}", bench.kernels, "list", 1])[0])
    bench.note("peak", **sides)
    ours, theirs = (statistics.median(peaks) / 1024 for peaks in sides.values())
    return [Figure("peak memory of one build, all processes (sum of Pss)", f"{ours:.0f} MiB", f"DPC++ {theirs:.0f} MiB", theirs / ours, 3, at_most=False, unit="x")]


def together(bench, processes, command, limit=3600, **environment):
    """Starts a command several times at once; the outputs, and the nanoseconds until the last one has ended."""
    begin = time.monotonic()
    running = [
        subprocess.Popen(list(map(str, command)), env=bench.environment(**environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    try:
        # What they print fits into the pipes.
        ended = [process.communicate(timeout=limit) for process in running]
    except subprocess.TimeoutExpired as late:
        raise Failure(f"no end after {limit} s: {command}") from late
    finally:
        for process in running:
            process.kill()
    wall = (time.monotonic() - begin) * 1e9
    for process, (_, errors) in zip(running, ended):
        if process.returncode:
            raise Failure(f"exit {process.returncode} of {command}\n{errors}")
    return [output for output, _ in ended], wall


def cold(bench):
    """Processes that start together on an empty cache and build the same kernels."""
    processes, kernels = bench.few((16, 50), (4, 6))
    outputs, walls = {}, {}
    for side in ("syclrtc", "dpcpp"):
        command = [bench.bin / f"many.{side}", bench.kernels, "list", kernels]
        outputs[side], walls[side] = together(bench, processes, command, SYCL_CACHE_PERSISTENT=1, SYCL_CACHE_DIR=bench.fresh(f"cold/{side}"))
    compiles = sum(map(int, outputs["syclrtc"]))
    if compiles < kernels:
        raise Failure(f"{compiles} compiles cannot have made {kernels} kernels")
    bench.note("cold", processes=processes, kernels=kernels, compiles=compiles, **walls)
    return [
        Figure(f"{processes} processes, cold, the same {kernels} kernels: compiles of each", f"{compiles} in all", "", compiles / kernels, 1),
        times_as_fast(f"{processes} processes, cold: wall time", walls["syclrtc"], walls["dpcpp"], None),
    ]


def unused(bench):
    """The cost of a library that is not used, and of a compiler that need not be started."""
    rounds = bench.few(2000, 200)
    lines = bench.run([bench.bin / "spawn", rounds, bench.bin / "empty", bench.bin / "empty.syclrtc"]).stdout
    base, base_processor, linked, linked_processor = map(int, lines.split())
    folder = bench.fresh("unused")
    cached = {"SYCL_CACHE_PERSISTENT": 1, "SYCL_CACHE_DIR": folder}
    command = [bench.bin / "many.syclrtc", bench.kernels, "list", 3]
    _, at_first = watched(bench, command, **cached)
    if at_first < 2:
        raise Failure("a cold process was not seen to start the compiler program, so this cannot tell")
    _, later = watched(bench, command, **cached)
    bench.note("unused", clock=[base, linked], processor=[base_processor, linked_processor], cold_processes=at_first, cached_processes=later)
    return [
        Figure("start of an empty program, linked", ms(linked), f"not linked {ms(base)}", (linked - base) / MS, 1, unit=" ms more"),
        Figure("start of an empty program, linked, time on the processor", ms(linked_processor), f"not linked {ms(base_processor)}", (linked_processor - base_processor) / MS, 1, unit=" ms more"),
        Figure("processes that a program with cached kernels starts", str(later - 1), f"cold {at_first - 1}", later - 1, 0, unit=""),
    ]


def memory(bench):
    """Growth by building distinct kernels and letting go of them. What the bare driver keeps of a build is taken off."""
    count = bench.few(10000, 200)
    kept = bench.fresh("memory") / "binary"
    bench.builds("syclrtc", "tiny", 1, DRIVER_TIMER_KEEP=kept)
    driver = float(bench.run([bench.bin / "raw_opencl", "loop", f"{kept}.spv", max(count // 4, 100)], limit=3600).stdout)
    program, helpers = map(float, bench.run([bench.bin / "many.syclrtc", bench.kernels, "loop", count], limit=3600).stdout.split())
    bench.note("memory", count=count, program=program, driver=driver, helpers=helpers)
    return [
        Figure(f"{count} distinct builds: growth of the application, each", f"{program:.0f} bytes", f"bare driver {driver:.0f} bytes", program - driver, 1024, unit=" bytes"),
        # A page more or less is no growth.
        Figure("growth of the compiler program, each", f"{helpers:.1f} bytes", "", helpers, max(1, 65536 / count), unit=" bytes"),
    ]


def threads(bench):
    """Threads that build at the same time, half of the sources with errors, against one thread."""
    count, each = bench.few((24, 20), (8, 4))
    walls = {"parallel": [], "serial": []}
    for _ in range(bench.few(3, 1)):
        walls["parallel"].append(int(bench.run([bench.bin / "many.syclrtc", bench.kernels, "threads", count, each]).stdout))
        walls["serial"].append(int(bench.run([bench.bin / "many.syclrtc", bench.kernels, "threads", 1, count * each]).stdout))
    bench.note("threads", **walls)
    parallel, serial = (statistics.median(times) for times in walls.values())
    cores = len(os.sched_getaffinity(0))
    return [Figure(f"{count} threads x {each} kernels, half with errors, {cores} cores", ms(parallel), f"one thread {ms(serial)}", serial / parallel, None, at_most=False, unit="x")]


PARTS = {part.__name__: part for part in (first, following, templates, macros, hit, peak, cold, unused, memory, threads)}


def table(figures):
    head = ("figure", "ours", "theirs", "score", "wanted", "reached")
    rows = [head]
    for f in figures:
        sign = "at most " if f.at_most else "at least "
        wanted = "" if f.wanted is None else f"{sign}{f.wanted:g}{f.unit}"
        rows.append((f.what, f.ours, f.theirs, f"{f.score:.3g}{f.unit}", wanted, {None: "", True: "yes", False: "NO"}[f.reached]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kernels", type=Path, required=True)
    parser.add_argument("--nvrtc", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {' '.join(unknown)}; there are {' '.join(PARTS)}")

    bench = Bench(arguments.out, arguments.kernels, arguments.nvrtc, arguments.quick)
    figures, failures = [], []
    for name in arguments.parts or PARTS:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            figures += PARTS[name](bench)
        except (Failure, OSError) as failure:
            failures.append(name)
            print(f"FAILED: {name}: {failure}", file=sys.stderr)
    text = table(figures)
    print(text)
    (bench.out / "figures.txt").write_text(text + "\n", encoding="utf-8")
    record = {"figures": [asdict(f) | {"reached": f.reached} for f in figures], "samples": bench.samples, "quick": bench.quick, "failed": failures}
    (bench.out / "figures.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (bench.out / "figures.svg").write_text(plot.draw(figures, bench.samples), encoding="utf-8")
    if failures:
        print(f"not measured: {' '.join(failures)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
