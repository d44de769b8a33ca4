// list_gather_test.c - the first records out of many that come in no order.
#include "actors/runtime/list_gather.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/list_objects.h"

enum { RECORDS = 5000 };

static void
expect_page(bool descending, uint32_t limit, const char *first, const char *last)
{
    const struct list_kind *kind = list_kind_of(&object_schema);
    struct list_query query = {.kind = kind,
                               .fields[LIST_CHANGED] = list_kind_field(kind, LIST_CHANGED),
                               .sort = LIST_CHANGED,
                               .descending = descending,
                               .limit = limit};
    owned(message_destroy) struct message *message = message_create(OBJECT_LIST);
    struct list_gather gather = {0};
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned number = i * 7919 % RECORDS;
        char key[16];
        snprintf(key, sizeof key, "%04u", number);
        owned(record_unref) const frozen_t *object = list_object(key, "", "", "", number / 2);
        list_gather_add(&gather, &query, object);
    }
    cr_assert(list_gather_answer(&gather, &query, message));
    cr_assert_leq(gather.capacity, 4 * (limit + 1) + 64);
    list_gather_finish(&gather);
    cr_assert_eq(limit, message->reply.count);
    cr_assert(text_is(frozen_key(message->reply.records[0]), first));
    cr_assert(text_is(frozen_key(message->reply.records[limit - 1]), last));
}

Test(list_gather, keeps_the_first_by_value_and_key)
{
    expect_page(false, 1, "0000", "0000");
    expect_page(false, 100, "0000", "0099");
}

Test(list_gather, keeps_the_last_where_the_order_is_the_other_way_round)
{
    expect_page(true, 30, "4999", "4970");
}

Test(list_gather, of_nothing_is_an_empty_page)
{
    const struct list_query query = {.kind = list_kind_of(&object_schema), .limit = 10};
    owned(message_destroy) struct message *message = message_create(OBJECT_LIST);
    struct list_gather gather = {0};
    cr_assert_not(list_gather_answer(&gather, &query, message));
    cr_assert_eq(0, message->reply.count);
    list_gather_finish(&gather);
}

Test(list_gather, leaves_out_what_stands_before_a_slice)
{
    struct list_query query = {.kind = list_kind_of(&object_schema), .limit = 3};
    owned(message_destroy) struct message *message = message_create(OBJECT_LIST);
    struct list_gather gather = {.skip = 10};
    for (unsigned i = 0; i < RECORDS; i++) {
        char key[16];
        snprintf(key, sizeof key, "%04u", RECORDS - 1 - i);
        owned(record_unref) const frozen_t *object = list_object(key, "", "", "", 0);
        list_gather_add(&gather, &query, object);
    }
    cr_assert(list_gather_answer(&gather, &query, message));
    list_gather_finish(&gather);
    cr_assert_eq(3, message->reply.count);
    cr_assert(text_is(frozen_key(message->reply.records[0]), "0010"));
    cr_assert(text_is(frozen_key(message->reply.records[2]), "0012"));
}
