// SPDX-License-Identifier: BSD-3-Clause
// loads_mpi.c - a host of a language whose extension module loads MPI with dlopen, invisible to all other libraries, as
// Python does.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* module = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    int (*run)(void) = (int (*)(void))dlsym(module, "run");
    return run == NULL ? 1 : run();
}
