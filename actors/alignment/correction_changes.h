// correction_changes.h - corrections that were added, changed or removed, sent by a scene actor to
// the solver actor. The parcel of an EVIDENCE message.
#ifndef DIORAMA_ACTORS_ALIGNMENT_CORRECTION_CHANGES_H
#define DIORAMA_ACTORS_ALIGNMENT_CORRECTION_CHANGES_H

#include "proto/message/message.h"

struct correction_change {
    uint64_t scene_id;
    const frozen_t *correction; // struct correction_record, one reference
    bool is_gone;
};

struct correction_changes {
    struct parcel base;
    size_t count;
    size_t capacity;
    struct correction_change items[];
};

// Adds an item with a reference of its own. *self is NULL until the first.
void correction_changes_add(struct correction_changes **self, uint64_t scene_id,
                            const frozen_t *correction, bool is_gone);
// Accepts NULL.
void correction_changes_destroy(struct correction_changes **self);

static inline const struct correction_changes *
correction_changes_of(const struct message *message)
{
    return (const struct correction_changes *)(const void *)message->parcel;
}

#endif
