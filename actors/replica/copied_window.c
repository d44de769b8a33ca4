// copied_window.c - see copied_window.h.
#include "actors/replica/copied_window.h"

#include <stdio.h>
#include <stdlib.h>

#include "actors/asset/asset_family.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/records/asset.h"

enum { STORE_DEADLINE_MS = 30000 };

struct copied_window {
    unsigned shards;
    struct store_operation *operations; // the last place is for that of followed_place
    size_t count, capacity, bytes;
    struct window_part *parts; // scene actors, then those of assets and users
    unsigned part_count;
};

static void
name_part(struct window_part *part, const char *name)
{
    snprintf(part->name, sizeof part->name, "%s", name);
}

copied_window_t *
copied_window_create(unsigned shards)
{
    struct copied_window *self = memory_take_zeroed(sizeof *self);
    char name[MAILBOX_NAME_SIZE];
    self->shards = shards;
    self->part_count = shards + 2;
    self->parts = memory_take_zeroed(self->part_count * sizeof self->parts[0]);
    for (unsigned i = 0; i < shards; i++) {
        mailbox_shard_name(i, name);
        name_part(&self->parts[i], name);
    }
    name_part(&self->parts[shards], actor_mailbox(ASSET_ACTOR));
    name_part(&self->parts[shards + 1], actor_mailbox(USER_ACTOR));
    return self;
}

static void
drop_batch(struct copied_batch **batch)
{
    if (*batch)
        (*batch)->base.destroy(&(*batch)->base);
    *batch = NULL;
}

void
copied_window_clear(copied_window_t *self)
{
    for (unsigned i = 0; i < self->part_count; i++)
        drop_batch(&self->parts[i].batch);
    self->count = self->bytes = 0;
}

void
copied_window_destroy(copied_window_t **self)
{
    if (!*self)
        return;
    copied_window_clear(*self);
    free((*self)->operations);
    free((*self)->parts);
    free(*self);
    *self = NULL;
}

bool
copied_window_is_empty(const copied_window_t *self)
{
    return self->count == 0;
}

// The actor that shows it; NULL: what belongs to the leader alone.
static struct window_part *
part_of(copied_window_t *self, const struct store_address *address)
{
    switch (address->family) {
    case FAMILY_SCENE:
        return &self->parts[address->part % self->shards];
    case FAMILY_ASSET:
        return &self->parts[self->shards];
    case FAMILY_USER:
        return &self->parts[self->shards + 1];
    case FAMILY_STREAMER:
    case FAMILY_FORMAT:
    case FAMILY_COUNT:
        break;
    }
    return NULL;
}

static size_t
bytes_of(const struct store_change *change)
{
    size_t bytes = 0;
    for (size_t i = 0; i < change->operation_count; i++)
        bytes += change->operations[i].address.key.size + change->operations[i].value.size;
    return bytes;
}

// Its bytes stand in the batch of who shows it, which is back whenever the window is stored.
static void
add(copied_window_t *self, const struct store_operation *operation)
{
    struct window_part *part = part_of(self, &operation->address);
    if (!part || operation->address.key.size == 0)
        return;
    if (!part->batch)
        part->batch = copied_batch_create();
    const struct copied_write *write = copied_batch_add(part->batch, operation);
    struct store_operation *copied = &self->operations[self->count++];
    *copied = *operation;
    copied->address.key = write->key;
    copied->value = write->value;
}

// A commit that is alone may be as large as any commit.
bool
copied_window_add(copied_window_t *self, const struct store_change *change)
{
    size_t bytes = bytes_of(change), count = change->operation_count;
    bool has_room = self->bytes + bytes <= LIMIT_COMMIT_BYTES / 2 &&
                    self->count + count <= LIMIT_COMMIT_WRITES / 2;
    if (self->count > 0 && !has_room)
        return false;
    if (self->count + count + 1 > self->capacity) {
        self->capacity = 2 * (self->count + count + 1);
        self->operations =
            memory_resize(self->operations, self->capacity * sizeof self->operations[0]);
    }
    self->bytes += bytes;
    for (size_t i = 0; i < count; i++)
        add(self, &change->operations[i]);
    return true;
}

// --- blobs ---

static fallible
visit_blobs(const struct copied_write *write, copied_blob_visitor *visit, void *context)
{
    const frozen_t *asset;
    struct blob_hash hash;
    enum error error = OK;
    TRY(copied_write_record(write, &asset_schema, &asset));
    for (size_t i = 0; i < ASSET_BLOBS && error == OK; i++) {
        const struct text *hex = record_text(frozen_record(asset), asset_blobs[i]);
        if (blob_hash_from_hex(text_bytes(hex), text_size(hex), &hash))
            error = visit(context, &hash);
    }
    record_unref(&asset);
    return error;
}

fallible
copied_window_blobs(const copied_window_t *self, copied_blob_visitor *visit, void *context)
{
    const struct copied_batch *batch = self->parts[self->shards].batch;
    for (size_t i = 0; batch && i < batch->count; i++)
        if (batch->writes[i].tag == KEY_ASSET && !batch->writes[i].is_delete)
            TRY(visit_blobs(&batch->writes[i], visit, context));
    return OK;
}

// --- the store ---

fallible
copied_window_store(copied_window_t *self, store_t *store, const struct followed_place *place)
{
    struct key key;
    unsigned char value[FOLLOWED_VALUE_SIZE];
    self->operations[self->count] = followed_place_operation(place, &key, value);
    const struct store_commit commit = {.id = store_version_new(),
                                        .operations = self->operations,
                                        .operation_count = self->count + 1,
                                        .is_copy = true};
    enum store_result result = store_commit(store, &commit, clock_deadline_ms(STORE_DEADLINE_MS));
    return result == STORE_OK ? OK : store_error(result);
}

struct window_part *
copied_window_parts(copied_window_t *self, unsigned *ret_count)
{
    *ret_count = self->part_count;
    return self->parts;
}
