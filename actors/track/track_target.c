// track_target.c - edits of samples (track_target.h).
#include "actors/track/track_target.h"

#include <assert.h>

#include "proto/feed/feed_token.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

void
track_target_init(struct track_target *self, struct arena *arena, const struct track_source *source)
{
    self->token = text_from(arena, FEED_TOKEN_OF_TRACKER);
    self->scene = text_from(arena, source->scene);
    self->object = text_from(arena, source->object);
    for (unsigned i = 0; i < LENS_VALUES; i++)
        self->properties[i] =
            text_format(arena, "%s.%s", source->object, opentrackio_lens_names[i]);
    self->scene_partition = partition_of_scene(self->scene);
    if (!partition_of_key(self->object, &self->object_partition))
        self->object_partition = self->scene_partition; // nobody owns it: unknown there
}

// An edit with what both kinds say: who sends it, where it is, and when.
static struct record *
new_edit(const struct track_target *self, struct arena *scratch, const struct schema *schema,
         const struct opentrackio_sample *sample)
{
    struct record *edit = record_new(scratch, schema);
    record_set_text(edit, ENTITY_TOKEN, self->token);
    record_set_text(edit, ENTITY_SCENE, self->scene);
    if (sample->has_frame)
        record_set_integer(edit, ENTITY_FRAME, sample->frame);
    if (sample->has_timestamp)
        record_set_integer(edit, ENTITY_TIMESTAMP, sample->timestamp);
    return edit;
}

static void
put_pose(const struct track_target *self, struct arena *scratch,
         const struct opentrackio_sample *sample, struct shard_updates *updates)
{
    struct record *edit = new_edit(self, scratch, &object_edit_schema, sample);
    memcpy(((struct object *)(void *)edit)->transform, sample->matrix, sizeof sample->matrix);
    record_mark(edit, OBJECT_TRANSFORM);
    shard_updates_put(updates, self->object_partition, edit, self->object);
}

static void
put_lens(const struct track_target *self, struct arena *scratch,
         const struct opentrackio_sample *sample, unsigned i, struct shard_updates *updates)
{
    struct record *edit = new_edit(self, scratch, &property_edit_schema, sample);
    struct records *values = records_new(scratch, 1);
    struct record *value = record_new(scratch, &value_schema);
    ((struct value *)(void *)value)->value = sample->lens[i];
    value->present = FIELD_BIT(VALUE_VALUE) | RECORD_SCALAR;
    values->items[values->count++] = value;
    ((struct property *)(void *)edit)->values = values;
    record_mark(edit, PROPERTY_VALUES);
    shard_updates_put(updates, self->scene_partition, edit, self->properties[i]);
}

unsigned
track_target_update(const struct track_target *self, struct arena *scratch,
                    const struct opentrackio_sample *sample, struct shard_updates *updates)
{
    unsigned count = sample->has_pose;
    if (sample->has_pose)
        put_pose(self, scratch, sample, updates);
    for (unsigned i = 0; i < LENS_VALUES; i++)
        if (sample->has_lens[i]) {
            put_lens(self, scratch, sample, i, updates);
            count++;
        }
    return count;
}
