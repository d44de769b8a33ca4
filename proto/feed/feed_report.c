// feed_report.c - a list of devices whose feeds are asked about (feed_report.h).
#include "proto/feed/feed_report.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"

static const char *const states[FEED_STATES] = {
    [FEED_NONE] = "none",     [FEED_PENDING] = "pending", [FEED_UNPROVEN] = "unproven",
    [FEED_ACTIVE] = "active", [FEED_PAUSED] = "paused",   [FEED_UNREACHABLE] = "unreachable",
};

static const char *const forms[] = {
    [FEED_PLAIN] = "plain", [FEED_PACKED] = "packed", [FEED_TRACK] = "opentrackio"};

static void
release(struct parcel *parcel)
{
    struct feed_report *self = (struct feed_report *)(void *)parcel;
    for (uint32_t i = 0; i < self->count; i++) {
        record_unref(&self->items[i].scene);
        record_unref(&self->items[i].device);
    }
    message_destroy(&self->request);
    free(self);
}

struct feed_report *
feed_report_create(uint32_t capacity)
{
    struct feed_report *self = memory_take_zeroed(sizeof *self + capacity * sizeof self->items[0]);
    self->base.destroy = release;
    self->capacity = capacity;
    return self;
}

struct feed_item *
feed_report_add(struct feed_report *self, const frozen_t *scene, uint64_t scene_id,
                const frozen_t *device)
{
    assert(self->count < self->capacity);
    struct feed_item *item = &self->items[self->count++];
    *item = (struct feed_item){
        .scene = record_ref(scene), .scene_id = scene_id, .device = record_ref(device)};
    return item;
}

const char *
feed_state_name(enum feed_state state)
{
    return states[state];
}

bool
feed_state_is_name(const struct text *name)
{
    for (size_t i = 0; i < FEED_STATES; i++)
        if (text_is(name, states[i]))
            return true;
    return false;
}

const char *
feed_form_name(enum feed_form form, bool is_sealed)
{
    return is_sealed ? "sealed" : forms[form];
}
