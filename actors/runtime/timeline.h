// timeline.h - the starts of one store: which number each had, and how far the store was then
// (streamer_epoch.h notes them). So it can be told whether a place of a follower is one that this
// store went through. Pure.
#ifndef DIORAMA_ACTORS_RUNTIME_TIMELINE_H
#define DIORAMA_ACTORS_RUNTIME_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIMELINE_STARTS = 256 }; // the newest are kept

struct timeline_start {
    uint64_t epoch;
    uint64_t position; // of the store, before it wrote anything
};

// Embedded; all zero is one without a start.
struct timeline {
    struct timeline_start starts[TIMELINE_STARTS]; // oldest first; the last one is this start
    size_t count;
};

// Adds a newer start; the oldest goes where there is no place.
void timeline_add(struct timeline *self, uint64_t epoch, uint64_t position);

// Whether the store was at `position` while `epoch` was the number of its start. `head`: where it
// is now. A position that an earlier start lost, or that only another branch has (a backup that was
// restored, another server that goes on in this one's place), is none.
bool timeline_has(const struct timeline *self, uint64_t epoch, uint64_t position, uint64_t head);

#endif
