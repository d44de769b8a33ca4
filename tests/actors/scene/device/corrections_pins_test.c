// corrections_pins_test.c - what a correction costs does not grow with the pins of its scene, and a
// pin keeps a correction where others are forgotten.
#include <criterion/criterion.h>

#include "actors/alignment/correction_changes.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"
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

TestSuite(corrections_pins, .init = begin, .fini = end);

// As many corrections as a scene may have and more: the oldest have a pin, or nearly none has.
static struct scene_state *
scene_of_corrections(const char *key, int pins, int others, const char *device)
{
    struct scene_state *scene = bare_shard_add_scene(shard, key, "");
    for (int i = 0; i < pins + others; i++)
        bare_shard_know_correction(shard, scene, i, device, i < pins);
    return scene;
}

static void
say(struct scene_state *scene, const char *key)
{
    owned(message_destroy) struct message *message = message_create(ALIGN);
    struct record *device = record_new(&message->arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&message->arena, key));
    correction_stage(shard, message, scene, device);
}

// The least of some times: what a busy machine adds is not in each of them.
static uint64_t
cost_us(struct scene_state *scene, const char *device)
{
    enum { SAID = 40, TIMES = 3 };
    uint64_t least_us = UINT64_MAX;
    for (int time = 0; time < TIMES; time++) {
        uint64_t began_us = clock_thread_us();
        for (int i = 0; i < SAID; i++)
            say(scene, device);
        uint64_t took_us = clock_thread_us() - began_us;
        least_us = took_us < least_us ? took_us : least_us;
    }
    return least_us;
}

enum { PINS = 60000 };

Test(corrections_pins, cost_nothing_where_the_scene_has_many)
{
    struct scene_state *free = scene_of_corrections("free", 1, LIMIT_SCENE_EVIDENCE, "other");
    struct scene_state *pinned = scene_of_corrections("pinned", PINS, 100, "other");
    uint64_t alone_us = cost_us(free, "phone"), beside_us = cost_us(pinned, "phone");
    cr_assert_leq(beside_us, 5 * alone_us + 2000, "%lu us, without pins %lu us",
                  (unsigned long)beside_us, (unsigned long)alone_us);
}

Test(corrections_pins, cost_nothing_where_the_device_has_many)
{
    struct scene_state *free = scene_of_corrections("free", 1, LIMIT_DEVICE_EVIDENCE, "phone");
    struct scene_state *pinned = scene_of_corrections("pinned", PINS, 100, "phone");
    uint64_t alone_us = cost_us(free, "phone"), beside_us = cost_us(pinned, "phone");
    cr_assert_leq(beside_us, 5 * alone_us + 2000, "%lu us, without pins %lu us",
                  (unsigned long)beside_us, (unsigned long)alone_us);
}

static bool
is_forgotten(const struct scene_state *scene, int number)
{
    return !correction_latest(shard, scene, text_format(&arena, "%024d", number));
}

// Its state changes for good: the sets follow.
static void
pin(struct scene_state *scene, int number, bool is_pinned)
{
    struct record *record = record_copy(
        &arena, &correction_schema,
        frozen_record(record_set_find(&scene->evidence, text_format(&arena, "%024d", number))));
    ((struct correction_record *)(void *)record)->is_pinned = is_pinned;
    record_mark(record, CORRECTION_PINNED);
    const frozen_t *frozen = record_freeze(&correction_schema, record);
    struct change change = {.owner = scene, .tag = KEY_EVIDENCE, .record = frozen};
    correction_committed(shard, &change);
    record_unref(&frozen);
}

Test(corrections_pins, keep_what_would_be_forgotten_and_no_longer_when_they_are_gone)
{
    struct scene_state *scene = scene_of_corrections("hall", 2, LIMIT_DEVICE_EVIDENCE, "phone");
    pin(scene, 0, false);
    pin(scene, 2, true);
    say(scene, "phone"); // the two oldest without a pin are forgotten
    cr_expect(is_forgotten(scene, 0));
    cr_expect_not(is_forgotten(scene, 1));
    cr_expect_not(is_forgotten(scene, 2));
    cr_expect(is_forgotten(scene, 3));
    cr_expect_not(is_forgotten(scene, 4));
}
