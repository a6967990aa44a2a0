// SPDX-License-Identifier: BSD-3-Clause
// tbb.cpp - a program of oneTBB that knows nothing of drom and computes until a signal ends it.
#include <tbb/parallel_for.h>

int main() {
    for (;;)
        tbb::parallel_for(0, 64, [](int) {
            for (volatile int i = 0; i < 200'000; i = i + 1) {}
        });
}
