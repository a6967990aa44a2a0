/* SPDX-License-Identifier: BSD-3-Clause
 * talp_test.c - monitoring regions as a program written for TALP uses them: handles, codes, figures. */
#include "check.h"

#include <dlb_talp.h>
#include <pthread.h>
#include <stdint.h>

static void wait_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Checks the binary interface of programs that were compiled with DLB's header. */
static void layout(void) {
    CHECK(sizeof(dlb_monitor_t), 176);
    CHECK(offsetof(dlb_monitor_t, num_cpus), 8);
    CHECK(offsetof(dlb_monitor_t, avg_cpus), 12);
    CHECK(offsetof(dlb_monitor_t, num_measurements), 32);
    CHECK(offsetof(dlb_monitor_t, num_resets), 36);
    CHECK(offsetof(dlb_monitor_t, start_time), 72);
    CHECK(offsetof(dlb_monitor_t, elapsed_time), 88);
    CHECK(offsetof(dlb_monitor_t, useful_time), 96);
    CHECK(offsetof(dlb_monitor_t, omp_serialization_time), 128);
    CHECK(offsetof(dlb_monitor_t, _data), 168);
}

static void without_talp(void) {
    CHECK(DLB_MonitoringRegionRegister("early") == NULL, 1);
    CHECK(DLB_MonitoringRegionGetGlobal() == NULL, 1);
    CHECK(DLB_MonitoringRegionStart(NULL), DLB_ERR_NOTALP);
    CHECK(DLB_MonitoringRegionStop(NULL), DLB_ERR_NOTALP);
    CHECK(DLB_MonitoringRegionStop(DLB_LAST_OPEN_REGION), DLB_ERR_NOTALP);
    CHECK(DLB_MonitoringRegionReset(NULL), DLB_ERR_NOTALP);
    CHECK(DLB_MonitoringRegionReport(NULL), DLB_ERR_NOTALP);
    CHECK(DLB_MonitoringRegionsUpdate(), DLB_ERR_NOTALP);
}

static void whole_program(void) {
    dlb_monitor_t* global = DLB_MonitoringRegionGetGlobal();
    int64_t elapsed;
    CHECK(global != NULL, 1);
    CHECK(strcmp(global->name, DLB_GLOBAL_REGION_NAME), 0);
    CHECK(DLB_MonitoringRegionRegister("gLOBAL") == global, 1);
    CHECK(DLB_MonitoringRegionGetImplicit() == global && DLB_MonitoringRegionGetMPIRegion() == global, 1);
    CHECK(DLB_MonitoringRegionStart(DLB_GLOBAL_REGION), DLB_NOUPDT);
    CHECK(DLB_MonitoringRegionsUpdate(), DLB_SUCCESS);
    elapsed = global->elapsed_time;
    wait_ms(5);
    CHECK(DLB_MonitoringRegionsUpdate(), DLB_SUCCESS);
    CHECK(global->elapsed_time >= elapsed + 5000000, 1);
    CHECK(global->num_measurements, 0);
    CHECK(global->start_time > 0 && global->stop_time == 0, 1);
}

static void one_region(void) {
    dlb_monitor_t* region = DLB_MonitoringRegionRegister("one");
    int i;
    CHECK(region != NULL, 1);
    CHECK(DLB_MonitoringRegionRegister("one") == region && DLB_MonitoringRegionRegister("One") != region, 1);
    CHECK(DLB_MonitoringRegionStop(region), DLB_NOUPDT);
    for (i = 0; i < 3; ++i) {
        CHECK(DLB_MonitoringRegionStart(region), DLB_SUCCESS);
        CHECK(DLB_MonitoringRegionStart(region), DLB_NOUPDT);
        wait_ms(4);
        CHECK(DLB_MonitoringRegionStop(region), DLB_SUCCESS);
        CHECK(DLB_MonitoringRegionStop(region), DLB_NOUPDT);
    }
    CHECK(region->num_measurements, 3);
    CHECK(region->elapsed_time >= 12000000, 1);
    CHECK(region->useful_time >= 0 && region->useful_time < region->elapsed_time, 1);
    CHECK(region->num_cpus, 2);
    CHECK(region->avg_cpus > 1.99F && region->avg_cpus < 2.01F, 1);
    CHECK(region->stop_time >= region->start_time + 4000000, 1);
    CHECK(region->mpi_time == 0 && region->num_mpi_calls == 0, 1);
    CHECK(DLB_MonitoringRegionReport(region), DLB_SUCCESS);
    CHECK(DLB_MonitoringRegionReset(region), DLB_SUCCESS);
    CHECK(region->num_resets == 1 && region->num_measurements == 0 && region->elapsed_time == 0, 1);
    CHECK(DLB_MonitoringRegionStart(region), DLB_SUCCESS);
    CHECK(DLB_MonitoringRegionReset(region), DLB_SUCCESS);
    CHECK(DLB_MonitoringRegionStop(region), DLB_NOUPDT);
    CHECK(DLB_MonitoringRegionStart(region), DLB_SUCCESS);
    CHECK(DLB_MonitoringRegionStop(region), DLB_SUCCESS);
    CHECK(region->num_resets == 2 && region->elapsed_time < 4000000, 1);
}

static void names_and_handles(void) {
    char name[200];
    dlb_monitor_t* nameless = DLB_MonitoringRegionRegister(NULL);
    dlb_monitor_t* other = DLB_MonitoringRegionRegister("");
    dlb_monitor_t stranger;
    memset(&stranger, 0, sizeof stranger);
    CHECK(nameless != NULL && other != NULL && nameless != other, 1);
    CHECK(DLB_MonitoringRegionRegister("ALL") == NULL, 1);
    CHECK(DLB_MonitoringRegionRegister((const char*)DLB_LAST_OPEN_REGION) == NULL, 1);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    other = DLB_MonitoringRegionRegister(name);
    CHECK(other != NULL && strlen(other->name) == DLB_MONITOR_NAME_MAX - 1, 1);
    CHECK(DLB_MonitoringRegionRegister(name) == other, 1);
    CHECK(DLB_MonitoringRegionStart(&stranger), DLB_ERR_NOENT);
    CHECK(DLB_MonitoringRegionStart(DLB_LAST_OPEN_REGION), DLB_ERR_NOENT);
}

static void last_open_region(void) {
    dlb_monitor_t* first = DLB_MonitoringRegionRegister("first");
    dlb_monitor_t* last = DLB_MonitoringRegionRegister("last");
    CHECK(DLB_MonitoringRegionStart(first), DLB_SUCCESS);
    CHECK(DLB_MonitoringRegionStart(last), DLB_SUCCESS);
    CHECK(DLB_MonitoringRegionStop(DLB_LAST_OPEN_REGION), DLB_SUCCESS);
    CHECK(last->num_measurements == 1 && first->num_measurements == 0, 1);
    CHECK(DLB_MonitoringRegionStop(DLB_LAST_OPEN_REGION), DLB_SUCCESS);
    CHECK(first->num_measurements, 1);
    CHECK(DLB_MonitoringRegionStop(DLB_LAST_OPEN_REGION), DLB_SUCCESS); /* that of the whole program */
    CHECK(DLB_MonitoringRegionStop(DLB_LAST_OPEN_REGION), DLB_ERR_NOENT);
    CHECK(DLB_MonitoringRegionStart(DLB_GLOBAL_REGION), DLB_SUCCESS);
}

static void* start_and_stop(void* handle) {
    int i;
    for (i = 0; i < 1000; ++i) {
        DLB_MonitoringRegionStart(handle);
        DLB_MonitoringRegionStop(handle);
    }
    return NULL;
}

static void threads(void) {
    dlb_monitor_t* region = DLB_MonitoringRegionRegister("threads");
    pthread_t all[4];
    int i;
    for (i = 0; i < 4; ++i) CHECK(pthread_create(&all[i], NULL, start_and_stop, region), 0);
    for (i = 0; i < 4; ++i) CHECK(pthread_join(all[i], NULL), 0);
    CHECK(DLB_MonitoringRegionStop(region), DLB_NOUPDT);
    CHECK(region->num_measurements > 0 && region->num_measurements <= 4000, 1);
}

static void in_child(void) {
    dlb_monitor_t* region;
    CHECK(DLB_MonitoringRegionStart(NULL), DLB_ERR_NOTALP);
    CHECK(DLB_Init(0, NULL, "--drom --talp --silent"), DLB_ERR_PERM); /* its parent has the CPUs */
    region = DLB_MonitoringRegionRegister("one");
    CHECK(region == NULL, 1);
}

static void too_many(void) {
    char name[16];
    int i;
    for (i = 0; i < 70; ++i) {
        snprintf(name, sizeof name, "many %d", i);
        if (DLB_MonitoringRegionRegister(name) == NULL) break;
    }
    CHECK(i > 40 && i < 64, 1);
    CHECK(DLB_MonitoringRegionStart(DLB_MonitoringRegionRegister("many 0")), DLB_SUCCESS);
}

int main(void) {
    const cpu_set_t both = mask_of(3);
    dlb_monitor_t* global;
    Child child;
    char value[64];
    check_begin();
    layout();
    without_talp();
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    without_talp();
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_Init(0, &both, "--drom --talp"), DLB_SUCCESS);
    CHECK(DLB_GetVariable("--talp", value), DLB_SUCCESS);
    CHECK(strcmp(value, "yes"), 0);
    whole_program();
    one_region();
    names_and_handles();
    last_open_region();
    threads();
    child = start(in_child);
    CHECK(ended(&child), 0);
    too_many();
    global = DLB_MonitoringRegionGetGlobal();
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(global->num_measurements, 2);
    without_talp();
    printf("talp: all as expected\n");
    return 0;
}
