// record_runs.h - sorted runs of records that become one ordered set: as many partitions are read
// at a start, each in the order of its keys. One by one each record would be searched for a place
// among all others.
#ifndef DIORAMA_ACTORS_RUNTIME_RECORD_RUNS_H
#define DIORAMA_ACTORS_RUNTIME_RECORD_RUNS_H

#include "actors/runtime/record_set.h"

// Records in the order of their keys, no two with the same one, one reference each.
struct record_run {
    const frozen_t **items;
    size_t count, capacity;
    size_t taken; // how many are in the set
};

// Adds a record behind the others; takes a reference of its own.
void record_run_add(struct record_run *self, const frozen_t *record);

// Puts the records of all runs into the set, which is empty, and finishes the runs. No two runs
// have a record with the same key.
void record_runs_merge(struct record_run *runs, size_t count, struct record_set *set);

// Drops what no set has taken.
void record_runs_finish(struct record_run *runs, size_t count);

#endif
