// staging.c - the two stages of an actor, and the newest staged change of each record.

#include "actors/runtime/staging.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/limits.h"

static const struct text *
change_key(const struct change *self)
{
    return frozen_key(self->record ? self->record : self->before);
}

// What staging_latest looks for.
struct wanted {
    key_tag_t tag;
    const void *owner; // NULL = any
    const struct text *key;
};

static bool
is_wanted(const void *value, const void *key)
{
    const struct change *change = value;
    const struct wanted *wanted = key;
    return change->tag == wanted->tag && text_equal(change_key(change), wanted->key) &&
           (!wanted->owner || change->owner == wanted->owner);
}

static struct change *
find_latest(const struct staging *self, const struct wanted *wanted)
{
    return table_find(&self->latest, table_hash_text(wanted->key), is_wanted, wanted);
}

void
staging_init(struct staging *self, enum family family, owner_releaser *release)
{
    *self = (struct staging){
        .family = family, .release = release, .filling.batch = batch_create(family)};
}

void
staging_finish(struct staging *self)
{
    message_queue_finish(&self->filling.messages);
    message_queue_finish(&self->committing.messages);
    message_queue_finish(&self->waiting);
    staging_free_stage(self, &self->filling);
    staging_free_stage(self, &self->committing);
    table_finish(&self->latest);
}

static struct room
room_taken(const struct stage *stage)
{
    size_t writes = stage->batch->count - stage->batch->beside;
    return (struct room){writes, writes * WRITE_COST + stage->bytes};
}

// Whether the filling stage takes these, at most `most` operations with what it has.
static bool
takes(struct staging *self, struct room room, size_t most)
{
    struct room taken = room_taken(&self->filling), both = room_for_both(taken, room);
    if (self->is_refused)
        return false;
    if (self->filling.is_closed || (self->filling.is_apart && self->filling.messages.count > 0))
        return false;
    // One operation is the committer's marker; half of the bytes are left, as records may encode
    // larger. What is alone in a batch is refused by the store where it is too large.
    // Index records are not asked for; those that are there leave less for the next request, which
    // may bring some thousands itself.
    const struct batch *batch = self->filling.batch;
    bool is_half_full = both.bytes + batch->beside_bytes >= LIMIT_COMMIT_BYTES / 2 ||
                        batch->beside >= LIMIT_INDEX_WRITES;
    if (both.operations >= most || (is_half_full && taken.operations > 0))
        return false;
    if (both.operations > self->granted.operations)
        self->granted.operations = both.operations;
    if (both.bytes > self->granted.bytes)
        self->granted.bytes = both.bytes;
    return true;
}

bool
staging_has_room(struct staging *self, struct room room)
{
    return takes(self, room, LIMIT_COMMIT_OPERATIONS);
}

bool
staging_has_room_apart(struct staging *self, struct room room)
{
    bool is_empty = self->filling.batch->count == 0;
    return takes(self, room, is_empty ? LIMIT_APART_OPERATIONS : LIMIT_COMMIT_OPERATIONS);
}

void
staging_take_back_room(struct staging *self)
{
    self->granted = room_taken(&self->filling);
}

// Whether nothing was staged for which there was no room.
__attribute__((unused)) static bool
is_granted(const struct staging *self)
{
    struct room taken = room_taken(&self->filling);
    return taken.operations <= self->granted.operations && taken.bytes <= self->granted.bytes;
}

void
staging_wait(struct staging *self, struct message **message)
{
    // Nor does another request join what it staged before it had to wait.
    self->filling.is_closed = self->filling.is_apart && self->filling.batch->count > 0;
    message_queue_push(&self->waiting, message);
}

void
staging_add(struct staging *self, const struct change *change)
{
    struct change *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    *copy = *change;
    copy->next = NULL;
    struct stage *stage = &self->filling;
    if (stage->last)
        stage->last->next = copy;
    else
        stage->first = copy;
    stage->last = copy;
    stage->bytes += change->record ? record_size(change->record) : 0;
    assert(is_granted(self));
    copy->visible_with = self->submitted + 1;
    if (change->kind == CHANGE_BEHIND)
        return;
    // A record that takes the key of a deleted one may have another owner.
    const void *owner = change->is_owners ? NULL : change->owner;
    const struct wanted wanted = {change->tag, owner, change_key(copy)};
    struct change *older = find_latest(self, &wanted);
    if (change->kind == CHANGE_FOLLOWER) {
        assert(older);
        copy->visible_with = older->visible_with;
        self->followers++;
    }
    if (older)
        table_replace(&self->latest, table_hash_text(wanted.key), older, copy);
    else
        table_add(&self->latest, table_hash_text(wanted.key), copy);
}

void
staging_show(const struct staging *self)
{
    if (self->shown)
        *self->shown = true;
}

const struct change *
staging_latest(const struct staging *self, key_tag_t tag, const void *owner, const struct text *key)
{
    const struct wanted wanted = {tag, owner, key};
    const struct change *change = find_latest(self, &wanted);
    if (change)
        staging_show(self);
    return change;
}

bool
staging_listen(struct staging *self, key_tag_t tag, const void *owner, const struct text *key,
               struct message *message)
{
    const struct wanted wanted = {tag, owner, key};
    struct change *change = find_latest(self, &wanted);
    if (!change)
        return false;
    struct listener *listener = arena_alloc(&message->arena, sizeof *listener);
    *listener = (struct listener){message, change->listeners};
    change->listeners = listener;
    return true;
}

const struct change *
staging_next(const struct staging *self, key_tag_t tag, size_t *cursor)
{
    const struct change *change;
    while ((change = table_next(&self->latest, cursor)) != NULL)
        if (change->tag == tag) {
            staging_show(self);
            return change;
        }
    return NULL;
}

void
staging_hold(struct staging *self, struct message **message, enum error error)
{
    bool is_all_committing = self->is_committing && self->filling.batch->count == 0;
    struct stage *stage = is_all_committing ? &self->committing : &self->filling;
    if (error != OK)
        fault_take(error, &(*message)->reply.fault);
    (*message)->is_decided = true;
    message_queue_push(&stage->messages, message);
}

bool
staging_is_busy(const struct staging *self)
{
    return self->is_committing || self->filling.batch->count > 0 ||
           self->filling.messages.count > 0 || self->waiting.count > 0;
}

static struct stage
new_stage(const struct staging *self)
{
    return (struct stage){.batch = batch_create(self->family), .is_apart = self->apart > 0};
}

struct batch *
staging_submit(struct staging *self)
{
    struct batch *batch = self->filling.batch;
    self->committing = self->filling;
    self->committing.batch = NULL;
    self->is_committing = true;
    if (self->filling.is_apart)
        self->apart -=
            self->filling.messages.count < self->apart ? self->filling.messages.count : self->apart;
    self->filling = new_stage(self);
    self->submitted++;
    self->followers = 0;
    self->granted = (struct room){0};
    return batch;
}

struct stage
staging_complete(struct staging *self)
{
    struct stage committed = self->committing;
    for (struct change *change = committed.first; change; change = change->next)
        table_remove(&self->latest, table_hash_text(change_key(change)), change);
    self->committing = (struct stage){0};
    self->is_committing = false;
    return committed;
}

struct change *
staging_next_follower(const struct staging *self, struct change *change)
{
    uint64_t landed = self->submitted - self->is_committing;
    if (self->followers == 0)
        return NULL;
    change = change ? change->next : self->filling.first;
    while (change && (change->kind != CHANGE_FOLLOWER || change->visible_with > landed))
        change = change->next;
    return change;
}

void
staging_has_followed(struct staging *self, struct change *change)
{
    change->kind = CHANGE_BEHIND;
    self->followers--;
    table_remove(&self->latest, table_hash_text(change_key(change)), change);
}

struct stage
staging_abandon(struct staging *self, size_t apart)
{
    struct stage abandoned = self->filling;
    table_finish(&self->latest);
    self->apart += apart;
    self->filling = new_stage(self);
    self->followers = 0;
    self->granted = (struct room){0};
    return abandoned;
}

void
staging_free_stage(const struct staging *self, struct stage *stage)
{
    for (struct change *change = stage->first, *next; change; change = next) {
        next = change->next;
        record_unref(&change->record);
        record_unref(&change->before);
        if (change->owner)
            self->release(change->owner);
        free(change);
    }
    batch_destroy(&stage->batch);
    *stage = (struct stage){0};
}
