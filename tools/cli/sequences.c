// sequences.c - keeps the last position of each scene in a hash table.
#include "tools/cli/sequences.h"

#include <czmq.h>
#include <stdbool.h>

#include "proto/base/memory.h"

struct last {
    uint64_t epoch;
    uint64_t seq;
};

struct sequences {
    zhashx_t *scenes; // key: struct last
    struct sequence_totals totals;
};

static void
last_destroy(void **self)
{
    free(*self);
    *self = NULL;
}

sequences_t *
sequences_create(void)
{
    sequences_t *self = memory_take_zeroed(sizeof *self);
    self->scenes = zhashx_new();
    zhashx_set_destructor(self->scenes, last_destroy);
    return self;
}

void
sequences_destroy(sequences_t **self)
{
    if (!*self)
        return;
    zhashx_destroy(&(*self)->scenes);
    free(*self);
    *self = NULL;
}

// An epoch counts from 1, so events before the first one seen of a new epoch are missing. How many
// at the end of the old epoch are missing cannot be known.
static enum step
compare(const struct last *last, const struct place *place, uint64_t *ret_missing)
{
    bool same = place->epoch == last->epoch;
    uint64_t known = same ? last->seq : 0;
    *ret_missing = 0;
    if (same && place->seq <= last->seq)
        return place->prev == place->seq ? STEP_REPEAT : STEP_BACK;
    if (place->prev <= known)
        return STEP_NEXT;
    *ret_missing = place->prev - known;
    return STEP_GAP;
}

enum step
sequences_note(sequences_t *self, const struct place *place, uint64_t *ret_missing)
{
    enum step step = STEP_FIRST;
    struct last *last = zhashx_lookup(self->scenes, place->scene);
    *ret_missing = 0;
    if (last) {
        step = compare(last, place, ret_missing);
    } else {
        last = memory_take_zeroed(sizeof *last);
        zhashx_insert(self->scenes, place->scene, last);
        self->totals.scenes++;
    }
    bool is_late =
        step == STEP_BACK && place->epoch > 0; // without an epoch it may have started again
    if (step != STEP_REPEAT && !is_late)
        *last = (struct last){place->epoch, place->seq};
    self->totals.gaps += step == STEP_GAP;
    self->totals.lost += *ret_missing;
    self->totals.back += step == STEP_BACK;
    return step;
}

void
sequences_forget(sequences_t *self, const char *scene)
{
    zhashx_delete(self->scenes, scene);
}

struct sequence_totals
sequences_totals(const sequences_t *self)
{
    return self->totals;
}
