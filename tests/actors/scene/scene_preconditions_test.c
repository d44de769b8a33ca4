// scene_preconditions_test.c - If-Match of a scene with many devices is decided in slices, by the
// state that the scene has when the handler goes on.
#include "actors/scene/scene_preconditions.h"

#include <criterion/criterion.h>

#include "actors/scene/device/device_view.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/codec/etag.h"
#include "proto/records/device.h"
#include "proto/records/scene.h"
#include "tests/support/bare_shard.h"

enum { DEVICES = 1000 };

static struct shard *shard;
static struct message *request;
static struct scene_state *scene;

static void
add_device(size_t number)
{
    struct arena arena = {0};
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_format(&arena, "%05zu", number));
    const frozen_t *frozen = record_freeze(&device_schema, device);
    record_set_put(&scene->devices, frozen);
    record_unref(&frozen);
    arena_finish(&arena);
    scene->revision++;
}

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->base.turn.slice_us = 1; // each slice is over at once
    scene = bare_shard_add_scene(shard, "hall", "");
    for (size_t i = 0; i < DEVICES; i++)
        add_device(i);
    request = message_create(SCENE_PUT);
}

static void
end(void)
{
    message_destroy(&request);
    bare_shard_end();
}

TestSuite(scene_preconditions, .init = begin, .fini = end);

// The tag that a GET of the scene has now.
static const struct text *
tag_now(void)
{
    struct arena *arena = &request->arena;
    struct etag etag;
    struct showing *showing = showing_new(arena, frozen_record(scene->record), &scene->devices);
    while (!showing_goes_on(shard, request, showing))
        ;
    etag_of_record(showing_record(showing), operation_rows[SCENE_GET].reply, &etag);
    showing_destroy(&showing);
    return text_format(arena, "\"%s\"", etag.chars);
}

static void
ask_for(const struct text *tag)
{
    record_set_text(&request->params->base, PARAMS_IF_MATCH, tag);
}

// Runs the handler once; whether it is parked.
static bool
is_parked(enum error *ret_error)
{
    *ret_error = preconditions_check_scene(shard, request, scene);
    if (*ret_error == PARKED)
        cr_assert_eq(message_queue_pop(&shard->base.paused), request);
    return *ret_error == PARKED;
}

static enum error
decide(unsigned *ret_slices)
{
    enum error error;
    *ret_slices = 1;
    while (is_parked(&error))
        ++*ret_slices;
    return error;
}

Test(scene_preconditions, the_state_of_many_devices_is_compared_in_slices)
{
    unsigned slices;
    ask_for(tag_now());
    cr_assert_eq(decide(&slices), OK);
    cr_assert_gt(slices, DEVICES / 16);
    cr_assert_eq(decide(&slices), OK);
    cr_assert_eq(slices, 1, "it is known");
}

Test(scene_preconditions, whether_there_is_a_scene_is_known_without_looking_at_its_devices)
{
    unsigned slices;
    ask_for(text_from(&request->arena, "*"));
    cr_assert_eq(decide(&slices), OK);
    cr_assert_eq(slices, 1);
    record_set_text(&request->params->base, PARAMS_IF_NONE_MATCH, text_from(&request->arena, "*"));
    cr_assert_eq(decide(&slices), ERR_PRECONDITION);
    cr_assert_eq(slices, 1);
}

Test(scene_preconditions, a_state_that_is_compared_stays_in_memory)
{
    enum error error;
    unsigned holds = scene->holds;
    ask_for(tag_now());
    cr_assert(is_parked(&error));
    cr_assert_eq(scene->holds, holds + 1);
    message_end_work(request);
    cr_assert_eq(scene->holds, holds);
}

Test(scene_preconditions, another_state_is_refused)
{
    unsigned slices;
    ask_for(text_from(&request->arena, "\"another\""));
    cr_assert_eq(decide(&slices), ERR_PRECONDITION);
}

// What it was compared with may never be durable: then the request runs again.
Test(scene_preconditions, a_request_that_was_refused_is_decided_anew)
{
    unsigned slices;
    ask_for(text_from(&request->arena, "\"another\""));
    cr_assert_eq(ERR_PRECONDITION, decide(&slices));
    cr_assert_eq(ERR_PRECONDITION, decide(&slices));
    ask_for(tag_now());
    cr_assert_eq(OK, decide(&slices));
}

Test(scene_preconditions, a_scene_that_changed_between_slices_is_compared_again)
{
    enum error error;
    unsigned slices;
    ask_for(tag_now());
    cr_assert(is_parked(&error));
    add_device(DEVICES);
    cr_assert_eq(decide(&slices), ERR_PRECONDITION);
}

Test(scene_preconditions, a_scene_that_changed_since_it_was_decided_is_compared_again)
{
    unsigned slices;
    ask_for(tag_now());
    cr_assert_eq(decide(&slices), OK);
    add_device(DEVICES);
    cr_assert_eq(decide(&slices), ERR_PRECONDITION);
}

Test(scene_preconditions, a_scene_that_is_changed_again_and_again_is_given_up)
{
    enum error error;
    ask_for(tag_now());
    while (is_parked(&error))
        scene->revision++;
    cr_assert_eq(error, ERR_UNAVAILABLE);
}

Test(scene_preconditions, later_slices_of_a_request_find_the_state_that_it_made)
{
    unsigned slices;
    ask_for(text_from(&request->arena, "\"another\""));
    request->progress = 1;
    cr_assert_eq(decide(&slices), OK);
    cr_assert_eq(slices, 1);
}

// Another record of the scene, as somebody else's change leaves it.
static void
change_scene(void)
{
    const frozen_t *old = scene->record;
    scene->record = record_freeze(&scene_schema, frozen_record(old));
    record_unref(&old);
}

// The first slice of the request has been staged.
static void
begin_to_change(const struct text *tag)
{
    unsigned slices;
    ask_for(tag);
    cr_assert_eq(decide(&slices), OK);
    request->progress = 1;
    scene->revision++;
}

Test(scene_preconditions, what_a_request_has_changed_itself_is_no_reason)
{
    begin_to_change(tag_now());
    cr_assert_eq(preconditions_still_hold(shard, request, scene), OK);
}

Test(scene_preconditions, a_change_by_somebody_else_refuses_the_later_slices)
{
    begin_to_change(tag_now());
    change_scene();
    cr_assert_eq(preconditions_still_hold(shard, request, scene), ERR_PRECONDITION);
}

Test(scene_preconditions, any_state_may_change_but_not_end)
{
    begin_to_change(text_from(&request->arena, "*"));
    change_scene();
    cr_assert_eq(preconditions_still_hold(shard, request, scene), OK);
    cr_assert_eq(preconditions_still_hold(shard, request, NULL), ERR_PRECONDITION);
}

Test(scene_preconditions, who_asked_for_no_state_goes_on)
{
    request->progress = 1;
    cr_assert_eq(preconditions_still_hold(shard, request, NULL), OK);
}
