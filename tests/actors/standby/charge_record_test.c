// charge_record_test.c - one record, which one process at a time can write.
#include "actors/standby/charge_record.h"

#include <criterion/criterion.h>
#include <string.h>

#include "store/key.h"
#include "tests/support/engines.h"

static struct engine_fixture fixture;

static void
begin(void)
{
    engine_fixture_init(&fixture, 0);
}

static void
end(void)
{
    engine_fixture_finish(&fixture);
}

TestSuite(charge_record, .init = begin, .fini = end);

static struct charge
charge_of(uint64_t process)
{
    return (struct charge){
        .state = CHARGE_HELD, .process = process, .place = "boot 8:1", .name = "10.0.0.1:8080"};
}

static struct seen_charge
read_charge(void)
{
    struct seen_charge seen;
    cr_assert_eq(charge_read(fixture.store, 0, &seen), STORE_OK);
    return seen;
}

static enum store_result
read_of(struct bytes value)
{
    struct seen_charge seen;
    const struct key key = key_of_tag(KEY_CHARGE);
    put(fixture.store, (struct store_address){FAMILY_STREAMER, 0, key_bytes(&key)}, value);
    return charge_read(fixture.store, 0, &seen);
}

Test(charge_record, what_nobody_ever_had_is_free)
{
    struct seen_charge seen = read_charge();
    cr_assert_eq(seen.charge.state, CHARGE_FREE);
    cr_assert_eq(seen.version, 0);
}

Test(charge_record, it_is_read_as_it_was_written)
{
    struct seen_charge mine = read_charge();
    const struct charge charge = charge_of(77);
    cr_assert_eq(charge_write(fixture.store, &charge, 0, &mine), STORE_OK);
    struct seen_charge seen = read_charge();
    cr_assert_eq(seen.version, mine.version);
    cr_assert_eq(seen.charge.state, CHARGE_HELD);
    cr_assert_eq(seen.charge.process, 77);
    cr_assert_str_eq(seen.charge.place, "boot 8:1");
    cr_assert_str_eq(seen.charge.name, "10.0.0.1:8080");
}

Test(charge_record, of_two_who_saw_the_same_one_can_write)
{
    const struct charge first = charge_of(1), second = charge_of(2);
    struct seen_charge one = read_charge(), other = one;
    cr_assert_eq(charge_write(fixture.store, &first, 0, &one), STORE_OK);
    cr_assert_eq(charge_write(fixture.store, &second, 0, &other), STORE_CONFLICT);
    cr_assert_eq(other.version, 0);
    cr_assert_eq(charge_write(fixture.store, &first, 0, &one), STORE_OK);
    cr_assert_eq(read_charge().charge.process, 1);
}

Test(charge_record, what_is_not_understood_is_refused)
{
    cr_assert_eq(read_of(BYTES("\1\2process8pl\0na\0")), STORE_OK);
    cr_assert_eq(read_of(BYTES("\2\2process8pl\0na\0")), STORE_BAD); // of a newer version
    cr_assert_eq(read_of(BYTES("\1\3process8pl\0na\0")), STORE_BAD);
    cr_assert_eq(read_of(BYTES("\1\2process8pl\0na")), STORE_BAD);
    cr_assert_eq(read_of(BYTES("\1\2process8pl\0na\0?")), STORE_BAD);
    cr_assert_eq(read_of(BYTES("\1\2process8")), STORE_BAD);
    cr_assert_eq(read_of(BYTES("\1\2proc")), STORE_BAD);
    cr_assert_eq(read_of(BYTES("")), STORE_BAD);
}

Test(charge_record, a_text_that_is_too_long_is_refused)
{
    unsigned char value[10 + CHARGE_TEXT_SIZE + 2] = {1, 2};
    memset(value + 10, 'p', CHARGE_TEXT_SIZE);
    cr_assert_eq(read_of((struct bytes){value, sizeof value}), STORE_BAD);
}
