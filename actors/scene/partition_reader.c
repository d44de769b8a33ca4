// partition_reader.c - see the header. Threads take the number of the next partition, read it in
// few scans (what stands side by side is one scan) and wait while too many are not taken yet.
#include "actors/scene/partition_reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"
#include "proto/record/record_packed.h"
#include "proto/records/scene.h"

enum {
    READ_DEADLINE_MS = 600000,
    THREADS_MOST = 4,
    WAITING_MOST = 16, // partitions that are read and not taken
};

struct partition_reader {
    store_t *store;
    unsigned shards;
    pthread_t threads[THREADS_MOST];
    unsigned thread_count;
    pthread_mutex_t lock;   // of what follows
    pthread_cond_t changed; // any of it
    unsigned next;          // partition to be read
    unsigned left;          // partitions that were not taken
    unsigned waiting;       // in the list
    struct partition_found *first;
    bool is_ending;
};

// --- one partition ---

// Tags side by side: from the first to the last, and what is of no use between them is left out. In
// the order of keys: all are one scan, as a database is far away.
static const struct {
    key_tag_t first, last;
} spans[] = {
    {KEY_OUTBOX, KEY_OUTBOX}, // with KEY_EVIDENCE, KEY_FENCE and KEY_HOLDING:
    {KEY_DEVICE, KEY_REPEAT}, {KEY_LEASE, KEY_LEASE},
    {KEY_SCENE, KEY_SCENE},   {KEY_LEAVING, KEY_SWEEP},
};

enum { SPANS = sizeof spans / sizeof spans[0] };

static bool
has_record(key_tag_t tag)
{
    return tag == KEY_SCENE || tag == KEY_DEVICE || tag == KEY_EVIDENCE || tag == KEY_LEAVING;
}

static bool
is_packed(key_tag_t tag)
{
    return tag == KEY_SCENE || tag == KEY_DEVICE;
}

static bool
has_number(key_tag_t tag)
{
    return tag == KEY_HOLDING || tag == KEY_FENCE || tag == KEY_LEASE;
}

static bool
is_raw(key_tag_t tag)
{
    return tag == KEY_OUTBOX || tag == KEY_REPEAT;
}

static struct bytes
copy_of(struct arena *arena, struct bytes bytes)
{
    void *copy = arena_alloc(arena, bytes.size + 1);
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    return (struct bytes){copy, bytes.size};
}

static struct partition_row *
row_add(struct partition_found *self)
{
    enum { FIRST_CAPACITY = 64 };
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_CAPACITY;
        self->rows = memory_resize(self->rows, self->capacity * sizeof self->rows[0]);
    }
    struct partition_row *row = &self->rows[self->count++];
    *row = (struct partition_row){0};
    return row;
}

static void
raw_add(struct partition_found *self, struct bytes key, struct bytes value)
{
    struct partition_row *row = row_add(self);
    row->tag = *(const unsigned char *)key.data;
    row->key = copy_of(&self->arena, key);
    row->value = copy_of(&self->arena, value);
}

static fallible
read_record(struct partition_row *row, struct bytes value)
{
    const struct schema *schema = scene_family_schema(row->tag);
    if (!is_packed(row->tag))
        return record_frozen_from_stored(schema, value.data, value.size, &row->record);
    owned(arena_finish) struct arena arena = {0};
    struct record *record;
    TRY(record_from_stored(&arena, schema, value.data, value.size, &record));
    row->record = packed_frozen(record_pack(schema, record));
    if (row->tag == KEY_SCENE)
        row->scene_id = (uint64_t)scene_of(record)->id;
    return OK;
}

// A key that is too short for its tag is of no scene. A number of another size is none.
static bool
visit(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct partition_found *self = context;
    key_tag_t tag = *(const unsigned char *)key.data;
    (void)version;
    uint64_t id = 0;
    if (is_raw(tag))
        raw_add(self, key, value);
    if (tag != KEY_SWEEP && !has_record(tag) && !has_number(tag))
        return true;
    if (tag != KEY_SCENE && !key_scene_id(key, &id))
        return true;
    struct partition_row *row = row_add(self);
    row->tag = tag;
    row->scene_id = id;
    if (has_number(tag)) {
        row->text = key_text_in_scene(&self->arena, key);
        row->has_number = value.size == sizeof(uint64_t);
        row->number = row->has_number ? key_get_u64(value.data) : 0;
    }
    if (has_record(tag) && read_record(row, value) != OK) {
        self->result = STORE_BAD;
        self->failed = tag;
        return false;
    }
    return true;
}

static struct partition_found *
read_partition(store_t *store, uint16_t part)
{
    struct partition_found *found = memory_take_zeroed(sizeof *found);
    struct key keys[SPANS][2];
    struct store_range ranges[SPANS];
    for (size_t i = 0; i < SPANS; i++) {
        const struct key last = key_of_tag(spans[i].last);
        keys[i][0] = key_of_tag(spans[i].first);
        keys[i][1] = key_after(&last);
        ranges[i] = (struct store_range){key_bytes(&keys[i][0]), key_bytes(&keys[i][1])};
    }
    const struct store_scan scan = {.family = FAMILY_SCENE,
                                    .part = part,
                                    .ranges = ranges,
                                    .range_count = SPANS,
                                    .is_last = true};
    found->part = part;
    found->result = STORE_OK;
    enum store_result result =
        store_scan_ranges(store, &scan, clock_deadline_ms(READ_DEADLINE_MS), visit, found);
    if (result != STORE_OK && found->result == STORE_OK) {
        found->result = result;
        found->failed = KEY_SCENE;
    }
    return found;
}

void
partition_found_destroy(struct partition_found **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        record_unref(&(*self)->rows[i].record);
    free((*self)->rows);
    arena_finish(&(*self)->arena);
    free(*self);
    *self = NULL;
}

// --- threads ---

// The next partition to be read; false: there is none, or nobody wants it.
static bool
next_partition(partition_reader_t *self, uint16_t *ret_part)
{
    pthread_mutex_lock(&self->lock);
    while (self->waiting >= WAITING_MOST && !self->is_ending)
        pthread_cond_wait(&self->changed, &self->lock);
    bool is_there = self->next < PARTITION_COUNT && !self->is_ending;
    if (is_there) {
        *ret_part = (uint16_t)self->next;
        self->next += self->shards;
    }
    pthread_mutex_unlock(&self->lock);
    return is_there;
}

static void
hand_over(partition_reader_t *self, struct partition_found *found)
{
    pthread_mutex_lock(&self->lock);
    found->next = self->first;
    self->first = found;
    self->waiting++;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

static void *
run(void *argument)
{
    partition_reader_t *self = argument;
    uint16_t part;
    while (next_partition(self, &part))
        hand_over(self, read_partition(self->store, part));
    return NULL;
}

// Who reads from a database waits more than it works.
static unsigned
thread_count(const store_t *store)
{
    if (store->is_shared)
        return THREADS_MOST;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (unsigned)cores;
}

partition_reader_t *
partition_reader_create(store_t *store, unsigned shard, unsigned shards)
{
    partition_reader_t *self = memory_take_zeroed(sizeof *self);
    self->store = store;
    self->shards = shards;
    self->next = shard;
    self->left = (PARTITION_COUNT - shard + shards - 1) / shards;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    for (unsigned wanted = thread_count(store); self->thread_count < wanted; self->thread_count++)
        if (pthread_create(&self->threads[self->thread_count], NULL, run, self) != 0)
            break;
    return self;
}

struct partition_found *
partition_reader_take(partition_reader_t *self)
{
    uint16_t part;
    if (self->left == 0)
        return NULL;
    self->left--;
    if (self->thread_count == 0) // no thread could be started
        return next_partition(self, &part) ? read_partition(self->store, part) : NULL;
    pthread_mutex_lock(&self->lock);
    while (!self->first)
        pthread_cond_wait(&self->changed, &self->lock);
    struct partition_found *found = self->first;
    self->first = found->next;
    self->waiting--;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    return found;
}

void
partition_reader_destroy(partition_reader_t **self)
{
    if (!*self)
        return;
    pthread_mutex_lock(&(*self)->lock);
    (*self)->is_ending = true;
    pthread_cond_broadcast(&(*self)->changed);
    pthread_mutex_unlock(&(*self)->lock);
    for (unsigned i = 0; i < (*self)->thread_count; i++)
        pthread_join((*self)->threads[i], NULL);
    for (struct partition_found *found = (*self)->first, *next; found; found = next) {
        next = found->next;
        partition_found_destroy(&found);
    }
    pthread_cond_destroy(&(*self)->changed);
    pthread_mutex_destroy(&(*self)->lock);
    free(*self);
    *self = NULL;
}
