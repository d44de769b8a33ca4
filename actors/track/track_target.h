// track_target.h - the object that a camera moves, and the properties that its lens sets: samples
// become edits, which go the way of updates by UDP. Pure, one thread.
#ifndef DIORAMA_ACTORS_TRACK_TRACK_TARGET_H
#define DIORAMA_ACTORS_TRACK_TRACK_TARGET_H

#include "actors/udp/shard_updates.h"
#include "proto/config/track_sources.h"
#include "proto/feed/opentrackio_sample.h"

enum { TARGET_UPDATES_MOST = 1 + LENS_VALUES }; // of one sample

struct track_target {
    const struct text *token, *scene, *object;
    const struct text *properties[LENS_VALUES]; // `<object>.fStop` …: the keys that clients chose
    uint16_t object_partition, scene_partition;
};

// Its texts are in the arena.
void track_target_init(struct track_target *self, struct arena *arena,
                       const struct track_source *source);

// Puts what the sample says into the messages of their shards; `scratch` is for the edits. How many
// updates it made.
unsigned track_target_update(const struct track_target *self, struct arena *scratch,
                             const struct opentrackio_sample *sample,
                             struct shard_updates *updates);

#endif
