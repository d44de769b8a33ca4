// streamer_starts.h - the starts of this store that are noted (timeline.h), and how the next one is
// noted: in the commit that writes its number.
#ifndef DIORAMA_ACTORS_STREAMER_STREAMER_STARTS_H
#define DIORAMA_ACTORS_STREAMER_STREAMER_STARTS_H

#include "actors/runtime/timeline.h"
#include "store/key.h"

enum {
    STARTS_LINEAGE_SIZE = 64,
    STARTS_READ = 2 * TIMELINE_STARTS, // notes that one start looks at
};

// What is noted, and what the next start writes. What operations point to lives as long as it does.
struct streamer_starts {
    struct timeline timeline; // of this store alone
    char lineage[STARTS_LINEAGE_SIZE];
    struct key stale[STARTS_READ]; // keys of notes that do not count any more
    size_t stale_count;
    struct key key; // of the next start
    unsigned char value[8 + STARTS_LINEAGE_SIZE];
    struct store_operation operations[STARTS_READ + 2]; // and the number of the start
    size_t operation_count;
};

// Reads the notes. `lineage` names the store (backup_lineage): notes of another one came here by a
// backup, or from a leader, and do not count. `last` is the number of the last start: where it is
// not noted, what was lost before it is not known, and no note counts.
fallible streamer_starts_read(store_t *store, const char *lineage, uint64_t last,
                              uint64_t deadline_ms, struct streamer_starts *ret_starts);

// Prepares the operations that note a start at this position, which `timeline` has then.
void streamer_starts_add(struct streamer_starts *self, uint64_t epoch, uint64_t position);

#endif
