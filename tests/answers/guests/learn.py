# SPDX-License-Identifier: BSD-3-Clause
"""learn.py - Python with extension modules that have regions: numpy on a BLAS, scikit-learn on libgomp, threadpoolctl.

  gemm      products of matrices of whole numbers
  kmeans    KMeans on whole numbers: each thread has its own centres, which are added up
  boosting  HistGradientBoosting
  limits    threadpoolctl sets every runtime in the process to one thread for a while

learn.py MODE SCALE prints a result that depends on nothing but MODE, SCALE and the number of threads.
"""

import sys
import zlib

import numpy
from threadpoolctl import threadpool_info, threadpool_limits


def whole_numbers(rows, columns, seed):
    return numpy.random.RandomState(seed).randint(0, 32, (rows, columns)).astype(float)


def gemm(scale):
    left, right, folded = whole_numbers(300, 300, 1), whole_numbers(300, 300, 2), 0
    for _ in range(scale):
        product = left @ right
        folded = zlib.crc32(product.tobytes(), folded)
        left = product % 31
    return folded


def kmeans(scale):
    from sklearn.cluster import KMeans  # takes seconds, and the other modes do not need it

    points, folded = whole_numbers(20000, 8, 3), 0
    for seed in range(max(2, scale // 20)):
        fitted = KMeans(6, n_init=1, max_iter=12, tol=0, random_state=seed, algorithm="lloyd").fit(points)
        folded = zlib.crc32(fitted.labels_.tobytes(), folded)
    return folded


def boosting(scale):
    from sklearn.ensemble import HistGradientBoostingClassifier

    points = whole_numbers(4000, 6, 4)
    wanted = (points.sum(axis=1) > 93).astype(int)
    folded = 0
    for _ in range(max(1, scale // 25)):
        fitted = HistGradientBoostingClassifier(max_iter=12, random_state=1).fit(points, wanted)
        folded = zlib.crc32(fitted.predict(points).tobytes(), folded)
    return folded


def sizes():
    """Returns the size of each runtime's next team, as the runtime says."""
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp"]


def limits(scale):
    seen = [kmeans(1), sizes()]
    for round_number in range(max(3, scale // 8)):
        with threadpool_limits(1, user_api="openmp"):
            seen += [sizes(), kmeans(1), sizes()]
        if round_number % 2:
            seen += [kmeans(1), sizes()]
    return zlib.crc32(repr(seen).encode())


def main():
    modes = {"gemm": gemm, "kmeans": kmeans, "boosting": boosting, "limits": limits}
    if len(sys.argv) < 3 or sys.argv[1] not in modes:
        sys.exit(f"learn.py: {' '.join(sys.argv[1:])}: one of {', '.join(modes)}, and a scale")
    print(f"{sys.argv[1]} checksum {modes[sys.argv[1]](int(sys.argv[2])):08x}")


main()
