// sliced_tag.h - the tag (etag.h) of a record that is large, worked out in slices of its actor.
#ifndef DIORAMA_ACTORS_RUNTIME_SLICED_TAG_H
#define DIORAMA_ACTORS_RUNTIME_SLICED_TAG_H

#include "actors/runtime/actor.h"
#include "proto/codec/etag.h"
#include "proto/codec/record_json.h"

// Embedded; all zero is one that has not begun.
struct sliced_tag {
    struct record_json_part part;
    struct buffer json;
    bool is_whole; // it is JSON
    size_t hashed; // bytes of it
    struct etag_parts parts;
};

// Of what `view` shows of the record, which lives as long and does not change.
void sliced_tag_begin(struct sliced_tag *self, const struct record *record,
                      const struct view *view);
// Works until the actor must pause; true: *ret_etag is it, and what it kept is free.
bool sliced_tag_goes_on(struct sliced_tag *self, const actor_t *actor, struct etag *ret_etag);
void sliced_tag_finish(struct sliced_tag *self);

#endif
