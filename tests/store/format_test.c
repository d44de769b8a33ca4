// format_test.c - what the number of the format says, and that a newer one is refused.
#include "store/format.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/clock.h"
#include "tests/support/tested_store.h"

static struct temporary directory;
static store_t *store;

static void
begin(void)
{
    temporary_init(&directory);
    store = tested_store_open(&directory);
}

static void
end(void)
{
    store_destroy(&store);
    temporary_finish(&directory);
}

TestSuite(format, .init = begin, .fini = end);

Test(format, a_store_without_a_number_is_of_version_0_1)
{
    uint32_t format, steps;
    cr_assert_eq(format_read(store, &format, &steps), OK);
    cr_assert_eq(format, 1);
    cr_assert_eq(steps, 0);
}

Test(format, what_was_written_is_read)
{
    uint32_t format, steps;
    cr_assert_eq(format_write(store, 1, 3), OK);
    cr_assert_eq(format_read(store, &format, &steps), OK);
    cr_assert_eq(format, 1);
    cr_assert_eq(steps, 3);
}

Test(format, a_newer_one_is_refused)
{
    uint32_t format, steps;
    cr_assert_eq(format_write(store, FORMAT_NOW + 1, 0), OK);
    cr_assert_eq(format_read(store, &format, &steps), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, "run that one"));
}

Test(format, a_damaged_number_is_refused)
{
    uint32_t format, steps;
    const struct store_operation put = {.address = {FAMILY_FORMAT, 0, {"F", 1}}, .value = {"2", 1}};
    const struct store_commit commit = {.id = 1, .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, clock_deadline_ms(10000)), STORE_OK);
    cr_assert_eq(format_read(store, &format, &steps), ERR_INTERNAL);
}

Test(format, a_store_whose_import_was_not_completed_is_refused)
{
    uint32_t format, steps;
    cr_assert_eq(format_write(store, FORMAT_UNFINISHED, 0), OK);
    cr_assert_eq(format_read(store, &format, &steps), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, "was not completed"));
}

Test(format, the_record_is_found_among_others)
{
    static const unsigned char value[16] = {[7] = 2, [15] = 1};
    struct store_operation record = {.address = {FAMILY_FORMAT, 0, {"F", 1}}, .value = {value, 16}};
    uint32_t format = 0, steps = 0;
    cr_assert(format_of_record(&record, &format, &steps));
    cr_assert_eq(format, 2);
    cr_assert_eq(steps, 1);
    record.address.part = 1;
    cr_assert_not(format_of_record(&record, &format, &steps));
    record.address = (struct store_address){FAMILY_SCENE, 0, {"F", 1}};
    cr_assert_not(format_of_record(&record, &format, &steps));
    record.address = (struct store_address){FAMILY_FORMAT, 0, {"G", 1}};
    cr_assert_not(format_of_record(&record, &format, &steps));
    record = (struct store_operation){.address = {FAMILY_FORMAT, 0, {"F", 1}}, .value = {value, 8}};
    cr_assert_not(format_of_record(&record, &format, &steps));
}
