// index_check.c - goes through the records first, then through the index records (index_check.h).
#include "actors/runtime/index_check.h"

#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/record_page.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"

enum {
    CALL_DEADLINE_MS = 60000,
    TOLD_RECORDS = 100000,
    FEW_KEYS = 200, // of one page of index records
    MOST_WRITES = LIMIT_COMMIT_OPERATIONS,
};

// What one page of the check has found to be written.
struct check {
    store_t *store;
    const struct index_family *family;
    uint16_t part;
    struct index_counts *counts;
    size_t count;
    struct key keys[MOST_WRITES];
    struct store_operation operations[MOST_WRITES];
    enum store_result result; // the first that was not good
};

static void
flush(struct check *self)
{
    const struct store_commit commit = {
        .id = store_version_new(), .operations = self->operations, .operation_count = self->count};
    if (self->count > 0 && self->result == STORE_OK)
        self->result = store_commit(self->store, &commit, clock_deadline_ms(CALL_DEADLINE_MS));
    self->count = 0;
}

static void
note(struct check *self, const struct key *key, bool is_delete)
{
    if (self->count == MOST_WRITES)
        flush(self);
    self->keys[self->count] = *key;
    self->operations[self->count] = (struct store_operation){
        .address = {self->family->family, self->part, key_bytes(&self->keys[self->count])},
        .is_delete = is_delete,
    };
    self->count++;
}

static enum store_result
get(struct check *self, const struct key *key, void **ret_value, size_t *ret_size)
{
    const struct store_address address = {self->family->family, self->part, key_bytes(key)};
    store_version_t version;
    enum store_result result = store_get(self->store, &address, clock_deadline_ms(CALL_DEADLINE_MS),
                                         &version, ret_value, ret_size);
    if (result != STORE_OK && result != STORE_ABSENT && self->result == STORE_OK)
        self->result = result;
    return result;
}

// --- what records should have ---

static void
want(void *context, const struct key *key, bool is_delete)
{
    struct check *self = context;
    void *value = NULL;
    size_t size;
    (void)is_delete; // there is nothing before
    if (get(self, key, &value, &size) == STORE_ABSENT) {
        self->counts->missing++;
        note(self, key, false);
    }
    free(value);
}

static void
check_page(struct check *self, const struct record_page *page)
{
    for (size_t i = 0; i < page->count && self->result == STORE_OK; i++) {
        const struct bytes name = key_name(&page->keys[i]);
        if (++self->counts->records % TOLD_RECORDS == 0)
            log_info("index_check", "family=%s records=%llu",
                     store_family_names[self->family->family],
                     (unsigned long long)self->counts->records);
        if (page->records[i])
            index_records_change(page->kind->rows, name, NULL, frozen_record(page->records[i]),
                                 want, self);
        else
            self->counts->damaged++;
    }
    flush(self);
}

static void
check_kind(struct check *self, const struct index_kind *kind)
{
    struct record_page *page = record_page_of_kind(self->family, kind, self->part);
    do {
        record_page_read(page, self->store, clock_deadline_ms(CALL_DEADLINE_MS));
        if (page->result != STORE_OK && page->result != STORE_BAD)
            self->result = page->result;
        check_page(self, page);
    } while (page->is_more && self->result == STORE_OK);
    if (page->scanned == STORE_BAD) { // nobody knows how many are in such a block
        log_error("records_unreadable", "family=%s part=%u tag=%c",
                  store_family_names[self->family->family], self->part, (char)kind->tag);
        self->counts->damaged++;
    }
    record_page_destroy(&page);
}

// --- what index records there are ---

struct key_page {
    struct key low;
    size_t count;
    struct key keys[FEW_KEYS];
};

static bool
take_key(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct key_page *self = context;
    (void)version, (void)value;
    struct key *found = &self->keys[self->count++];
    found->size = key.size < sizeof found->data ? key.size : sizeof found->data;
    memcpy(found->data, key.data, found->size);
    return true;
}

struct search {
    const struct key *key;
    bool is_found;
};

static void
compare(void *context, const struct key *key, bool is_delete)
{
    struct search *self = context;
    (void)is_delete;
    if (key_compare(key, self->key) == 0)
        self->is_found = true;
}

// Whether the record says what the index record says. One that cannot be read keeps its own.
static bool
is_meant(const struct index_kind *kind, const struct index_row *row, struct bytes name,
         const struct key *key, struct bytes value)
{
    const struct index_row rows[] = {*row, {.id = 0}};
    const frozen_t *record = NULL;
    struct search search = {.key = key};
    if (record_frozen_from_stored(kind->schema, value.data, value.size, &record) != OK)
        return true;
    index_records_change(rows, name, NULL, frozen_record(record), compare, &search);
    record_unref(&record);
    return search.is_found;
}

static void
check_entry(struct check *self, const struct key *key)
{
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes name;
    void *value = NULL;
    size_t size = 0;
    self->counts->entries++;
    bool is_known = index_key_read(self->family, key_bytes(key), &kind, &row, &name);
    enum store_result result = STORE_ABSENT;
    if (is_known) {
        struct key address = key_of_name(kind->tag, name);
        result = get(self, &address, &value, &size);
    }
    bool is_stray = result == STORE_ABSENT;
    if (result == STORE_OK)
        is_stray = !is_meant(kind, row, name, key, (struct bytes){value, size});
    free(value);
    if (!is_stray)
        return;
    self->counts->stray++;
    note(self, key, true);
}

static void
check_entries(struct check *self)
{
    struct key_page *page = memory_take_zeroed(sizeof *page);
    const struct key all = key_of_tag(KEY_INDEX), high = key_after(&all);
    page->low = all;
    do {
        page->count = 0;
        enum store_result result = store_scan(
            self->store, self->family->family, self->part, key_bytes(&page->low), key_bytes(&high),
            false, FEW_KEYS, clock_deadline_ms(CALL_DEADLINE_MS), take_key, page);
        if (result != STORE_OK)
            self->result = result;
        for (size_t i = 0; i < page->count && self->result == STORE_OK; i++)
            check_entry(self, &page->keys[i]);
        if (page->count > 0)
            page->low = key_next(&page->keys[page->count - 1]);
        flush(self);
    } while (page->count == FEW_KEYS && self->result == STORE_OK);
    free(page);
}

fallible
index_check(store_t *store, const struct index_family *family, struct index_counts *ret_counts)
{
    struct check *self = memory_take_zeroed(sizeof *self);
    *ret_counts = (struct index_counts){0};
    self->store = store;
    self->family = family;
    self->counts = ret_counts;
    for (unsigned part = 0; part < family->parts && self->result == STORE_OK; part++) {
        self->part = (uint16_t)part;
        for (size_t i = 0; i < family->count && self->result == STORE_OK; i++)
            check_kind(self, &family->kinds[i]);
        if (self->result == STORE_OK)
            check_entries(self);
    }
    enum store_result result = self->result;
    free(self);
    return store_error(result);
}
