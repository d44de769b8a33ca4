// index_check_test.c - records without index records, index records without records, and pages that
// are read through them.
#include "actors/runtime/index_check.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/page_reader.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/operations.h"
#include "proto/records/project.h"
#include "tests/support/tested_store.h"

enum { NAME = 1, USER = 2, PART = 1, WAIT_MS = 10000 };

static const struct index_row rows[] = {{.id = NAME, .form = INDEX_ORDER, .member = PROJECT_NAME},
                                        {.id = USER, .form = INDEX_TEXT, .member = PROJECT_USER},
                                        {0}};
static const struct index_family family = {
    .family = FAMILY_ASSET, .parts = 2, .count = 1, .kinds = {{'J', &project_schema, rows}}};

static struct temporary directory;
static struct arena arena;
static store_t *store;

static void
begin(void)
{
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&directory);
    store = tested_store_open(&directory);
}

static void
end(void)
{
    store_destroy(&store);
    arena_finish(&arena);
    temporary_finish(&directory);
}

TestSuite(index_check, .init = begin, .fini = end);

static void
write_bytes(const struct key *key, struct bytes value, bool is_delete)
{
    const struct store_operation operation = {
        .address = {FAMILY_ASSET, PART, key_bytes(key)}, .value = value, .is_delete = is_delete};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, clock_deadline_ms(WAIT_MS)), STORE_OK);
}

static void
write_key(void *context, const struct key *key, bool is_delete)
{
    (void)context;
    write_bytes(key, (struct bytes){"", 0}, is_delete);
}

// A project of which the store has no index records.
static const struct record *
put_bare(const char *id, const char *name, const char *user)
{
    owned(buffer_finish) struct buffer value = {0};
    struct record *record = record_new(&arena, &project_schema);
    record_set_text(record, PROJECT_ID, text_from(&arena, id));
    record_set_text(record, PROJECT_NAME, text_from(&arena, name));
    record_set_text(record, PROJECT_USER, text_from(&arena, user));
    record_to_stored(record, &value);
    struct key key = key_of_text('J', record_key(record));
    write_bytes(&key, (struct bytes){value.data, value.size}, false);
    return record;
}

static void
put_whole(const char *id, const char *name, const char *user)
{
    index_records_change(rows, (struct bytes){id, strlen(id)}, NULL, put_bare(id, name, user),
                         write_key, NULL);
}

static struct index_counts
check(void)
{
    struct index_counts counts;
    cr_assert_eq(index_check(store, &family, &counts), OK, "%s", fault_last()->detail);
    return counts;
}

static struct record_page *
page_of(const struct key *prefix, size_t limit)
{
    struct record_page *page = record_page_by_index(&family, family.kinds, PART, prefix);
    page->limit = limit;
    return page;
}

// The ids of a page, each behind a blank.
static const char *
ids_of(struct record_page *page)
{
    static char ids[256];
    size_t size = 0;
    ids[0] = '\0';
    for (size_t i = 0; i < page->count; i++)
        size += (size_t)snprintf(ids + size, sizeof ids - size, " %s",
                                 text_chars(frozen_key(page->records[i])));
    return ids;
}

static const char *
read(struct record_page *page)
{
    record_page_read(page, store, clock_deadline_ms(WAIT_MS));
    cr_assert_eq(page->result, STORE_OK);
    return ids_of(page);
}

Test(index_check, a_store_that_agrees_is_left_as_it_is)
{
    put_whole("p1", "hall", "ann");
    put_whole("p2", "attic", "bob");
    struct index_counts counts = check();
    cr_assert_eq(counts.records, 2);
    cr_assert_eq(counts.entries, 4);
    cr_assert_eq(counts.missing + counts.stray + counts.damaged, 0);
}

Test(index_check, what_is_missing_is_put)
{
    put_bare("p1", "hall", "ann");
    put_whole("p2", "attic", "ann");
    cr_assert_eq(check().missing, 2);
    struct index_counts counts = check();
    cr_assert_eq(counts.missing, 0);
    cr_assert_eq(counts.entries, 4);
    struct key prefix = index_prefix(&rows[0]);
    owned(record_page_destroy) struct record_page *page = page_of(&prefix, 10);
    cr_assert_str_eq(read(page), " p2 p1");
}

Test(index_check, what_leads_astray_is_deleted)
{
    struct key gone = index_prefix_of_text(&rows[1], text_from(&arena, "ann"));
    struct key unknown = key_of_tag('N');
    put_whole("p1", "hall", "ann");
    put_bare("p1", "house", "ann"); // another name than its index record says
    gone.data[gone.size++] = 'x';
    write_bytes(&gone, (struct bytes){"", 0}, false);
    unknown.data[unknown.size++] = 200;
    write_bytes(&unknown, (struct bytes){"", 0}, false);
    struct index_counts counts = check();
    cr_assert_eq(counts.stray, 3);
    cr_assert_eq(counts.missing, 1);
    counts = check();
    cr_assert_eq(counts.stray + counts.missing, 0);
    cr_assert_eq(counts.entries, 2);
}

Test(index_check, more_records_than_a_page_are_all_checked)
{
    enum { MANY = 2 * RECORD_PAGE_MOST + 1 };
    for (unsigned i = 0; i < MANY; i++)
        put_bare(text_chars(text_format(&arena, "p%04u", i)), "same", "ann");
    struct index_counts counts = check();
    cr_assert_eq(counts.records, MANY);
    cr_assert_eq(counts.missing, 2 * MANY);
    counts = check();
    cr_assert_eq(counts.entries, 2 * MANY);
    cr_assert_eq(counts.missing + counts.stray, 0);
}

Test(index_check, a_record_that_is_damaged_is_counted_and_keeps_its_index_records)
{
    put_whole("p1", "hall", "ann");
    struct key key = key_of_text('J', text_from(&arena, "p1"));
    write_bytes(&key, (struct bytes){"\xc1", 1}, false);
    struct index_counts counts = check();
    cr_assert_eq(counts.damaged, 1);
    cr_assert_eq(counts.entries, 2);
    cr_assert_eq(counts.stray, 0);
}

Test(index_check, pages_follow_the_values_forward_and_backward)
{
    struct key prefix = index_prefix(&rows[0]);
    put_whole("p1", "c", "ann");
    put_whole("p2", "a", "ann");
    put_whole("p3", "b", "bob");
    owned(record_page_destroy) struct record_page *page = page_of(&prefix, 2);
    cr_assert_str_eq(read(page), " p2 p3");
    cr_assert(page->is_more);
    cr_assert_str_eq(read(page), " p1");
    cr_assert_not(page->is_more);
    owned(record_page_destroy) struct record_page *back = page_of(&prefix, 2);
    back->is_backward = true;
    cr_assert_str_eq(read(back), " p1 p3");
    cr_assert(back->is_more);
    cr_assert_str_eq(read(back), " p2");
    struct key of_ann = index_prefix_of_text(&rows[1], text_from(&arena, "ann"));
    owned(record_page_destroy) struct record_page *anns = page_of(&of_ann, 10);
    cr_assert_str_eq(read(anns), " p1 p2");
}

Test(index_check, a_page_ends_where_its_bytes_are_used_up)
{
    put_whole("p1", "a", "ann");
    put_whole("p2", "b", "ann");
    put_whole("p3", "c", "ann");
    owned(record_page_destroy) struct record_page *page =
        record_page_of_kind(&family, family.kinds, PART);
    page->most_bytes = 1; // and the record that exceeds it
    cr_assert_str_eq(read(page), " p1");
    cr_assert(page->is_more);
    page->most_bytes = page->bytes + 1;
    cr_assert_str_eq(read(page), " p2 p3");
    cr_assert_not(page->is_more);
}

Test(index_check, a_record_that_went_after_its_index_record_was_read_is_left_out)
{
    struct key prefix = index_prefix(&rows[0]);
    put_whole("p1", "a", "ann");
    put_whole("p2", "b", "ann");
    struct key key = key_of_text('J', text_from(&arena, "p1"));
    write_bytes(&key, (struct bytes){"", 0}, true);
    owned(record_page_destroy) struct record_page *page = page_of(&prefix, 10);
    cr_assert_str_eq(read(page), " p2");
}

Test(index_check, a_thread_reads_pages_for_others)
{
    mailbox_t *mailbox;
    page_reader_t *reader;
    put_whole("p1", "a", "ann");
    cr_assert_eq(mailbox_create("tester", false, &mailbox), OK);
    cr_assert_eq(page_reader_create(store, "reader", &reader), OK);
    struct record_page *page = record_page_of_kind(&family, family.kinds, PART);
    cr_assert_eq(page_reader_ask(mailbox, "reader", &page), OK);
    cr_assert_null(page);
    struct message *answer = mailbox_receive(mailbox, WAIT_MS);
    cr_assert_not_null(answer);
    cr_assert_eq(answer->operation, PAGE_READ);
    cr_assert_str_eq(ids_of(record_page_of(answer)), " p1");
    message_destroy(&answer);
    page_reader_destroy(&reader, mailbox);
    mailbox_destroy(&mailbox);
}

// --- a block of records that cannot be read: a scan of them breaks off behind the first ---

struct visited {
    store_visitor *visit;
    void *context;
};

static bool
visit_first(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    const struct visited *self = context;
    self->visit(self->context, key, version, value);
    return false;
}

static enum store_result
broken_scan(store_t *self, const struct store_scan *scan, uint64_t deadline_ms,
            store_visitor *visit, void *context)
{
    struct visited visited = {visit, context};
    (void)self;
    if (scan->part != PART || ((const char *)scan->ranges[0].low.data)[0] != 'J')
        return store_scan_ranges(store, scan, deadline_ms, visit, context);
    (void)store_scan_ranges(store, scan, deadline_ms, visit_first, &visited);
    return STORE_BAD;
}

static enum store_result
whole_get(store_t *self, const struct store_address *address, uint64_t deadline_ms,
          store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    (void)self;
    return store_get(store, address, deadline_ms, ret_version, ret_value, ret_size);
}

static enum store_result
whole_commit(store_t *self, const struct store_commit *commit, uint64_t deadline_ms)
{
    (void)self;
    return store_commit(store, commit, deadline_ms);
}

Test(index_check, records_behind_a_block_that_cannot_be_read_are_told_as_damaged)
{
    const struct store_engine engine = {
        .name = "broken", .get = whole_get, .scan = broken_scan, .commit = whole_commit};
    store_t broken = {.engine = &engine};
    struct index_counts counts;
    put_bare("a", "one", "ann");
    put_bare("b", "two", "ann");
    cr_assert_eq(index_check(&broken, &family, &counts), OK);
    cr_assert_eq(counts.records, 1);
    cr_assert_eq(counts.missing, 2);
    cr_assert_eq(counts.damaged, 1);
}
