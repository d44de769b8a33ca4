// store_scan_contract_test.c - what every engine must do with scans: order, bounds, limits, one
// state.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "tests/support/engines.h"

static void
check_scan(store_t *store, struct bytes low, struct bytes high, bool backward, size_t limit,
           const char *expected)
{
    struct visit_log log = {0};
    cr_assert_eq(
        store_scan(store, FAMILY_SCENE, PART, low, high, backward, limit, 0, visit_log_add, &log),
        STORE_OK);
    cr_assert_str_eq(log.keys, expected);
}

// ---------------------------------------------------------------- scans

CONTRACT(scan, a_scan_goes_up_or_down_in_the_order_of_keys)
{
    put_letters(fixture->store);
    check_scan(fixture->store, UNBOUNDED, UNBOUNDED, false, 0, "a b c d ");
    check_scan(fixture->store, UNBOUNDED, UNBOUNDED, true, 0, "d c b a ");
}

CONTRACT(scan, a_scan_includes_low_and_excludes_high)
{
    put_letters(fixture->store);
    check_scan(fixture->store, BYTES("b"), BYTES("d"), false, 0, "b c ");
    check_scan(fixture->store, BYTES("b"), BYTES("d"), true, 0, "c b ");
    check_scan(fixture->store, BYTES("aa"), BYTES("cc"), false, 0, "b c ");
    check_scan(fixture->store, BYTES("c"), UNBOUNDED, false, 0, "c d ");
    check_scan(fixture->store, UNBOUNDED, BYTES("c"), true, 0, "b a ");
}

CONTRACT(scan, a_range_that_holds_no_key_visits_nothing)
{
    put_letters(fixture->store);
    check_scan(fixture->store, BYTES("b"), BYTES("b"), false, 0, "");
    check_scan(fixture->store, BYTES("c"), BYTES("b"), true, 0, "");
    check_scan(fixture->store, BYTES("aa"), BYTES("ab"), false, 0, "");
    check_scan(fixture->store, BYTES("e"), UNBOUNDED, true, 0, "");
}

CONTRACT(scan, a_scan_ends_at_its_limit)
{
    put_letters(fixture->store);
    check_scan(fixture->store, UNBOUNDED, UNBOUNDED, false, 2, "a b ");
    check_scan(fixture->store, UNBOUNDED, UNBOUNDED, true, 3, "d c b ");
    check_scan(fixture->store, UNBOUNDED, UNBOUNDED, false, 100, "a b c d ");
}

static void
check_ranges(store_t *store, const struct store_range *ranges, size_t count, bool backward,
             size_t limit, const char *expected)
{
    struct visit_log log = {0};
    const struct store_scan scan = {FAMILY_SCENE, PART, ranges, count, backward, limit, false};
    cr_assert_eq(store_scan_ranges(store, &scan, 0, visit_log_add, &log), STORE_OK);
    cr_assert_str_eq(log.keys, expected);
}

CONTRACT(scan, several_ranges_are_read_in_their_order_or_backward)
{
    const struct store_range ranges[] = {
        {BYTES("a"), BYTES("b")}, {BYTES("bb"), BYTES("bc")}, {BYTES("c"), UNBOUNDED}};
    const struct store_range empty[] = {{BYTES("b"), BYTES("b")}, {BYTES("d"), BYTES("c")}};
    put_letters(fixture->store);
    check_ranges(fixture->store, ranges, 3, false, 0, "a c d ");
    check_ranges(fixture->store, ranges, 3, true, 0, "d c a ");
    check_ranges(fixture->store, ranges, 2, false, 0, "a ");
    check_ranges(fixture->store, empty, 2, false, 0, "");
    check_ranges(fixture->store, ranges, 0, false, 0, "");
}

CONTRACT(scan, the_limit_is_of_all_ranges_together)
{
    const struct store_range ranges[] = {{BYTES("a"), BYTES("c")}, {BYTES("c"), UNBOUNDED}};
    put_letters(fixture->store);
    check_ranges(fixture->store, ranges, 2, false, 3, "a b c ");
    check_ranges(fixture->store, ranges, 2, true, 3, "d c b ");
    check_ranges(fixture->store, ranges, 2, false, 2, "a b ");
}

CONTRACT(scan, a_visitor_ends_a_scan_of_several_ranges)
{
    const struct store_range ranges[] = {{BYTES("a"), BYTES("c")}, {BYTES("c"), UNBOUNDED}};
    struct visit_log log = {.stop_after = 2};
    const struct store_scan scan = {FAMILY_SCENE, PART, ranges, 2, false, 0, false};
    put_letters(fixture->store);
    cr_assert_eq(store_scan_ranges(fixture->store, &scan, 0, visit_log_add, &log), STORE_OK);
    cr_assert_str_eq(log.keys, "a b ");
}

CONTRACT(scan, more_ranges_than_a_scan_has_are_refused)
{
    const struct store_range ranges[STORE_RANGES + 1] = {{BYTES("a"), BYTES("b")}};
    const struct store_scan scan = {FAMILY_SCENE, PART, ranges, STORE_RANGES + 1, false, 0, false};
    struct visit_log log = {0};
    cr_assert_eq(store_scan_ranges(fixture->store, &scan, 0, visit_log_add, &log), STORE_BAD);
}

CONTRACT(scan, a_visitor_ends_the_scan)
{
    put_letters(fixture->store);
    struct visit_log log = {.stop_after = 2};
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            visit_log_add, &log),
                 STORE_OK);
    cr_assert_str_eq(log.keys, "a b ");
}

static bool
expect_version_and_value(void *context, struct bytes key, store_version_t version,
                         struct bytes value)
{
    int *count = context;
    cr_assert(key.size == 3 && memcmp(key.data, "key", 3) == 0);
    cr_assert_eq(version, 42);
    cr_assert(value.size == 5 && memcmp(value.data, "v\0lue", 5) == 0);
    ++*count;
    return true;
}

CONTRACT(scan, a_scan_shows_version_and_value)
{
    cr_assert_eq(commit_one(fixture->store, PUT("key", "v\0lue"), 42), STORE_OK);
    int count = 0;
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            expect_version_and_value, &count),
                 STORE_OK);
    cr_assert_eq(count, 1);
}

struct interference {
    store_t *store;
    struct visit_log log;
};

static bool
change_behind_the_scan(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct interference *self = context;
    if (self->log.count == 0) {
        cr_assert_eq(commit_one(self->store, DELETE("b"), 9), STORE_OK);
        cr_assert_eq(commit_one(self->store, PUT("bb", "new"), 9), STORE_OK);
        cr_assert_eq(commit_one(self->store, PUT("e", "new"), 9), STORE_OK);
    }
    return visit_log_add(&self->log, key, version, value);
}

CONTRACT(scan, a_scan_sees_the_state_of_its_start)
{
    put_letters(fixture->store);
    struct interference interference = {.store = fixture->store};
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            change_behind_the_scan, &interference),
                 STORE_OK);
    cr_assert_str_eq(interference.log.keys, "a b c d ");
    check_scan(fixture->store, UNBOUNDED, UNBOUNDED, false, 0, "a bb c d e ");
}

CONTRACT(scan, parts_do_not_leak_into_one_another)
{
    static const uint16_t parts[] = {0, 1, 254, 255, 256, 257, 511, 1022, 1023};
    static const char *const keys[] = {"", "\x01", "\xff\xff"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t k = 0; k < 3; k++) {
            struct store_address address = {FAMILY_SCENE, parts[i], {keys[k], strlen(keys[k])}};
            put(fixture->store, address, (struct bytes){&parts[i], sizeof *parts});
        }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int backward = 0; backward < 2; backward++) {
            struct visit_log log = {0};
            cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, parts[i], UNBOUNDED, UNBOUNDED,
                                    backward, 0, 0, visit_log_add, &log),
                         STORE_OK);
            cr_assert_str_eq(log.keys, backward ? "\xff\xff \x01  " : " \x01 \xff\xff ");
        }
    struct visit_log log = {0};
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, 2, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            visit_log_add, &log),
                 STORE_OK);
    cr_assert_eq(log.count, 0);
}

CONTRACT(scan, families_do_not_leak_into_one_another)
{
    for (enum family family = 0; family < FAMILY_COUNT; family++)
        put(fixture->store, (struct store_address){family, PART, BYTES("key")},
            (struct bytes){&"0123"[family], 1});
    for (enum family family = 0; family < FAMILY_COUNT; family++) {
        struct store_address address = {family, PART, BYTES("key")};
        check_record(fixture->store, address, 0, (struct bytes){&"0123"[family], 1});
    }
    struct store_operation gone = {{FAMILY_USER, PART, BYTES("key")}, .is_delete = true};
    cr_assert_eq(commit_one(fixture->store, gone, 9), STORE_OK);
    check_absent(fixture->store, gone.address);
    check_record(fixture->store, AT("key"), 0, BYTES("0"));
}

// ---------------------------------------------------------------- order, as a property

enum { MODEL_RECORDS = 400, MODEL_SCANS = 400, MODEL_KEY_BYTES = 6 };

struct model_key {
    unsigned char data[MODEL_KEY_BYTES];
    size_t size;
};

struct model {
    struct model_key keys[MODEL_RECORDS]; // sorted, without doubles
    size_t count;
};

static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct model_key
random_key(uint64_t *state)
{
    static const unsigned char alphabet[] = {0x00, 0x01, 'a', 0x7f, 0x80, 0xfe, 0xff};
    struct model_key key = {.size = next_random(state) % (MODEL_KEY_BYTES + 1)};
    for (size_t i = 0; i < key.size; i++)
        key.data[i] = alphabet[next_random(state) % sizeof alphabet];
    return key;
}

static int
compare_keys(const void *left, const void *right)
{
    const struct model_key *a = left, *b = right;
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static struct bytes
model_bytes(const struct model_key *key)
{
    return (struct bytes){key->data, key->size};
}

static void
model_fill(struct model *self, store_t *store, uint64_t *state)
{
    for (size_t i = 0; i < MODEL_RECORDS; i++)
        self->keys[i] = random_key(state);
    struct store_operation *operations = memory_take_zeroed(MODEL_RECORDS * sizeof *operations);
    for (size_t i = 0; i < MODEL_RECORDS; i++)
        operations[i] = (struct store_operation){
            .address = {FAMILY_SCENE, PART, model_bytes(&self->keys[i])}, .value = BYTES("v")};
    struct store_commit commit = {
        .id = 1, .operations = operations, .operation_count = MODEL_RECORDS};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
    free(operations);
    qsort(self->keys, MODEL_RECORDS, sizeof *self->keys, compare_keys);
    for (size_t i = 0; i < MODEL_RECORDS; i++)
        if (self->count == 0 || compare_keys(&self->keys[self->count - 1], &self->keys[i]) != 0)
            self->keys[self->count++] = self->keys[i];
}

struct model_scan {
    const struct model *model;
    struct model_key low, high;
    bool backward;
    size_t limit;
    size_t step; // of the walk through the sorted keys
    size_t visited;
};

// The index of the next key of the model within the bounds, or the count of all.
static size_t
model_next(struct model_scan *self)
{
    for (; self->step < self->model->count; self->step++) {
        size_t index = self->backward ? self->model->count - 1 - self->step : self->step;
        const struct model_key *key = &self->model->keys[index];
        if (compare_keys(key, &self->low) >= 0 &&
            (self->high.size == 0 || compare_keys(key, &self->high) < 0))
            return self->step++, index;
    }
    return self->model->count;
}

static bool
compare_with_model(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct model_scan *self = context;
    (void)version, (void)value;
    size_t index = model_next(self);
    cr_assert_lt(index, self->model->count, "a key too many");
    const struct model_key *expected = &self->model->keys[index];
    cr_assert(key.size == expected->size && memcmp(key.data, expected->data, key.size) == 0);
    self->visited++;
    return true;
}

CONTRACT(scan, scans_agree_with_a_sorted_array)
{
    uint64_t state = 20261121;
    struct model *model = memory_take_zeroed(sizeof *model);
    model_fill(model, fixture->store, &state);
    for (int round = 0; round < MODEL_SCANS; round++) {
        struct model_scan scan = {
            .model = model,
            .low = random_key(&state),
            .high = random_key(&state),
            .backward = next_random(&state) % 2,
            .limit = next_random(&state) % 3 ? 0 : 1 + next_random(&state) % 100,
        };
        cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, model_bytes(&scan.low),
                                model_bytes(&scan.high), scan.backward, scan.limit, 0,
                                compare_with_model, &scan),
                     STORE_OK);
        if (scan.limit == 0 || scan.visited < scan.limit)
            cr_assert_eq(model_next(&scan), model->count, "a key was left out");
        else
            cr_assert_eq(scan.visited, scan.limit);
    }
    free(model);
}
