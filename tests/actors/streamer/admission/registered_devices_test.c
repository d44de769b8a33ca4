// registered_devices_test.c - who is registered, by token and by place.
#include <criterion/criterion.h>
#include "actors/streamer/admission/registered_devices.h"

static struct arena arena;
static guests_t *guests;

static void
start(void)
{
    arena_init(&arena);
    guests = guests_create();
}

static void
end(void)
{
    guests_destroy(&guests);
    arena_finish(&arena);
}

TestSuite(guests, .init = start, .fini = end);

#define A "0123456789abcdef0123456789abcdef"
#define B "1123456789abcdef0123456789abcdef"
#define C "2123456789abcdef0123456789abcdef"

static struct guest *
put(uint64_t scene_id, const char *key, const char *token_hash)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, key));
    if (token_hash)
        record_set_text(device, DEVICE_TOKEN, text_from(&arena, token_hash));
    const struct record *frozen = record_freeze(&device_schema, device);
    struct event event = {
        .scene_id = scene_id, .seq = 5, .record = frozen, .msg_type = EVENT_DEVICE_REGISTERED};
    struct guest *guest = guests_put(guests, &event);
    record_unref(&frozen);
    return guest;
}

static struct guest *
at(uint64_t scene_id, const char *key)
{
    return guests_at(guests, scene_id, text_from(&arena, key));
}

Test(guests, a_token_finds_its_device)
{
    struct guest *phone = put(1, "phone", A), *tablet = put(1, "tablet", B);
    cr_assert_eq(guests_find(guests, A), phone);
    cr_assert_eq(guests_find(guests, B), tablet);
    cr_assert_null(guests_find(guests, C));
    cr_assert_eq(phone->since, 5);
}

Test(guests, who_registers_again_is_found_by_the_new_token_alone)
{
    put(1, "phone", A);
    struct guest *phone = put(1, "phone", B);
    cr_assert_null(guests_find(guests, A));
    cr_assert_eq(guests_find(guests, B), phone);
    cr_assert_eq(at(1, "phone"), phone);
}

Test(guests, a_device_is_another_guest_in_each_scene)
{
    struct guest *here = put(1, "phone", A), *there = put(2, "phone", B);
    cr_assert_eq(at(1, "phone"), here);
    cr_assert_eq(at(2, "phone"), there);
    guests_remove(guests, 1, text_from(&arena, "phone"));
    cr_assert_null(guests_find(guests, A));
    cr_assert_eq(guests_find(guests, B), there);
}

Test(guests, those_of_a_scene_go_with_it)
{
    put(1, "phone", A);
    put(1, "tablet", B);
    struct guest *other = put(2, "phone", C);
    guests_end_scene(guests, 1);
    guests_end_scene(guests, 3);
    cr_assert_null(at(1, "phone"));
    cr_assert_null(guests_find(guests, A));
    cr_assert_null(guests_find(guests, B));
    cr_assert_eq(guests_find(guests, C), other);
    put(1, "phone", A);
    cr_assert_not_null(at(1, "phone"));
}

Test(guests, who_has_no_token_is_found_by_place_alone)
{
    struct guest *old = put(1, "phone", NULL);
    cr_assert_eq(at(1, "phone"), old);
    guests_remove(guests, 1, text_from(&arena, "phone"));
    guests_remove(guests, 1, text_from(&arena, "phone"));
    cr_assert_null(at(1, "phone"));
}
