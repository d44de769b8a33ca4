// batch_test.c - keys and values stand one after the other, and what changes often does not grow.
#include "actors/runtime/batch.h"

#include <criterion/criterion.h>

#include "actors/runtime/actor_family.h"

static struct batch *batch;

static void
begin(void)
{
    batch = batch_create(FAMILY_SCENE);
}

static void
end(void)
{
    batch_destroy(&batch);
}

TestSuite(batch, .init = begin, .fini = end);

static struct key
number(uint64_t value)
{
    return key_of_number(KEY_COMMIT, value);
}

static void
expect_bytes(const struct key *expected, struct bytes bytes)
{
    cr_assert_eq(bytes.size, expected->size);
    cr_assert_arr_eq(bytes.data, expected->data, expected->size);
}

Test(batch, each_write_keeps_its_key_and_its_value_while_others_are_added)
{
    enum { COUNT = 1000 };
    for (uint64_t i = 0; i < COUNT; i++)
        batch_put_value(batch, (uint16_t)i, number(i), number(i * i));
    for (uint64_t i = 0; i < COUNT; i++) {
        const struct write *write = &batch->writes[i];
        struct key key = number(i), value = number(i * i);
        cr_assert_eq(write->part, i);
        expect_bytes(&key, batch_key(batch, write));
        expect_bytes(&value, batch_value(batch, write));
    }
}

Test(batch, a_key_of_the_greatest_size_is_kept_whole)
{
    struct key key = {.size = KEY_MAX};
    memset(key.data, 0xfe, sizeof key.data);
    batch_delete(batch, 3, key);
    expect_bytes(&key, batch_key(batch, &batch->writes[0]));
    cr_assert_eq(batch_value(batch, &batch->writes[0]).size, 0);
}

Test(batch, the_newest_value_of_a_key_takes_the_place_of_the_one_before)
{
    size_t place = SIZE_MAX;
    struct key newest = number(9);
    batch_put_newest(batch, &place, 1, number(7), &(struct key){.size = 2, .data = {1, 2}});
    batch_put_newest(batch, &place, 1, number(7), NULL);
    cr_assert(batch->writes[0].is_delete);
    batch_put_newest(batch, &place, 1, number(7), &newest);
    cr_assert_eq(batch->count, 1);
    cr_assert_not(batch->writes[0].is_delete);
    expect_bytes(&newest, batch_value(batch, &batch->writes[0]));
}

Test(batch, a_value_that_is_put_again_and_again_takes_no_more_memory)
{
    size_t place = SIZE_MAX;
    struct key first = number(1);
    batch_put_newest(batch, &place, 1, number(7), &first);
    size_t size = batch->bytes.size;
    for (uint64_t i = 0; i < 100; i++) {
        struct key value = number(i);
        batch_put_newest(batch, &place, 1, number(7), &value);
    }
    cr_assert_eq(batch->bytes.size, size);
}
