// correction_operations_test.c - how many corrections may have a pin.
#include "actors/scene/device/correction_operations.h"

#include <criterion/criterion.h>

#include "actors/alignment/correction_changes.h"
#include "proto/base/limits.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct arena arena;

static void
begin(void)
{
    shard = bare_shard_begin();
}

static void
end(void)
{
    correction_changes_destroy(&shard->changes);
    bare_shard_end();
    arena_finish(&arena);
}

TestSuite(correction_operations, .init = begin, .fini = end);

// The oldest corrections have a pin.
static struct scene_state *
scene_of_pins(int pins, int others, const char *device)
{
    struct scene_state *scene = bare_shard_add_scene(shard, "hall", "");
    for (int i = 0; i < pins + others; i++)
        bare_shard_know_correction(shard, scene, i, device, i < pins);
    return scene;
}

// What an administrator who pins a correction, or takes its pin away, is answered: OK where it is
// staged.
static enum error
ask_pin(const char *scene, int number, enum list_mode mode)
{
    struct message *message = message_create(ALIGNMENT_PIN);
    struct record *params = &message->params->base;
    record_set_text(params, PARAMS_SCENE, text_from(&message->arena, scene));
    record_set_text(params, PARAMS_EVIDENCE, text_format(&message->arena, "%024d", number));
    if (mode == LIST_REMOVE)
        record_set_integer(params, PARAMS_OPERATION, 11); // removes
    bare_shard_grant(shard);
    enum error error = alignment_pin(&shard->base, message);
    if (error == PARKED) // it waits for its commit
        return OK;
    message_destroy(&message);
    return error;
}

Test(correction_operations, pins_are_bounded_by_device)
{
    scene_of_pins(LIMIT_DEVICE_PINS - 1, 3, "phone");
    int free = LIMIT_DEVICE_PINS - 1;
    cr_assert_eq(ask_pin("hall", free, LIST_APPEND), OK);
    cr_assert_eq(ask_pin("hall", free + 1, LIST_APPEND), ERR_CONFLICT, "staged pins count");
    cr_assert_eq(ask_pin("hall", free, LIST_APPEND), OK, "it has a pin");
    cr_assert_eq(ask_pin("hall", 0, LIST_REMOVE), OK);
    cr_assert_eq(ask_pin("hall", free + 1, LIST_APPEND), OK);
    cr_assert_eq(ask_pin("hall", free + 2, LIST_APPEND), ERR_CONFLICT);
}

Test(correction_operations, pins_are_bounded_by_scene)
{
    struct scene_state *scene = scene_of_pins(LIMIT_SCENE_PINS - 1, 0, "others");
    bare_shard_know_correction(shard, scene, LIMIT_SCENE_PINS, "phone", false);
    bare_shard_know_correction(shard, scene, LIMIT_SCENE_PINS + 1, "phone", false);
    cr_assert_eq(ask_pin("hall", LIMIT_SCENE_PINS, LIST_APPEND), OK);
    cr_assert_eq(ask_pin("hall", LIMIT_SCENE_PINS + 1, LIST_APPEND), ERR_CONFLICT);
}
