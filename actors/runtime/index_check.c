// index_check.c - adds up what records should be found by, and what there is; only rows whose sums
// differ are compared one by one (index_check.h). That would be a look anywhere in the store for
// each index record of all rows.
#include "actors/runtime/index_check.h"

#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/index_sums.h"
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
    struct index_sums wanted, there; // of the part
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
add_wanted(void *context, const struct key *key, bool is_delete)
{
    struct check *self = context;
    (void)is_delete; // there is nothing before
    index_sums_add(&self->wanted, key);
}

// A row without any index record has none of this one: it is not looked for.
static bool
is_missing(struct check *self, const struct key *key)
{
    void *value = NULL;
    size_t size;
    if (index_sums_are_empty(&self->there, key))
        return true;
    enum store_result result = get(self, key, &value, &size);
    free(value);
    return result == STORE_ABSENT;
}

static void
put_missing(void *context, const struct key *key, bool is_delete)
{
    struct check *self = context;
    (void)is_delete;
    if (index_sums_agree(&self->wanted, &self->there, key) || !is_missing(self, key))
        return;
    self->counts->missing++;
    note(self, key, false);
}

static void
count_record(struct check *self, const frozen_t *record)
{
    self->counts->damaged += !record;
    if (++self->counts->records % TOLD_RECORDS == 0)
        log_info("index_check", "family=%s records=%llu", store_family_names[self->family->family],
                 (unsigned long long)self->counts->records);
}

// `write` gets the keys of the index records that the record should have.
static void
check_record(struct check *self, const struct record_page *page, size_t index, index_writer *write)
{
    const frozen_t *record = page->records[index];
    if (write == add_wanted)
        count_record(self, record);
    if (record)
        index_records_change(page->kind->rows, key_name(&page->keys[index]), NULL,
                             frozen_record(record), write, self);
}

static void
count_unreadable(struct check *self, const struct record_page *page)
{
    if (page->scanned != STORE_BAD)
        return; // nobody knows how many are in such a block
    log_error("records_unreadable", "family=%s part=%u tag=%c",
              store_family_names[self->family->family], self->part, (char)page->kind->tag);
    self->counts->damaged++;
}

static void
check_kind(struct check *self, const struct index_kind *kind, index_writer *write)
{
    struct record_page *page = record_page_of_kind(self->family, kind, self->part);
    do {
        record_page_read(page, self->store, clock_deadline_ms(CALL_DEADLINE_MS));
        if (page->result != STORE_OK && page->result != STORE_BAD)
            self->result = page->result;
        for (size_t i = 0; i < page->count && self->result == STORE_OK; i++)
            check_record(self, page, i, write);
        flush(self);
    } while (page->is_more && self->result == STORE_OK);
    if (write == add_wanted)
        count_unreadable(self, page);
    record_page_destroy(&page);
}

static void
check_kinds(struct check *self, index_writer *write)
{
    for (size_t i = 0; i < self->family->count && self->result == STORE_OK; i++)
        check_kind(self, &self->family->kinds[i], write);
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
add_there(struct check *self, const struct key *key)
{
    self->counts->entries++;
    index_sums_add(&self->there, key);
}

static bool
is_stray(struct check *self, const struct key *key)
{
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes name;
    void *value = NULL;
    size_t size = 0;
    enum store_result result = STORE_ABSENT;
    if (index_key_read(self->family, key_bytes(key), &kind, &row, &name)) {
        struct key address = key_of_name(kind->tag, name);
        result = get(self, &address, &value, &size);
    }
    bool is_stray = result == STORE_ABSENT;
    if (result == STORE_OK)
        is_stray = !is_meant(kind, row, name, key, (struct bytes){value, size});
    free(value);
    return is_stray;
}

static void
delete_stray(struct check *self, const struct key *key)
{
    if (index_sums_agree(&self->wanted, &self->there, key) || !is_stray(self, key))
        return;
    self->counts->stray++;
    note(self, key, true);
}

static void
check_entries(struct check *self, void (*take)(struct check *self, const struct key *key))
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
            take(self, &page->keys[i]);
        if (page->count > 0)
            page->low = key_next(&page->keys[page->count - 1]);
        flush(self);
    } while (page->count == FEW_KEYS && self->result == STORE_OK);
    free(page);
}

static void
check_part(struct check *self)
{
    index_sums_clear(&self->wanted);
    index_sums_clear(&self->there);
    check_kinds(self, add_wanted);
    if (self->result == STORE_OK)
        check_entries(self, add_there);
    if (self->result != STORE_OK || index_sums_equal(&self->wanted, &self->there))
        return;
    check_kinds(self, put_missing);
    if (self->result == STORE_OK)
        check_entries(self, delete_stray);
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
        check_part(self);
    }
    enum store_result result = self->result;
    free(self);
    return store_error(result);
}
