// copied_batch_test.c - writes of a leader on their way to an actor.
#include "actors/runtime/copied_batch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/records/project.h"

static struct copied_batch *batch;

static void
begin(void)
{
    batch = copied_batch_create();
}

static void
end(void)
{
    batch->base.destroy(&batch->base);
}

TestSuite(copied_batch, .init = begin, .fini = end);

static void
add(const char *key, const char *value, bool is_delete)
{
    char copy[64]; // what was added must not be needed later
    snprintf(copy, sizeof copy, "%s", key);
    const struct store_operation operation = {.address = {FAMILY_ASSET, 3, {copy, strlen(copy)}},
                                              .is_delete = is_delete,
                                              .value = {value, strlen(value)}};
    copied_batch_add(batch, &operation);
    memset(copy, 0, sizeof copy);
}

Test(copied_batch, writes_keep_their_order_and_their_bytes)
{
    for (int i = 0; i < 20; i++)
        add(i % 2 ? "Jodd" : "Jeven", "value", i == 19);
    cr_assert_eq(20, batch->count);
    cr_assert_eq('J', batch->writes[0].tag);
    cr_assert_eq(3, batch->writes[0].part);
    cr_assert_eq(0, memcmp(batch->writes[0].key.data, "Jeven", 5));
    cr_assert_eq(0, memcmp(batch->writes[19].key.data, "Jodd", 4));
    cr_assert_not(batch->writes[18].is_delete);
    cr_assert(batch->writes[19].is_delete);
}

Test(copied_batch, a_value_that_is_no_record_is_refused)
{
    const frozen_t *record;
    add("Ja", "\xc1 no record", false);
    cr_assert_eq(ERR_INTERNAL, copied_write_record(&batch->writes[0], &project_schema, &record));
}
