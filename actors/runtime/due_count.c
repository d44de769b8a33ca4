// due_count.c - reads the records in pages, and compares their sums with those that are stored
// (due_count.h).
#include "actors/runtime/due_count.h"

#include <inttypes.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/record_page.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum {
    CALL_DEADLINE_MS = 60000,
    MOST_WRITES = 500,
    MEASURE = 1, // raise it where record_size counts in another way
    NUMBER_SIZE = 8,
};

struct writing {
    store_t *store;
    enum family family;
    size_t count;
    struct key keys[MOST_WRITES], values[MOST_WRITES];
    struct store_operation operations[MOST_WRITES];
    uint64_t mended;
    enum store_result result; // the first that was not good
};

static void
flush(struct writing *self)
{
    for (size_t i = 0; i < self->count; i++)
        self->operations[i] = (struct store_operation){
            .address = {self->family, 0, key_bytes(&self->keys[i])},
            .value = key_bytes(&self->values[i]),
            .is_delete = self->values[i].size == 0,
        };
    const struct store_commit commit = {
        .id = store_version_new(), .operations = self->operations, .operation_count = self->count};
    if (self->count > 0 && self->result == STORE_OK)
        self->result = store_commit(self->store, &commit, clock_deadline_ms(CALL_DEADLINE_MS));
    self->count = 0;
}

// Puts a value, or deletes what has none.
static void
write_value(struct writing *self, const struct key *key, const struct key *value)
{
    if (self->count == MOST_WRITES)
        flush(self);
    self->keys[self->count] = *key;
    self->values[self->count++] = *value;
}

static enum store_result
get(store_t *store, enum family family, const struct key *key, void **ret_value, size_t *ret_size)
{
    store_version_t version;
    const struct store_address address = {family, 0, key_bytes(key)};
    return store_get(store, &address, clock_deadline_ms(CALL_DEADLINE_MS), &version, ret_value,
                     ret_size);
}

// --- what is stored ---

static void
put_if_other(struct writing *self, const struct key *key, const struct key *value)
{
    void *stored = NULL;
    size_t size = 0;
    enum store_result result = get(self->store, self->family, key, &stored, &size);
    bool is_same =
        result == STORE_OK && size == value->size && memcmp(stored, value->data, size) == 0;
    free(stored);
    if (result != STORE_OK && result != STORE_ABSENT)
        self->result = result;
    if (is_same)
        return;
    self->mended++;
    write_value(self, key, value);
}

struct stray {
    struct writing *writing;
    const struct due_sums *sums;
};

// A sum of who has nothing.
static bool
delete_stray(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    const struct stray *self = context;
    const unsigned char *bytes = key.data;
    char payer[KEY_MAX + 1];
    (void)version, (void)value;
    if (key.size < 2 || key.size > KEY_MAX)
        return true;
    memcpy(payer, bytes + 2, key.size - 2);
    payer[key.size - 2] = '\0';
    if (due_sums_count(self->sums, bytes[1], payer) != 0)
        return true;
    struct key found = key_of_name(bytes[0], (struct bytes){bytes + 1, key.size - 1});
    self->writing->mended++;
    write_value(self->writing, &found, &(struct key){0});
    return true;
}

static void
write_all(struct writing *self, const struct due_sums *sums)
{
    struct key key, value;
    const struct key low = key_of_tag(KEY_DUES), high = key_after(&low);
    struct stray stray = {self, sums};
    for (size_t cursor = 0; self->result == STORE_OK && due_sums_next(sums, &cursor, &key, &value);)
        put_if_other(self, &key, &value);
    flush(self);
    enum store_result result =
        store_scan(self->store, self->family, 0, key_bytes(&low), key_bytes(&high), false, 0,
                   clock_deadline_ms(CALL_DEADLINE_MS), delete_stray, &stray);
    if (self->result == STORE_OK)
        self->result = result;
    flush(self);
}

// --- the measure ---

// Changes where records of one of the kinds take another size.
static struct key
measure_of(const struct due_family *family)
{
    struct key measure = {.size = NUMBER_SIZE};
    uint64_t hash = MEASURE;
    for (size_t i = 0; i < family->indexes.count; i++)
        hash =
            (hash ^ (family->indexes.kinds[i].tag + 256 * family->indexes.kinds[i].schema->size)) *
            UINT64_C(1099511628211);
    key_put_u64(measure.data, hash);
    return measure;
}

// --- records ---

static const struct due_kind *
kind_of(const struct due_family *family, key_tag_t tag)
{
    const struct due_kind *kind = family->kinds;
    while (kind->tag && kind->tag != tag)
        kind++;
    return kind->tag ? kind : NULL;
}

static enum store_result
count_kind(store_t *store, const struct due_family *family, const struct index_kind *kind,
           struct due_sums *sums)
{
    const struct due_kind *due = kind_of(family, kind->tag);
    if (!due)
        return STORE_OK;
    struct record_page *page = record_page_of_kind(&family->indexes, kind, 0);
    enum store_result result;
    do {
        record_page_read(page, store, clock_deadline_ms(CALL_DEADLINE_MS));
        result = page->result == STORE_BAD ? page->scanned : page->result;
        for (size_t i = 0; i < page->count; i++)
            due_sums_add(sums, due, page->records[i]);
    } while (page->is_more && result == STORE_OK);
    record_page_destroy(&page);
    return result;
}

fallible
due_count(store_t *store, const struct due_family *family, uint64_t *ret_mended)
{
    struct due_sums sums = {0};
    struct writing *writing = memory_take_zeroed(sizeof *writing);
    const struct key measure = measure_of(family), key = key_of_tag(KEY_DUES);
    writing->store = store;
    writing->family = family->indexes.family;
    for (size_t i = 0; i < family->indexes.count && writing->result == STORE_OK; i++)
        writing->result = count_kind(store, family, &family->indexes.kinds[i], &sums);
    if (writing->result == STORE_OK)
        write_all(writing, &sums);
    if (writing->result == STORE_OK)
        write_value(writing, &key, &measure); // last: who is cut before counts again
    flush(writing);
    enum store_result result = writing->result;
    *ret_mended = writing->mended;
    due_sums_finish(&sums);
    free(writing);
    return store_error(result);
}

fallible
due_count_if_needed(store_t *store, const struct due_family *family)
{
    const struct key measure = measure_of(family), key = key_of_tag(KEY_DUES);
    void *stored = NULL;
    size_t size = 0;
    uint64_t mended, began_us = clock_now_us();
    enum store_result result = get(store, family->indexes.family, &key, &stored, &size);
    bool is_ours =
        result == STORE_OK && size == measure.size && memcmp(stored, measure.data, size) == 0;
    free(stored);
    if (is_ours)
        return OK;
    if (result != STORE_OK && result != STORE_ABSENT)
        return store_error(result);
    TRY(due_count(store, family, &mended));
    log_info("dues_counted", "family=%s written=%" PRIu64 " ms=%" PRIu64,
             store_family_names[family->indexes.family], mended,
             (clock_now_us() - began_us) / 1000);
    return OK;
}
