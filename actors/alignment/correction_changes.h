// correction_changes.h - corrections that came or went, on their way from a scene actor to the
// solver actor. The parcel of an EVIDENCE message.
#ifndef DIORAMA_ACTORS_ALIGNMENT_CORRECTION_CHANGES_H
#define DIORAMA_ACTORS_ALIGNMENT_CORRECTION_CHANGES_H

#include "proto/message/message.h"

struct news_item {
    uint64_t scene_id;
    const struct record *correction; // frozen struct correction_record, one reference
    bool is_gone;
};

struct news {
    struct parcel base;
    size_t count;
    size_t capacity;
    struct news_item items[];
};

// Adds an item, taking a reference of its own; NULL until the first.
void news_add(struct news **self, uint64_t scene_id, const struct record *correction, bool is_gone);
// Accepts NULL.
void news_destroy(struct news **self);

static inline const struct news *
news_of(const struct message *message)
{
    return (const struct news *)(const void *)message->parcel;
}

#endif
