// shown.c - published records (shown.h): stripes of a hash table, each behind a lock that lasts for
// a look and a reference. The actor alone changes them, so it looks without a lock. Items stand in
// a ring too, around which a hand goes for room: who was read since it last came by may stay.
//
// A part says which item it is a part of by that one's serial number, which no other item ever has.
// So an item that goes takes all its parts along without a look at any of them; they cannot come
// back with a later item of its key.
#define _GNU_SOURCE // pthread_rwlockattr_setkind_np
#include "proto/message/shown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/base/table.h"

enum {
    STRIPE_BITS = 4,
    STRIPES = 1 << STRIPE_BITS,
    STEPS = 16,                    // of the hand, for one record
    BYTES_BESIDE = 192,            // of an item, its place in the table and its block, about
    HASH_SHIFT = 64 - STRIPE_BITS, // tables take the lower bits
};

struct shown_item {
    const frozen_t *record;    // one reference
    struct access_item access; // who may read it; of a part its whole says it
    bool is_part;
    uint64_t hash;          // of its key
    uint64_t serial;        // its own; of a part that of its whole
    uint64_t whole_hash;    // of a part: of the key of its whole
    _Atomic uint64_t place; // of its newest event
    _Atomic bool is_used;   // since the hand came by
    _Atomic bool was_read;  // since the actor last asked
    size_t bytes;
    shown_item_t **holder;       // where the actor keeps it, or NULL
    shown_item_t *before, *next; // in the ring
};

struct stripe {
    pthread_rwlock_t lock;
    struct table items;
};

struct shown {
    struct stripe stripes[STRIPES];
    _Atomic uint64_t version; // odd: changes that belong together are being made
    // The rest is the actor's alone.
    bool is_changing;
    size_t count;
    size_t memory;
    size_t bytes;
    uint64_t serials;
    shown_item_t *hand; // NULL: there is no item
};

shown_t *
shown_create(size_t memory)
{
    shown_t *self = memory_take_zeroed(sizeof *self);
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_rwlock_init(&self->stripes[i].lock, &kind);
    pthread_rwlockattr_destroy(&kind);
    self->memory = memory;
    return self;
}

static void
item_destroy(shown_item_t *item)
{
    record_unref(&item->record);
    free(item);
}

void
shown_destroy(shown_t **self)
{
    if (!*self)
        return;
    for (unsigned i = 0; i < STRIPES; i++) {
        struct stripe *stripe = &(*self)->stripes[i];
        shown_item_t *item;
        for (size_t cursor = 0; (item = table_next(&stripe->items, &cursor)) != NULL;)
            item_destroy(item);
        table_finish(&stripe->items);
        pthread_rwlock_destroy(&stripe->lock);
    }
    free(*self);
    *self = NULL;
}

// --- looking ---

struct wanted {
    const struct schema *schema;
    const struct text *key;
};

static bool
is_wanted(const void *value, const void *key)
{
    const struct record *record = frozen_record(((const shown_item_t *)value)->record);
    const struct wanted *wanted = key;
    return record->schema == wanted->schema && text_equal(record_key(record), wanted->key);
}

static bool
is_whole(const void *value, const void *key)
{
    const shown_item_t *item = value;
    const uint64_t *serial = key;
    return !item->is_part && item->serial == *serial;
}

// The stripe of a hash, which those lock too who change nothing.
static struct stripe *
stripe_of(const shown_t *self, uint64_t hash)
{
    return (struct stripe *)(uintptr_t)&self->stripes[hash >> HASH_SHIFT];
}

static void
mark(_Atomic bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

// What a look at an item found.
struct look {
    const frozen_t *record; // one reference, or NULL
    uint64_t place, serial, whole_hash;
    bool is_part, is_permitted;
};

// Under the lock of its stripe.
static void
look_at(shown_item_t *item, const struct message *message, struct look *ret_look)
{
    *ret_look =
        (struct look){.place = atomic_load_explicit(&item->place, memory_order_acquire),
                      .serial = item->serial,
                      .whole_hash = item->whole_hash,
                      .is_part = item->is_part,
                      .is_permitted = !item->is_part && access_permits(message, &item->access)};
    mark(&item->is_used);
    if (!item->is_part)
        mark(&item->was_read);
}

static void
find(const shown_t *self, const struct message *message, const struct wanted *wanted,
     struct look *ret_look)
{
    uint64_t hash = table_hash_text(wanted->key);
    struct stripe *stripe = stripe_of(self, hash);
    pthread_rwlock_rdlock(&stripe->lock);
    shown_item_t *item = table_find(&stripe->items, hash, is_wanted, wanted);
    if (item) {
        look_at(item, message, ret_look);
        ret_look->record = record_ref(item->record);
    }
    pthread_rwlock_unlock(&stripe->lock);
}

// Whether the item that this is a part of is shown, and lets the caller read it.
static bool
whole_permits(const shown_t *self, const struct message *message, const struct look *part)
{
    struct look whole = {0};
    struct stripe *stripe = stripe_of(self, part->whole_hash);
    pthread_rwlock_rdlock(&stripe->lock);
    shown_item_t *item = table_find(&stripe->items, part->whole_hash, is_whole, &part->serial);
    if (item)
        look_at(item, message, &whole);
    pthread_rwlock_unlock(&stripe->lock);
    return whole.is_permitted;
}

bool
shown_read(const shown_t *self, const struct message *message, const struct schema *schema,
           const struct text *key, struct shown_reading *ret_reading)
{
    struct look look = {0};
    if (!self)
        return false;
    uint64_t version = atomic_load(&self->version);
    if (version % 2 == 0)
        find(self, message, &(struct wanted){schema, key}, &look);
    bool is_shown =
        look.record && (look.is_part ? whole_permits(self, message, &look) : look.is_permitted);
    if (!is_shown || atomic_load(&self->version) != version) {
        record_unref(&look.record);
        return false;
    }
    *ret_reading = (struct shown_reading){look.record, look.place};
    return true;
}

// --- the ring ---

static void
ring_add(shown_t *self, shown_item_t *item)
{
    if (!self->hand) {
        self->hand = item->before = item->next = item;
        return;
    }
    item->next = self->hand; // the hand comes by it last
    item->before = self->hand->before;
    item->before->next = item->next->before = item;
}

static void
ring_remove(shown_t *self, shown_item_t *item)
{
    item->before->next = item->next;
    item->next->before = item->before;
    if (self->hand == item)
        self->hand = item->next == item ? NULL : item->next;
}

// --- items ---

static shown_item_t *
item_at(const shown_t *self, const struct schema *schema, const struct text *key)
{
    if (!self || self->count == 0)
        return NULL;
    uint64_t hash = table_hash_text(key);
    return table_find(&stripe_of(self, hash)->items, hash, is_wanted,
                      &(struct wanted){schema, key});
}

static void
item_remove(shown_t *self, shown_item_t *item)
{
    struct stripe *stripe = stripe_of(self, item->hash);
    pthread_rwlock_wrlock(&stripe->lock);
    table_remove(&stripe->items, item->hash, item);
    pthread_rwlock_unlock(&stripe->lock);
    ring_remove(self, item);
    self->bytes -= item->bytes;
    self->count--;
    if (item->holder)
        *item->holder = NULL;
    item_destroy(item);
}

// Makes room for so many bytes more, but not at the cost of `spared`. False: there is none.
static bool
make_room(shown_t *self, size_t bytes, const shown_item_t *spared)
{
    for (unsigned i = 0; i < STEPS && self->hand && self->bytes + bytes > self->memory; i++) {
        shown_item_t *item = self->hand;
        self->hand = item->next;
        bool is_used = atomic_exchange_explicit(&item->is_used, false, memory_order_relaxed);
        if (!is_used && item != spared)
            item_remove(self, item);
    }
    return self->bytes + bytes <= self->memory;
}

static size_t
bytes_of(const frozen_t *record)
{
    return record_size(record) + BYTES_BESIDE;
}

static void
item_add(shown_t *self, const shown_item_t *fresh, const frozen_t *record)
{
    shown_item_t *item = memory_take_zeroed(sizeof *item);
    *item = *fresh;
    item->record = record_ref(record);
    item->hash = table_hash_text(frozen_key(record));
    item->bytes = bytes_of(record);
    self->bytes += item->bytes;
    self->count++;
    ring_add(self, item);
    if (item->holder)
        *item->holder = item;
    struct stripe *stripe = stripe_of(self, item->hash);
    pthread_rwlock_wrlock(&stripe->lock);
    table_add(&stripe->items, item->hash, item);
    pthread_rwlock_unlock(&stripe->lock);
}

// Puts `record` in the place of what the item shows; where there is no room for it, the item goes.
static void
item_set(shown_t *self, shown_item_t *item, const frozen_t *record,
         const struct access_item *access)
{
    size_t bytes = bytes_of(record);
    if (bytes > item->bytes && !make_room(self, bytes - item->bytes, item)) {
        item_remove(self, item);
        return;
    }
    const frozen_t *old = item->record;
    struct stripe *stripe = stripe_of(self, item->hash);
    pthread_rwlock_wrlock(&stripe->lock);
    item->record = record_ref(record);
    item->access = *access;
    pthread_rwlock_unlock(&stripe->lock);
    self->bytes += bytes - item->bytes;
    item->bytes = bytes;
    record_unref(&old);
}

// --- the actor ---

void
shown_put(shown_t *self, const frozen_t *record, const struct access_item *access, uint64_t place,
          shown_item_t **holder)
{
    *holder = NULL;
    if (self && make_room(self, bytes_of(record), NULL))
        item_add(
            self,
            &(shown_item_t){
                .access = *access, .serial = ++self->serials, .place = place, .holder = holder},
            record);
}

void
shown_put_loose(shown_t *self, const frozen_t *record, const struct access_item *access)
{
    if (item_at(self, frozen_record(record)->schema, frozen_key(record)))
        return; // whoever changes the record drops the item
    if (self && make_room(self, bytes_of(record), NULL))
        item_add(self, &(shown_item_t){.access = *access, .serial = ++self->serials}, record);
}

void
shown_put_part(shown_t *self, shown_item_t *whole, const frozen_t *record)
{
    if (!self || !whole)
        return;
    shown_item_t *item = item_at(self, frozen_record(record)->schema, frozen_key(record));
    if (item && item->serial == whole->serial)
        return; // changes keep it current
    if (item)
        item_remove(self, item); // its whole has gone
    if (make_room(self, bytes_of(record), whole))
        item_add(
            self,
            &(shown_item_t){.is_part = true, .serial = whole->serial, .whole_hash = whole->hash},
            record);
}

void
shown_change(shown_t *self, shown_item_t *item, const frozen_t *record,
             const struct access_item *access)
{
    if (self && item)
        item_set(self, item, record, access);
}

void
shown_change_part(shown_t *self, const shown_item_t *whole, const frozen_t *record)
{
    static const struct access_item of_its_whole = {0};
    if (!self || !whole)
        return;
    shown_item_t *item = item_at(self, frozen_record(record)->schema, frozen_key(record));
    if (item && item->serial == whole->serial)
        item_set(self, item, record, &of_its_whole);
}

void
shown_move(shown_item_t *item, uint64_t place)
{
    if (item)
        atomic_store_explicit(&item->place, place, memory_order_release);
}

void
shown_remove_key(shown_t *self, const struct schema *schema, const struct text *key)
{
    shown_item_t *item = item_at(self, schema, key);
    if (item)
        item_remove(self, item);
}

void
shown_remove_record(shown_t *self, const frozen_t *record)
{
    shown_item_t *item = item_at(self, frozen_record(record)->schema, frozen_key(record));
    if (item && item->record == record)
        item_remove(self, item);
}

void
shown_remove_whole(shown_t *self, shown_item_t **holder)
{
    if (*holder)
        item_remove(self, *holder); // which clears the holder
}

bool
shown_was_read(shown_item_t *item)
{
    return item && atomic_exchange_explicit(&item->was_read, false, memory_order_relaxed);
}

void
shown_begin(shown_t *self)
{
    if (!self || self->is_changing || self->count == 0)
        return;
    self->is_changing = true;
    atomic_fetch_add(&self->version, 1);
}

void
shown_end(shown_t *self)
{
    if (!self || !self->is_changing)
        return;
    self->is_changing = false;
    atomic_fetch_add(&self->version, 1);
}

size_t
shown_bytes(const shown_t *self)
{
    return self ? self->bytes : 0;
}
