// record_orders.c - makes, follows and drops indexes of a set (record_orders.h).
#include "actors/runtime/record_orders.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/words.h"
#include "proto/message/list_query.h"

enum {
    IDLE_MS = 60000,   // so long after its last use an order goes
    ENTRY_BYTES = 44,  // of a chunk that is about three quarters full
    LISTED_BYTES = 66, // and its place in the table
    MADE_AT_ONCE = 16, // records that cost more than a look at the clock
};

// --- what is known of a record ---

static bool
has_key(const void *value, const void *key)
{
    return text_equal(frozen_key(((const struct listed *)value)->record), key);
}

static struct listed *
find(const struct record_orders *self, const struct text *key)
{
    return table_find(&self->listed, table_hash_text(key), has_key, key);
}

const struct listed *
record_orders_find(const struct record_orders *self, const struct text *key)
{
    return find(self, key);
}

static struct listed *
listed_create(struct record_orders *self, const frozen_t *record)
{
    struct listed *listed = memory_take_zeroed(sizeof *listed);
    listed->record = record;
    table_add(&self->listed, table_hash_text(frozen_key(record)), listed);
    self->bytes += LISTED_BYTES;
    return listed;
}

static void
forget_words(struct record_orders *self, struct listed *listed)
{
    self->bytes -= listed->words_size;
    free(listed->words);
    listed->words = NULL;
    listed->words_size = 0;
}

static void
make_words(struct record_orders *self, struct listed *listed)
{
    struct words words;
    struct opened room;
    forget_words(self, listed);
    list_words(self->kind, frozen_open(listed->record, &room), &words);
    listed->words = memory_take(words.size ? words.size : 1);
    memcpy(listed->words, words.bytes, words.size);
    listed->words_size = (uint16_t)words.size;
    self->bytes += words.size;
}

static void
listed_destroy(struct record_orders *self, struct listed *listed)
{
    forget_words(self, listed);
    self->bytes -= LISTED_BYTES;
    free(listed);
}

// --- entries ---

static void
enter(struct record_orders *self, struct record_order *order, struct listed *listed)
{
    size_t count = order->index.count;
    if (order->index.order == LIST_WORD)
        make_words(self, listed);
    ordered_index_add(&order->index, listed);
    self->bytes += (order->index.count - count) * ENTRY_BYTES;
}

static void
take_out(struct record_orders *self, struct record_order *order, struct listed *listed)
{
    size_t count = order->index.count;
    ordered_index_remove(&order->index, listed);
    self->bytes -= (count - order->index.count) * ENTRY_BYTES;
}

// --- making ---

static struct record_order *
order_begin(struct record_orders *self, enum list_order which)
{
    struct record_order *order = memory_take_zeroed(sizeof *order);
    ordered_index_init(&order->index, self->kind, which);
    self->orders[which] = order;
    self->count++;
    return order;
}

bool
record_orders_make(struct record_orders *self, const struct list_kind *kind, enum list_order which,
                   struct record_set *set, const actor_t *actor)
{
    while (self->is_ending && record_orders_finish_some(self))
        if (actor_must_pause(actor))
            return false;
    self->kind = kind;
    struct record_order *order =
        self->orders[which] ? self->orders[which] : order_begin(self, which);
    order->used_ms = clock_now_ms();
    if (order->is_ready)
        return true;
    size_t count, place = order->passed ? record_set_place_after(set, order->passed) : 0;
    const frozen_t *const *records = record_set_items(set, &count);
    for (; place < count; place++) {
        struct listed *listed = find(self, frozen_key(records[place]));
        enter(self, order, listed ? listed : listed_create(self, records[place]));
        if (place % MADE_AT_ONCE == MADE_AT_ONCE - 1 && actor_must_pause(actor)) {
            free(order->passed);
            order->passed = text_duplicate(frozen_key(records[place]));
            return false;
        }
    }
    free(order->passed);
    order->passed = NULL;
    order->is_ready = true;
    return true;
}

static void
order_end(struct record_orders *self, enum list_order which)
{
    struct record_order *order = self->orders[which];
    self->bytes -= order->index.count * ENTRY_BYTES;
    ordered_index_finish(&order->index);
    free(order->passed);
    free(order);
    self->orders[which] = NULL;
    self->count--;
}

bool
record_orders_finish_some(struct record_orders *self)
{
    enum { AT_ONCE = 256 };
    for (enum list_order which = 0; which < LIST_ORDER_COUNT; which++) {
        struct record_order *order = self->orders[which];
        if (!order)
            continue;
        if (!ordered_index_finish_some(&order->index))
            order_end(self, which);
        return true;
    }
    struct listed *listed = NULL;
    self->is_ending = true;
    for (int i = 0; i < AT_ONCE; i++) {
        listed = table_next(&self->listed, &self->freed);
        if (!listed)
            break;
        free(listed->words);
        free(listed);
    }
    if (listed)
        return true;
    table_finish(&self->listed);
    *self = (struct record_orders){0};
    return false;
}

void
record_orders_finish(struct record_orders *self)
{
    while (record_orders_finish_some(self)) {
    }
}

// --- following ---

// Whether the order has the record, or will have it only when it comes to it.
static bool
has_come_to(const struct record_order *order, const struct text *key)
{
    return order->is_ready || (order->passed && text_compare(key, order->passed) <= 0);
}

// Whether the member (NULL = none) is the same; one that is absent is another than 0.
static bool
is_same_member(const struct field *field, const struct record *a, const struct record *b)
{
    return !field || (record_has(a, field->id) == record_has(b, field->id) &&
                      record_shows_equal(field, a, b));
}

static bool
is_same_text(const struct list_kind *kind, enum list_order order, const struct record *a,
             const struct record *b)
{
    return is_same_member(list_kind_field(kind, order), a, b);
}

static bool
has_same_words(const struct list_kind *kind, const struct record *a, const struct record *b)
{
    return is_same_text(kind, LIST_NAME, a, b) && is_same_text(kind, LIST_TYPE, a, b) &&
           is_same_text(kind, LIST_TAG, a, b);
}

// Whether both records stand at the same places of the order.
static bool
is_same_in(const struct list_kind *kind, const struct ordered_index *index, const struct record *a,
           const struct record *b)
{
    return index->order == LIST_WORD ? has_same_words(kind, a, b)
                                     : is_same_member(index->field, a, b);
}

// The orders in which the record moves, a bit each; those that nobody asks for any more go.
static uint32_t
find_moves(struct record_orders *self, const struct listed *listed, const frozen_t *now)
{
    uint32_t moves = 0;
    struct opened before_room, after_room;
    const struct record *before = frozen_open(listed ? listed->record : NULL, &before_room);
    const struct record *after = frozen_open(now, &after_room);
    for (enum list_order which = 0; which < LIST_ORDER_COUNT; which++) {
        if (!self->orders[which] ||
            (before && after && is_same_in(self->kind, &self->orders[which]->index, before, after)))
            continue;
        if (self->orders[which]->used_ms + IDLE_MS < clock_now_ms())
            order_end(self, which);
        else
            moves |= UINT32_C(1) << which;
    }
    return moves;
}

static void
for_moves(struct record_orders *self, uint32_t moves, struct listed *listed,
          void (*work)(struct record_orders *self, struct record_order *order,
                       struct listed *listed))
{
    for (enum list_order which = 0; which < LIST_ORDER_COUNT; which++)
        if ((moves & (UINT32_C(1) << which)) &&
            has_come_to(self->orders[which], frozen_key(listed->record)))
            work(self, self->orders[which], listed);
}

void
record_orders_replace(struct record_orders *self, const frozen_t *old, const frozen_t *now)
{
    const frozen_t *either = old ? old : now;
    if (self->count == 0 || self->is_ending) { // nobody asks any more
        if (self->listed.count)
            record_orders_finish_some(self);
        return;
    }
    struct listed *listed = find(self, frozen_key(either));
    uint32_t moves = find_moves(self, listed, now);
    if (listed)
        for_moves(self, moves, listed, take_out);
    if (listed && (!now || (moves & (UINT32_C(1) << LIST_WORD))))
        forget_words(self, listed);
    if (!now) {
        if (listed) {
            table_remove(&self->listed, table_hash_text(frozen_key(either)), listed);
            listed_destroy(self, listed);
        }
        return;
    }
    if (listed)
        listed->record = now;
    else
        listed = listed_create(self, now);
    for_moves(self, moves, listed, enter);
}
