// committer.c - commits batches one after the other. Every batch writes a marker record too: when
// the outcome of a commit is unknown, the version of the marker tells whether it happened. Where
// other processes reach the store the marker is a fence as well (lane.h).

#include "actors/runtime/committer.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/batch.h"
#include "actors/runtime/lane.h"
#include "actors/runtime/recall.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"

enum {
    COMMIT_DEADLINE_MS = 30000,
    RESOLVE_DEADLINE_MS = 30000,
    RESOLVE_PAUSE_MS = 20,
};

struct committer {
    actor_t base;
    store_t *store;
    struct lane lane;                   // its last is 0 where the store is this process's alone
    struct buffer values;               // encoded records of one batch
    size_t capacity;                    // of the two arrays
    size_t *offsets;                    // of each value
    struct store_operation *operations; // borrowing from values and batch
};

// Room for the writes of a batch and its marker.
static void
reserve(committer_t *self, size_t count)
{
    if (count <= self->capacity)
        return;
    self->capacity = count + count / 2;
    self->offsets = memory_resize(self->offsets, self->capacity * sizeof *self->offsets);
    self->operations = memory_resize(self->operations, self->capacity * sizeof *self->operations);
}

// Encodes all values first: the buffer may move while it grows.
static void
encode_values(committer_t *self, const struct batch *batch)
{
    struct opened room;
    buffer_clear(&self->values);
    for (size_t i = 0; i < batch->count; i++) {
        const struct write *write = &batch->writes[i];
        self->offsets[i] = self->values.size;
        if (write->record)
            record_to_stored(frozen_open(write->record, &room), &self->values);
        else {
            struct bytes value = batch_value(batch, write);
            buffer_put(&self->values, value.data, value.size);
        }
    }
    self->offsets[batch->count] = self->values.size;
}

static size_t
encode_batch(committer_t *self, const struct batch *batch)
{
    reserve(self, batch->count + 1);
    encode_values(self, batch);
    for (size_t i = 0; i < batch->count; i++) {
        const struct write *write = &batch->writes[i];
        self->operations[i] = (struct store_operation){
            .address = {batch->family, write->part, batch_key(batch, write)},
            .is_delete = write->is_delete,
            .value = {self->values.data + self->offsets[i],
                      self->offsets[i + 1] - self->offsets[i]},
        };
    }
    self->operations[batch->count] = (struct store_operation){
        .address = {batch->family, COMMIT_PART, key_bytes(&batch->marker)},
    };
    return batch->count + 1;
}

// Reads the marker until it can be read: its version says whether commit `id` was written.
static enum store_result
resolve_unknown(committer_t *self, const struct store_address *marker, store_version_t id)
{
    uint64_t deadline_ms = clock_deadline_ms(RESOLVE_DEADLINE_MS);
    do {
        store_version_t version = 0;
        void *value = NULL;
        size_t size;
        enum store_result result =
            store_get(self->store, marker, deadline_ms, &version, &value, &size);
        free(value);
        if (result == STORE_OK || result == STORE_ABSENT)
            return version == id ? STORE_OK : STORE_UNAVAILABLE;
        nanosleep(&(struct timespec){.tv_nsec = RESOLVE_PAUSE_MS * 1000000L}, NULL);
    } while (clock_left_ms(deadline_ms) > 0);
    return STORE_UNKNOWN;
}

// Another process took its place and has written since: what this one has in memory is old. Whoever
// keeps the lease ends the process in order.
static void
note_lost(const committer_t *self)
{
    lease_lose();
    log_error("lane_lost", "actor=%s detail=%s", self->base.name,
              "another server has taken the database over: nothing is written any more");
}

static enum store_result
settle(committer_t *self, const struct store_address *marker, store_version_t id,
       enum store_result result)
{
    if (self->lane.last == 0)
        return result == STORE_UNKNOWN ? resolve_unknown(self, marker, id) : result;
    enum store_result settled = lane_settle(&self->lane, marker, id, result);
    if (!self->lane.is_lost)
        return settled;
    note_lost(self);
    return result == STORE_UNKNOWN ? STORE_UNKNOWN : STORE_UNAVAILABLE;
}

static enum store_result
commit(committer_t *self, const struct batch *batch)
{
    if (self->lane.is_lost)
        return STORE_UNAVAILABLE;
    // Whoever stages asks for room; if somebody did not, no memory is overwritten: the requests are
    // tried again one by one.
    if (batch->count - batch->beside >= LIMIT_APART_OPERATIONS ||
        batch->count >= LIMIT_COMMIT_WRITES)
        return STORE_LIMIT;
    size_t count = encode_batch(self, batch); // it may move the operations
    const struct store_guard fence = {{batch->family, COMMIT_PART, key_bytes(&batch->marker)},
                                      self->lane.last};
    const struct store_commit commit = {
        .id = store_version_new(),
        .guards = &fence,
        .guard_count = fence.version != 0,
        .is_fenced = fence.version != 0,
        .operations = self->operations,
        .operation_count = count,
    };
    enum store_result result =
        store_commit(self->store, &commit, clock_deadline_ms(COMMIT_DEADLINE_MS));
    return settle(self, &fence.address, commit.id, result);
}

static enum error
handle_commit(actor_t *actor, struct message *message)
{
    committer_t *self = (committer_t *)(void *)actor;
    struct batch *batch = batch_of(message);
    uint64_t begin_us = clock_now_us();
    batch->result = commit(self, batch);
    time_observe(HISTOGRAM_COMMIT_TIME, clock_now_us() - begin_us);
    size_observe(HISTOGRAM_COMMIT_WRITES, batch->count);
    counter_add(batch->result == STORE_OK ? COUNT_COMMITS : COUNT_COMMITS_FAILED, 1);
    // The store itself logs once that the disk is full; not every commit does.
    if (batch->result != STORE_OK && batch->result != STORE_FULL)
        log_error("commit_failed", "actor=%s result=%d writes=%zu", actor->name, (int)batch->result,
                  batch->count);
    message->operation = COMMITTED;
    return OK;
}

static enum error
handle_recall(actor_t *actor, struct message *message)
{
    committer_t *self = (committer_t *)(void *)actor;
    struct recall *recall = recall_of(message);
    const struct store_address address = {recall->family, recall->part, key_bytes(&recall->key)};
    store_version_t version;
    recall->result = store_get(self->store, &address, clock_deadline_ms(COMMIT_DEADLINE_MS),
                               &version, &recall->value, &recall->size);
    message->operation = RECALLED;
    return OK;
}

static void
close_committer(actor_t *actor)
{
    committer_t *self = (committer_t *)(void *)actor;
    buffer_finish(&self->values);
    free(self->offsets);
    free(self->operations);
}

static const struct actor_behaviour committer_behaviour = {
    .operations = {[COMMIT] = {handle_commit}, [RECALL] = {handle_recall}},
    .close = close_committer,
};

fallible
committer_create_fenced(store_t *store, const char *name, store_version_t last,
                        committer_t **ret_committer)
{
    committer_t *self = memory_take_zeroed(sizeof *self);
    self->store = store;
    self->lane = (struct lane){.store = store, .name = self->base.name, .last = last};
    TRY(actor_create(&self->base, &committer_behaviour, name));
    *ret_committer = self;
    return OK;
}

fallible
committer_create(store_t *store, const char *name, committer_t **ret_committer)
{
    return committer_create_fenced(store, name, 0, ret_committer);
}

void
committer_destroy(committer_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
