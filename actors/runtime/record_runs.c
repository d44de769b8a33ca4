// record_runs.c - merges runs with a heap of those that are not at their ends (record_runs.h).
#include "actors/runtime/record_runs.h"

#include <stdlib.h>

#include "proto/base/memory.h"

void
record_run_add(struct record_run *self, const frozen_t *record)
{
    enum { FIRST_CAPACITY = 16 };
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_CAPACITY;
        self->items = memory_resize(self->items, self->capacity * sizeof self->items[0]);
    }
    self->items[self->count++] = record_ref(record);
}

void
record_runs_finish(struct record_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (; runs[i].taken < runs[i].count; runs[i].taken++)
            record_unref(&runs[i].items[runs[i].taken]);
        free(runs[i].items);
        runs[i] = (struct record_run){0};
    }
}

// The run whose next record is the least stands first.
struct heap {
    struct record_run **runs;
    size_t count;
};

static bool
is_before(const struct record_run *a, const struct record_run *b)
{
    return text_compare(frozen_key(a->items[a->taken]), frozen_key(b->items[b->taken])) < 0;
}

// A run stands at `place` that may be too near to the top. What follows in a run is seldom the
// least of all: the free place goes down to the end, and the run from there up, with half the
// comparisons of one that is compared on each step down.
static void
sink(struct heap *self, size_t place)
{
    struct record_run *run = self->runs[place];
    size_t top = place;
    for (size_t child; (child = 2 * place + 1) < self->count; place = child) {
        if (child + 1 < self->count && is_before(self->runs[child + 1], self->runs[child]))
            child++;
        self->runs[place] = self->runs[child];
    }
    for (size_t parent; place > top; place = parent) {
        parent = (place - 1) / 2;
        if (!is_before(run, self->runs[parent]))
            break;
        self->runs[place] = self->runs[parent];
    }
    self->runs[place] = run;
}

static void
take_first(struct heap *self, struct record_set *set)
{
    struct record_run *run = self->runs[0];
    record_set_put(set, run->items[run->taken]);
    record_unref(&run->items[run->taken++]);
    if (run->taken == run->count)
        self->runs[0] = self->runs[--self->count];
    if (self->count > 0)
        sink(self, 0);
}

void
record_runs_merge(struct record_run *runs, size_t count, struct record_set *set)
{
    struct heap heap = {.runs = memory_take((count + 1) * sizeof(struct record_run *))};
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all += runs[i].count;
        if (runs[i].count > 0)
            heap.runs[heap.count++] = &runs[i];
    }
    record_set_reserve(set, all);
    for (size_t place = heap.count / 2; place-- > 0;)
        sink(&heap, place);
    while (heap.count > 0)
        take_first(&heap, set);
    free(heap.runs);
    record_runs_finish(runs, count);
}
