// due_sums.c - a table of sums by kind and payer, and how they stand in the store (due_sums.h).
#include "actors/runtime/due_sums.h"

#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/memory.h"

enum { NUMBER_SIZE = 8, VALUE_SIZE = DUE_AMOUNTS * NUMBER_SIZE, PREFIX_SIZE = 2 };

struct due_sum {
    key_tag_t tag;
    size_t place; // in the batch that it was written into last
    int64_t amounts[DUE_AMOUNTS];
    size_t size;
    char payer[];
};

struct wanted {
    key_tag_t tag;
    struct bytes payer;
};

static uint64_t
hash_of(struct wanted wanted)
{
    uint64_t hash = wanted.tag;
    for (size_t i = 0; i < wanted.payer.size; i += NUMBER_SIZE) {
        uint64_t some = 0;
        size_t left = wanted.payer.size - i;
        memcpy(&some, (const char *)wanted.payer.data + i, left < sizeof some ? left : sizeof some);
        hash = table_hash_u64(hash + some);
    }
    return hash;
}

static bool
is_wanted(const void *value, const void *key)
{
    const struct due_sum *sum = value;
    const struct wanted *wanted = key;
    return sum->tag == wanted->tag && sum->size == wanted->payer.size &&
           memcmp(sum->payer, wanted->payer.data, sum->size) == 0;
}

// The sum, made where there is none.
static struct due_sum *
sum_of(struct due_sums *self, key_tag_t tag, struct bytes payer)
{
    const struct wanted wanted = {tag, payer};
    const uint64_t hash = hash_of(wanted);
    struct due_sum *sum = table_find(&self->sums, hash, is_wanted, &wanted);
    if (sum)
        return sum;
    sum = memory_take_zeroed(sizeof *sum + payer.size + 1);
    sum->tag = tag;
    sum->size = payer.size;
    memcpy(sum->payer, payer.data, payer.size);
    table_add(&self->sums, hash, sum);
    return sum;
}

void
due_sums_finish(struct due_sums *self)
{
    void *sum;
    for (size_t cursor = 0; (sum = table_next(&self->sums, &cursor)) != NULL;)
        free(sum);
    table_finish(&self->sums);
}

// --- as they are stored ---

static struct key
key_of(const struct due_sum *sum)
{
    struct key key = key_of_tag(KEY_DUES);
    key.data[key.size++] = sum->tag;
    size_t room = sizeof key.data - key.size, size = sum->size < room ? sum->size : room;
    memcpy(key.data + key.size, sum->payer, size);
    key.size += size;
    return key;
}

static struct key
value_of(const struct due_sum *sum)
{
    struct key value = {.size = VALUE_SIZE};
    for (unsigned i = 0; i < DUE_AMOUNTS; i++)
        key_put_u64(value.data + i * NUMBER_SIZE, (uint64_t)sum->amounts[i]);
    return value;
}

static bool
is_nothing(const struct due_sum *sum)
{
    for (unsigned i = 0; i < DUE_AMOUNTS; i++)
        if (sum->amounts[i])
            return false;
    return true;
}

bool
due_sums_next(const struct due_sums *self, size_t *cursor, struct key *ret_key,
              struct key *ret_value)
{
    const struct due_sum *sum;
    do {
        sum = table_next(&self->sums, cursor);
        if (!sum)
            return false;
    } while (is_nothing(sum));
    *ret_key = key_of(sum);
    *ret_value = value_of(sum);
    return true;
}

// --- changes ---

// Adds what the record takes, times `sign`; NULL: nothing.
static struct due_sum *
move(struct due_sums *self, const struct due_kind *kind, const frozen_t *record, int sign)
{
    if (!record)
        return NULL;
    const struct dues dues = dues_of_frozen(kind->row, record);
    const struct bytes payer = {dues.payer ? text_bytes(dues.payer) : "", text_size(dues.payer)};
    struct due_sum *sum = sum_of(self, kind->tag, payer);
    for (unsigned i = 0; i < DUE_AMOUNTS; i++)
        sum->amounts[i] += sign * dues.amounts[i];
    return sum;
}

static void
stage(struct due_sum *sum, struct batch *batch)
{
    const struct key value = sum ? value_of(sum) : (struct key){0};
    if (sum)
        batch_put_newest_beside(batch, &sum->place, 0, key_of(sum),
                                is_nothing(sum) ? NULL : &value);
}

void
due_sums_stage(struct due_sums *self, const struct due_kind *kind, struct batch *batch,
               const frozen_t *before, const frozen_t *after)
{
    struct due_sum *old = move(self, kind, before, -1), *new = move(self, kind, after, 1);
    stage(new, batch);
    if (old != new)
        stage(old, batch);
}

void
due_sums_drop(struct due_sums *self, const struct due_kind *kind, const frozen_t *before,
              const frozen_t *after)
{
    move(self, kind, after, -1);
    move(self, kind, before, 1);
}

void
due_sums_add(struct due_sums *self, const struct due_kind *kind, const frozen_t *record)
{
    move(self, kind, record, 1);
}

int64_t
due_sums_count(const struct due_sums *self, key_tag_t tag, const char *payer)
{
    const struct wanted wanted = {tag, {payer, strlen(payer)}};
    const struct due_sum *sum = table_find(&self->sums, hash_of(wanted), is_wanted, &wanted);
    return sum ? sum->amounts[0] : 0;
}

// --- reading ---

static const struct due_kind *
find_kind(const struct due_kind *kinds, key_tag_t tag)
{
    while (kinds->tag && kinds->tag != tag)
        kinds++;
    return kinds->tag ? kinds : NULL;
}

void
due_sums_take(struct due_sums *self, budget_book_t *book, const struct due_kind *kinds,
              struct bytes key, struct bytes value)
{
    const unsigned char *bytes = key.data, *numbers = value.data;
    if (key.size < PREFIX_SIZE || (value.size && value.size != VALUE_SIZE))
        return;
    const struct due_kind *kind = find_kind(kinds, bytes[1]);
    if (!kind)
        return;
    struct due_sum *sum =
        sum_of(self, bytes[1], (struct bytes){bytes + PREFIX_SIZE, key.size - PREFIX_SIZE});
    int64_t more[DUE_AMOUNTS];
    for (unsigned i = 0; i < DUE_AMOUNTS; i++) {
        int64_t amount = value.size ? (int64_t)key_get_u64(numbers + i * NUMBER_SIZE) : 0;
        more[i] = amount - sum->amounts[i];
        sum->amounts[i] = amount;
    }
    if (book && sum->size > 0)
        dues_enter_sum(book, kind->row, sum->payer, more);
}

struct reading {
    struct due_sums *sums;
    budget_book_t *book;
    const struct due_kind *kinds;
};

static bool
take(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    (void)version;
    due_sums_take(self->sums, self->book, self->kinds, key, value);
    return true;
}

enum store_result
due_sums_read(struct due_sums *self, budget_book_t *book, const struct due_kind *kinds,
              store_t *store, enum family family, uint64_t deadline_ms)
{
    struct reading reading = {self, book, kinds};
    const struct key low = key_of_tag(KEY_DUES), high = key_after(&low);
    return store_scan(store, family, 0, key_bytes(&low), key_bytes(&high), false, 0, deadline_ms,
                      take, &reading);
}
