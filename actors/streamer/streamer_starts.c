// streamer_starts.c - see streamer_starts.h.
#include "actors/streamer/streamer_starts.h"

#include <stdio.h>
#include <string.h>

#include "actors/streamer/streamer_family.h"

enum { POSITION_SIZE = 8 };

static void
note_stale(struct streamer_starts *self, uint64_t epoch)
{
    if (self->stale_count < STARTS_READ)
        self->stale[self->stale_count++] = key_of_number(KEY_START, epoch);
}

static bool
is_ours(const struct streamer_starts *self, struct bytes value)
{
    size_t size = strlen(self->lineage);
    return size && value.size == POSITION_SIZE + size &&
           memcmp((const char *)value.data + POSITION_SIZE, self->lineage, size) == 0;
}

static bool
read_start(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)version;
    struct streamer_starts *self = context;
    uint64_t epoch;
    if (!key_number(key, &epoch))
        return true;
    if (!is_ours(self, value)) {
        note_stale(self, epoch);
        return true;
    }
    if (self->timeline.count == TIMELINE_STARTS)
        note_stale(self, self->timeline.starts[0].epoch);
    timeline_add(&self->timeline, epoch, key_get_u64(value.data));
    return true;
}

static void
forget_all(struct streamer_starts *self)
{
    for (size_t i = 0; i < self->timeline.count; i++)
        note_stale(self, self->timeline.starts[i].epoch);
    self->timeline.count = 0;
}

fallible
streamer_starts_read(store_t *store, const char *lineage, uint64_t last, uint64_t deadline_ms,
                     struct streamer_starts *ret_starts)
{
    struct key low = key_of_tag(KEY_START), high = key_after(&low);
    memset(ret_starts, 0, sizeof *ret_starts);
    snprintf(ret_starts->lineage, sizeof ret_starts->lineage, "%s", lineage);
    TRY(store_error(store_scan(store, FAMILY_STREAMER, 0, key_bytes(&low), key_bytes(&high), false,
                               STARTS_READ, deadline_ms, read_start, ret_starts)));
    const struct timeline *timeline = &ret_starts->timeline;
    if (timeline->count && timeline->starts[timeline->count - 1].epoch != last)
        forget_all(ret_starts);
    return OK;
}

static void
put(struct streamer_starts *self, const struct key *key, bool is_delete, struct bytes value)
{
    self->operations[self->operation_count++] = (struct store_operation){
        .address = {FAMILY_STREAMER, 0, key_bytes(key)}, .is_delete = is_delete, .value = value};
}

void
streamer_starts_add(struct streamer_starts *self, uint64_t epoch, uint64_t position)
{
    size_t size = strlen(self->lineage);
    if (self->timeline.count == TIMELINE_STARTS)
        note_stale(self, self->timeline.starts[0].epoch);
    timeline_add(&self->timeline, epoch, position);
    self->key = key_of_number(KEY_START, epoch);
    key_put_u64(self->value, position);
    memcpy(self->value + POSITION_SIZE, self->lineage, size);
    for (size_t i = 0; i < self->stale_count; i++)
        put(self, &self->stale[i], true, (struct bytes){0});
    put(self, &self->key, false, (struct bytes){self->value, POSITION_SIZE + size});
}
