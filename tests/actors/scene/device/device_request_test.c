// device_request_test.c - a request names devices in several scene records: each is met once, in
// order, before the first commit and in the slices; and no slice is long.
#include "actors/scene/device/device_request.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/scene/device/device_view.h"
#include "actors/scene/scene_index.h"
#include "proto/base/limits.h"
#include "proto/records/scene.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct message *request;
static struct scene *last;
static size_t met;

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->base.turn.slice_us = 1; // each slice is over at once
    request = message_create(REGISTER);
    request->records = records_new(&request->arena, 100);
    request->array = "scenes";
    record_set_text(&request->params->base, PARAMS_SCENE, text_from(&request->arena, "hall"));
    met = 0;
}

static void
end(void)
{
    message_destroy(&request);
    bare_shard_end();
}

TestSuite(device_request, .init = begin, .fini = end);

static struct record *
new_device(struct arena *arena, size_t number)
{
    struct record *device = record_new(arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_format(arena, "%05zu", number));
    return device;
}

// Adds a scene record with so many devices, whose keys are numbers in order.
static void
add_record(size_t count)
{
    static size_t number;
    struct arena *arena = &request->arena;
    number = request->records->count ? number : 0;
    struct records *devices = records_new(arena, count);
    while (devices->count < count)
        devices->items[devices->count++] = new_device(arena, number++);
    last = (struct scene *)(void *)record_new(arena, &scene_schema);
    last->devices = devices;
    record_mark(&last->base, SCENE_DEVICES);
    request->records->items[request->records->count++] = &last->base;
}

static enum error
meet(struct shard *self, struct message *message, struct scene_state *scene,
     const struct device *device, const char *pointer)
{
    char key[24];
    (void)self;
    (void)message;
    (void)scene;
    snprintf(key, sizeof key, "%05zu", met++);
    cr_assert_str_eq(text_chars(device->key), key);
    cr_assert(pointer[0]);
    return OK;
}

Test(device_request, each_device_is_looked_at_once_in_slices_before_the_first_commit)
{
    add_record(100);
    add_record(1);
    add_record(70);
    unsigned slices = 1;
    for (; device_request_look(shard, request, NULL, meet) == PARKED; slices++)
        cr_assert_eq(message_queue_pop(&shard->base.paused), request);
    cr_assert_eq(met, 171);
    cr_assert_gt(slices, 10);
    cr_assert_eq(device_request_look(shard, request, NULL, meet), OK,
                 "it runs again: all are done");
    cr_assert_eq(met, 171);
}

Test(device_request, each_commit_takes_the_next_ones)
{
    add_record(100);
    add_record(100);
    add_record(1);
    cr_assert_eq(device_request_slice(request), DEVICES_PER_COMMIT);
    cr_assert_eq(device_request_each(shard, request, NULL, meet), OK);
    cr_assert_eq(met, DEVICES_PER_COMMIT);
    request->progress = DEVICES_PER_COMMIT;
    cr_assert_eq(device_request_slice(request), 51);
    cr_assert_eq(device_request_each(shard, request, NULL, meet), OK);
    cr_assert_eq(met, 201);
    request->progress = 201;
    cr_assert_eq(device_request_slice(request), 0);
    cr_assert_eq(device_request_look(shard, request, NULL, meet), OK);
    cr_assert_eq(met, 201);
}

Test(device_request, a_fault_is_told_with_its_place)
{
    cr_assert_eq(device_request_check(request), ERR_MISSING);
    add_record(2);
    add_record(2);
    cr_assert_eq(device_request_check(request), OK);
    cr_assert_eq(device_request_check_keys(request), OK);
    ((struct device *)(void *)last->devices->items[1])->key = NULL;
    struct fault fault;
    fault_take(device_request_check_keys(request), &fault);
    cr_assert_eq(fault.error, ERR_MISSING);
    cr_assert_not_null(strstr(fault.pointer, "1/devices/1"), "%s", fault.pointer);
}

Test(device_request, more_devices_than_a_scene_takes_are_refused)
{
    add_record(LIMIT_SCENE_DEVICES);
    cr_assert_eq(device_request_check(request), OK);
    add_record(1);
    cr_assert_eq(device_request_check(request), ERR_INVALID);
}

// ---------------------------------------------------------------- the answer

Test(device_request, a_scene_of_many_devices_is_shown_in_slices_as_it_was)
{
    enum { DEVICES = 700 };
    struct scene_state *scene = bare_shard_add_scene(shard, "hall", "");
    for (size_t i = 0; i < DEVICES; i++) {
        const frozen_t *device = record_freeze(&device_schema, new_device(&request->arena, i));
        record_set_put(&scene->devices, device);
        record_unref(&device);
    }
    unsigned slices = 1;
    for (; scene_answer(shard, request, scene) == PARKED; slices++) {
        cr_assert_eq(message_queue_pop(&shard->base.paused), request);
        struct arena arena = {0};
        record_set_remove(&scene->devices, text_format(&arena, "%05d", DEVICES - (int)slices));
        arena_finish(&arena);
    }
    const struct records *devices = scene_of(reply_record(&request->reply, 0))->devices;
    cr_assert_eq(devices->count, DEVICES);
    cr_assert_str_eq(text_chars(record_key(devices->items[DEVICES - 1])), "00699");
    cr_assert_gt(slices, DEVICES / 16);
}
