# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads lines `SIDE first|following TOTAL_NS DRIVER_NS` and prints medians and the ratios to syclrtc's."""

import statistics
import sys
from collections import defaultdict

OURS = "syclrtc"


def main(path):
    samples = defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            side, which, total, driver = line.split()
            samples[which, side].append((int(total) / 1e6, int(driver) / 1e6))
    sides = sorted({side for _, side in samples}, key=lambda side: (side != OURS, side))

    print(f"{'build':<11}{'side':<18}{'n':>3}{'total':>12}{'driver':>12}{'own':>12}{'least..most (total)':>24}")
    medians = {}
    for which in ("first", "following"):
        for side in sides:
            rows = samples[which, side]
            totals = [total for total, _ in rows]
            # "own" is the median of the differences, which need not be the difference of the medians.
            total, driver, own = (
                statistics.median(totals),
                statistics.median(driver for _, driver in rows),
                statistics.median(total - driver for total, driver in rows),
            )
            medians[which, side] = total, own
            spread = f"{min(totals):.1f}..{max(totals):.1f}"
            print(f"{which:<11}{side:<18}{len(rows):>3}{total:>9.1f} ms{driver:>9.1f} ms{own:>9.1f} ms{spread:>24}")
    print()
    for which in ("first", "following"):
        our_total, our_own = medians[which, OURS]
        for side in sides:
            if side == OURS:
                continue
            total, own = medians[which, side]
            print(
                f"{which} builds: {OURS} is {total / our_total:.1f} times as fast as {side}"
                f" ({own / our_own:.1f} times without the driver's share)"
            )


if __name__ == "__main__":
    main(sys.argv[1])
