// delta_state.c - the things that the client of a delta stream knows (delta_state.h).
#include "gateway/events/delta_state.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/spatial/transform.h"

struct thing {
    const frozen_t *shown; // as it is now, one reference
    uint32_t index;
};

// A thing that is looked for: things of several kinds may have one key.
struct name {
    const struct schema *kind;
    const struct text *key;
};

static const struct {
    const char *name;
    unsigned part;
    const struct schema *kind;
} parts_known[] = {
    {"objects", DELTA_OBJECTS, &object_schema},
    {"devices", DELTA_DEVICES, &device_schema},
    {"properties", DELTA_PROPERTIES, &property_schema},
};

enum { PARTS = sizeof parts_known / sizeof parts_known[0] };

unsigned
delta_parts_read(const struct text *names)
{
    unsigned parts = 0;
    if (text_size(names) == 0)
        return DELTA_ALL;
    for (const char *at = text_chars(names);; at++) {
        size_t size = strcspn(at, ","), i = 0;
        while (i < PARTS &&
               (strlen(parts_known[i].name) != size || strncmp(at, parts_known[i].name, size) != 0))
            i++;
        if (i == PARTS)
            return 0;
        parts |= parts_known[i].part;
        at += size;
        if (!*at)
            return parts;
    }
}

static unsigned
part_of(const struct schema *kind)
{
    for (size_t i = 0; i < PARTS; i++)
        if (parts_known[i].kind == kind)
            return parts_known[i].part;
    return 0;
}

static void
forget(struct delta_state *self, struct thing *thing)
{
    self->bytes -= record_size(thing->shown);
    record_unref(&thing->shown);
    free(thing);
}

void
delta_state_clear(struct delta_state *self)
{
    size_t cursor = 0;
    struct thing *thing;
    while ((thing = table_next(&self->things, &cursor)) != NULL)
        forget(self, thing);
    table_clear(&self->things);
}

void
delta_state_finish(struct delta_state *self)
{
    delta_state_clear(self);
    table_finish(&self->things);
}

static bool
is_called(const void *value, const void *key)
{
    const struct thing *thing = value;
    const struct name *name = key;
    return frozen_record(thing->shown)->schema == name->kind &&
           text_equal(frozen_key(thing->shown), name->key);
}

static struct thing *
find(const struct delta_state *self, const frozen_t *like)
{
    const struct name name = {frozen_record(like)->schema, frozen_key(like)};
    return table_find(&self->things, table_hash_text(name.key), is_called, &name);
}

uint32_t
delta_state_add(struct delta_state *self, const frozen_t *thing)
{
    struct thing *fresh = memory_take(sizeof *fresh);
    *fresh = (struct thing){record_ref(thing), self->next_index++};
    self->bytes += record_size(thing);
    table_add(&self->things, table_hash_text(frozen_key(thing)), fresh);
    return fresh->index;
}

static bool
is_end(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_DELETED || msg_type == EVENT_PROPERTY_DELETED ||
           msg_type == EVENT_DEVICE_DEREGISTERED;
}

static struct delta_step
take_end(struct delta_state *self, struct thing *thing)
{
    if (!thing)
        return (struct delta_step){.change = DELTA_NOTHING};
    const struct delta_step step = {.change = DELTA_GONE, .index = thing->index};
    table_remove(&self->things, table_hash_text(frozen_key(thing->shown)), thing);
    forget(self, thing);
    return step;
}

// Whether the transform says position, rotation and scale and nothing more.
static bool
has_pose(const struct record *object)
{
    double translation[3], rotation[9], scale[3];
    return record_has(object, OBJECT_TRANSFORM) &&
           transform_decompose(object_of(object)->transform, translation, rotation, scale);
}

static struct delta_step
take_change(struct delta_state *self, struct thing *thing, const frozen_t *now)
{
    const struct record *before = frozen_record(thing->shown), *after = frozen_record(now);
    struct delta_step step = {.change = DELTA_MEMBERS, .index = thing->index};
    // What is known of a device is what its user or others may see, not what is stored.
    step.members =
        after->schema == &device_schema ? after->present : record_differences(before, after);
    step.members &= ~FIELD_BIT(ENTITY_USER); // who pays is nobody's to see
    if (after->schema == &object_schema && (step.members & FIELD_BIT(OBJECT_TRANSFORM)) &&
        has_pose(after)) {
        step.change = DELTA_POSE;
        step.members &= ~FIELD_BIT(OBJECT_TRANSFORM);
    } else if (step.members == 0) {
        step.change = DELTA_NOTHING;
    }
    const frozen_t *old = thing->shown;
    self->bytes += record_size(now) - record_size(old); // right although the difference wraps
    thing->shown = record_ref(now);
    record_unref(&old);
    return step;
}

struct delta_step
delta_state_take(struct delta_state *self, unsigned parts, const struct event *event)
{
    const struct schema *kind = event_record(event)->schema;
    unsigned part = part_of(kind);
    if (event->msg_type == EVENT_LOCK_ASKED) // an event of its own tells it
        return (struct delta_step){.change = DELTA_NOTHING};
    if (!part)
        return (struct delta_step){.change = DELTA_OTHER};
    if (!(part & parts))
        return (struct delta_step){.change = DELTA_NOTHING};
    struct thing *thing = find(self, event->record);
    if (is_end(event->msg_type))
        return take_end(self, thing);
    if (thing)
        return take_change(self, thing, event->record);
    return (struct delta_step){.change = DELTA_NEW, .index = delta_state_add(self, event->record)};
}
