// alignment_report_test.c - scenes are told that their links moved: many of them in slices, each
// once, and not those that are gone.
#include "actors/scene/device/alignment_report.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/alignment/solver_actor.h"
#include "actors/scene/scene_index.h"
#include "proto/base/memory.h"
#include "tests/support/bare_shard.h"

enum { SCENES = 100 };

static struct shard *shard;
static struct scene_state *scenes[SCENES];
static struct message *message;

static void
release(struct parcel *parcel)
{
    free(parcel);
}

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->base.turn.slice_us = 1; // each slice is over at once
    struct moved *moved = memory_take_zeroed(sizeof *moved + SCENES * sizeof moved->scene_ids[0]);
    moved->base.destroy = release;
    for (unsigned i = 0; i < SCENES; i++) {
        char key[16];
        snprintf(key, sizeof key, "%03u", i);
        scenes[i] = bare_shard_add_scene(shard, key, "");
        moved->scene_ids[moved->count++] = scenes[i]->id;
    }
    message = message_create(ALIGNMENT_MOVED);
    message->parcel = &moved->base;
}

static void
end(void)
{
    message_destroy(&message);
    bare_shard_end();
}

TestSuite(alignment_report, .init = begin, .fini = end);

// Runs the handler to its end; returns how many slices that took.
static unsigned
tell(void)
{
    unsigned slices = 1;
    for (; alignment_moved(&shard->base, message) == PARKED; slices++)
        cr_assert_eq(message_queue_pop(&shard->base.paused), message);
    return slices;
}

Test(alignment_report, many_scenes_that_moved_are_told_in_slices)
{
    cr_assert_geq(tell(), SCENES / 16);
    cr_assert_eq(shard->events->count, SCENES);
    for (unsigned i = 0; i < SCENES; i++) {
        cr_assert_eq(shard->events->items[i].msg_type, EVENT_ALIGNMENT_CHANGED);
        cr_assert_eq(shard->events->items[i].scene_id, scenes[i]->id);
    }
}

Test(alignment_report, a_scene_that_is_gone_is_not_told)
{
    scenes_unindex(shard, scenes[SCENES - 1]);
    tell();
    cr_assert_eq(shard->events->count, SCENES - 1);
}
