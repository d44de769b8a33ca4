// sequences.h - finds gaps in the events of each scene (epoch, seq).
#ifndef DIORAMA_TOOLS_CLI_SEQUENCES_H
#define DIORAMA_TOOLS_CLI_SEQUENCES_H

#include <stdint.h>

typedef struct sequences sequences_t;

// The position of an event: `prev` is the `seq` that the sender sent to this listener before it.
struct place {
    const char *scene;
    uint64_t epoch; // 0 if the feed does not tell it
    uint64_t prev;
    uint64_t seq;
};

enum step {
    STEP_FIRST, // of its scene: nothing to compare with
    STEP_NEXT,
    STEP_GAP,    // events are missing before it
    STEP_REPEAT, // prev = seq and nothing is missing: sent again, in case it was lost
    STEP_BACK,   // its seq is not new: a double, disorder, or a feed that began again
};

struct sequence_totals {
    uint64_t scenes; // ever seen
    uint64_t gaps;
    uint64_t lost; // events inside the gaps, coalesced ones included
    uint64_t back;
};

sequences_t *sequences_create(void);
void sequences_destroy(sequences_t **self);

// Notes an event. `ret_missing` is the number of events missing before it, 0 unless STEP_GAP.
enum step sequences_note(sequences_t *self, const struct place *place, uint64_t *ret_missing);

// Forgets a deleted scene: a later one of the same key is another scene.
void sequences_forget(sequences_t *self, const char *scene);

struct sequence_totals sequences_totals(const sequences_t *self);

#endif
