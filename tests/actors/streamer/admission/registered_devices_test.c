// registered_devices_test.c - registered devices, found by token and by place.
#include "actors/streamer/admission/registered_devices.h"

#include <criterion/criterion.h>

static struct arena arena;
static registered_devices_t *devices;

static void
start(void)
{
    arena_init(&arena);
    devices = registered_devices_create();
}

static void
end(void)
{
    registered_devices_destroy(&devices);
    arena_finish(&arena);
}

TestSuite(registered_devices, .init = start, .fini = end);

#define A "0123456789abcdef0123456789abcdef"
#define B "1123456789abcdef0123456789abcdef"
#define C "2123456789abcdef0123456789abcdef"

static struct registered_device *
put(uint64_t scene_id, const char *key, const char *token_hash)
{
    struct record *record = record_new(&arena, &device_schema);
    record_set_text(record, DEVICE_KEY, text_from(&arena, key));
    if (token_hash)
        record_set_text(record, DEVICE_TOKEN, text_from(&arena, token_hash));
    const frozen_t *frozen = record_freeze(&device_schema, record);
    struct event event = {
        .scene_id = scene_id, .seq = 5, .record = frozen, .msg_type = EVENT_DEVICE_REGISTERED};
    struct registered_device *device = registered_devices_put(devices, &event);
    record_unref(&frozen);
    return device;
}

static struct registered_device *
at(uint64_t scene_id, const char *key)
{
    return registered_devices_at(devices, scene_id, text_from(&arena, key));
}

Test(registered_devices, a_token_finds_its_device)
{
    struct registered_device *phone = put(1, "phone", A), *tablet = put(1, "tablet", B);
    cr_assert_eq(registered_devices_find(devices, A), phone);
    cr_assert_eq(registered_devices_find(devices, B), tablet);
    cr_assert_null(registered_devices_find(devices, C));
    cr_assert_eq(registered_scene_id(phone), 1);
}

Test(registered_devices, a_device_that_registers_again_is_found_by_its_new_token_alone)
{
    struct registered_device *before = put(1, "phone", A);
    uint32_t ticket = before->ticket;
    registered_greeting(before)->hellos = 7;
    struct registered_device *phone = put(1, "phone", B);
    cr_assert_eq(phone, before, "its feed goes on");
    cr_assert_neq(phone->ticket, ticket);
    cr_assert_null(phone->greeting);
    cr_assert_null(registered_devices_find(devices, A));
    cr_assert_eq(registered_devices_find(devices, B), phone);
    cr_assert_eq(at(1, "phone"), phone);
}

Test(registered_devices, a_device_is_registered_to_each_scene_separately)
{
    struct registered_device *here = put(1, "phone", A), *there = put(2, "phone", B);
    cr_assert_eq(at(1, "phone"), here);
    cr_assert_eq(at(2, "phone"), there);
    registered_devices_remove(devices, here);
    cr_assert_null(registered_devices_find(devices, A));
    cr_assert_eq(registered_devices_find(devices, B), there);
}

Test(registered_devices, those_of_a_scene_go_with_it)
{
    put(1, "phone", A);
    put(1, "tablet", B);
    struct registered_device *other = put(2, "phone", C);
    registered_devices_end_scene(devices, 1);
    registered_devices_end_scene(devices, 3);
    cr_assert_null(at(1, "phone"));
    cr_assert_null(registered_devices_find(devices, A));
    cr_assert_null(registered_devices_find(devices, B));
    cr_assert_eq(registered_devices_find(devices, C), other);
    unsigned ended = 0;
    for (; registered_devices_ended(devices); ended++)
        registered_devices_forget_ended(devices);
    cr_assert_eq(ended, 2);
    cr_assert_eq(registered_devices_find(devices, C), other);
    put(1, "phone", A);
    cr_assert_not_null(at(1, "phone"));
}

Test(registered_devices, devices_of_several_scenes_that_ended_are_forgotten_one_by_one)
{
    put(1, "phone", A);
    put(2, "phone", B);
    registered_devices_end_scene(devices, 1);
    registered_devices_end_scene(devices, 2);
    uint64_t first = registered_scene_id(registered_devices_ended(devices));
    registered_devices_forget_ended(devices);
    cr_assert_eq(registered_scene_id(registered_devices_ended(devices)), 3 - first);
    // the rest goes with the list: the leak check counts
}

Test(registered_devices, a_device_without_token_is_found_by_its_key_alone)
{
    struct registered_device *old = put(1, "phone", NULL);
    cr_assert_eq(at(1, "phone"), old);
    registered_devices_remove(devices, old);
    cr_assert_null(at(1, "phone"));
}
