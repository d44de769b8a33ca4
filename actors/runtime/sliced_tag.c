// sliced_tag.c - JSON, then its hash, a part at a time (sliced_tag.h).

#include "actors/runtime/sliced_tag.h"

enum {
    RECORDS_AT_ONCE = 64, // as JSON
    BYTES_AT_ONCE = 64 << 10,
};

void
sliced_tag_begin(struct sliced_tag *self, const struct record *record, const struct view *view)
{
    sliced_tag_finish(self);
    self->part = (struct record_json_part){.record = record, .view = view};
}

static bool
write_json(struct sliced_tag *self, const actor_t *actor)
{
    while (!self->is_whole) {
        self->is_whole = record_json_part_put(&self->part, RECORDS_AT_ONCE, &self->json);
        if (actor_must_pause(actor))
            break;
    }
    return self->is_whole;
}

static bool
hash_json(struct sliced_tag *self, const actor_t *actor)
{
    while (self->hashed < self->json.size) {
        size_t left = self->json.size - self->hashed;
        size_t size = left < BYTES_AT_ONCE ? left : BYTES_AT_ONCE;
        etag_parts_add(&self->parts, self->json.data + self->hashed, size);
        self->hashed += size;
        if (actor_must_pause(actor))
            break;
    }
    return self->hashed == self->json.size;
}

bool
sliced_tag_goes_on(struct sliced_tag *self, const actor_t *actor, struct etag *ret_etag)
{
    if (!write_json(self, actor) || !hash_json(self, actor))
        return false;
    etag_parts_end(&self->parts, ret_etag);
    sliced_tag_finish(self);
    return true;
}

void
sliced_tag_finish(struct sliced_tag *self)
{
    buffer_finish(&self->json);
    etag_parts_finish(&self->parts);
    *self = (struct sliced_tag){0};
}
