// scene_sweep.c - removes from disk what a deleted scene leaves: objects, properties, devices,
// evidence and the look-ups of their keys. One sweep at a time, slice by slice, a commit each. The
// record under KEY_SWEEP is removed with the last slice, so that a start after a crash continues
// the sweep.

#include "actors/scene/scene_sweep.h"

#include <stdlib.h>

#include "actors/scene/scene_family.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { RETRY_AFTER_MS = 500 };

static const key_tag_t swept_tags[] = {KEY_OBJECT,  KEY_PROPERTY, KEY_DEVICE, KEY_EVIDENCE,
                                       KEY_LEAVING, KEY_HOLDING,  KEY_FENCE,  KEY_LEASE};
enum { SWEPT_TAGS = sizeof swept_tags / sizeof swept_tags[0] };

struct sweep {
    struct sweep *next;
    uint16_t part;
    uint64_t scene_id;
    size_t tag;     // place in swept_tags; SWEPT_TAGS = only the sweep record is left
    struct key low; // what is left begins here; empty = with the first key of the tag
    bool is_under_way;
};

void
sweep_begin(struct shard *self, uint16_t part, uint64_t scene_id)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        abort();
    sweep->part = part;
    sweep->scene_id = scene_id;
    *(self->sweeps ? &self->last_sweep->next : &self->sweeps) = sweep;
    self->last_sweep = sweep;
}

static void
try_again_later(struct shard *self)
{
    if (self->sweeps)
        self->sweeps->is_under_way = false;
    self->sweep_retry_ms = clock_deadline_ms(RETRY_AFTER_MS);
}

static void
read_slice(struct shard *self, const struct sweep *sweep)
{
    struct message *message = message_create(LOAD);
    struct slice *slice =
        slice_of_scene(SLICE_KEYS, swept_tags[sweep->tag], sweep->part, sweep->scene_id);
    if (sweep->low.size)
        slice->low = sweep->low; // before it lies what the store has not forgotten yet
    message->id = ++self->next_id;
    message->parcel = &slice->base;
    if (mailbox_send(self->base.mailbox, self->sweeper_name, &message) == OK)
        return;
    message_destroy(&message);
    try_again_later(self);
}

void
sweep_turn(struct shard *self)
{
    struct sweep *sweep = self->sweeps;
    bool must_wait = self->sweep_retry_ms && clock_left_ms(self->sweep_retry_ms) > 0;
    if (!sweep || sweep->is_under_way || must_wait || self->base.stopping)
        return;
    self->sweep_retry_ms = 0;
    sweep->is_under_way = true;
    read_slice(self, sweep);
}

// Deletes a swept key and, where it is that of an object or a property, its look-up. Index records
// of objects are among the keys.
static void
delete_key(struct batch *batch, const struct sweep *sweep, const struct key *key)
{
    struct arena arena = {0};
    batch_delete(batch, sweep->part, *key);
    if (key->data[0] == KEY_OBJECT || key->data[0] == KEY_PROPERTY)
        batch_delete(batch, sweep->part,
                     key_of_text(KEY_LOOKUP, key_text_in_scene(&arena, key_bytes(key))));
    arena_finish(&arena);
}

enum error
sweep_loaded(struct shard *self, struct message *message)
{
    const struct slice *slice = slice_of(message);
    struct sweep *sweep = self->sweeps;
    struct batch *batch = self->staging.filling.batch;
    if (slice->result != STORE_OK) {
        log_warning("sweep_delayed", "actor=%s result=%d", self->base.name, (int)slice->result);
        try_again_later(self);
        message_destroy(&message);
        return PARKED;
    }
    TRY(shard_make_room(self, message, 2 * (size_t)slice->count + 1,
                        (2 * (size_t)slice->count + 1) * sizeof(struct key)));
    for (uint32_t i = 0; i < slice->count; i++)
        delete_key(batch, sweep, &slice->keys[i]);
    // The last tag is swept: the next commit ends the sweep.
    if (!slice->more && sweep->tag + 1 == SWEPT_TAGS)
        batch_delete(batch, sweep->part, key_of_scene_id(KEY_SWEEP, sweep->scene_id));
    return shard_answer_durable(self, message);
}

enum error
sweep_settled(actor_t *actor, struct message *message, enum error error)
{
    struct shard *self = shard_of(actor);
    struct sweep *sweep = self->sweeps;
    bool has_more = slice_of(message)->more;
    struct key low = slice_of(message)->low;
    message_destroy(&message);
    if (error != OK) {
        try_again_later(self);
        return PARKED;
    }
    sweep->is_under_way = false;
    sweep->low = has_more ? low : (struct key){0};
    sweep->tag += has_more ? 0 : 1;
    if (sweep->tag < SWEPT_TAGS)
        return PARKED;
    log_info("scene_swept", "actor=%s scene_id=%016llx", self->base.name,
             (unsigned long long)sweep->scene_id);
    self->sweeps = sweep->next;
    free(sweep);
    return PARKED;
}

void
sweep_finish(struct shard *self)
{
    for (struct sweep *sweep = self->sweeps, *next; sweep; sweep = next) {
        next = sweep->next;
        free(sweep);
    }
    self->sweeps = NULL;
}
