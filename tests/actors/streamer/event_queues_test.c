// event_queues_test.c - which taps get the events of which scene.
#include "actors/streamer/event_queues.h"

#include <criterion/criterion.h>
#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/feed/event_queue.h"

static struct taps taps;
static const struct record *scene, *object;
static uint64_t newest[100]; // seq, by scene id

static void
begin(void)
{
    struct arena arena = {0};
    scene = record_freeze(&scene_schema, record_new(&arena, &scene_schema));
    object = record_freeze(&object_schema, record_new(&arena, &object_schema));
    arena_finish(&arena);
}

static void
end(void)
{
    taps_finish(&taps);
    record_unref(&scene);
    record_unref(&object);
}

static tap_t *
new_tap(unsigned scenes)
{
    tap_t *tap;
    cr_assert_eq(tap_create(scenes, false, &tap), OK);
    return tap;
}

static void
join(uint64_t scene_id, tap_t *tap, uint8_t place)
{
    cr_assert(taps_take(&taps, &(struct event){.seq = newest[scene_id],
                                               .scene_id = scene_id,
                                               .scene = scene,
                                               .msg_type = EVENT_TAPPED,
                                               .tap_scene = place,
                                               .tap = tap}));
}

static void
happens(uint64_t scene_id, uint8_t msg_type)
{
    cr_assert_not(taps_take(&taps, &(struct event){.seq = ++newest[scene_id],
                                                   .scene_id = scene_id,
                                                   .scene = scene,
                                                   .record = object,
                                                   .msg_type = msg_type}));
}

// How many events wait, the first of them numbered `first`.
static void
assert_waiting(tap_t *tap, unsigned place, uint32_t count, uint64_t first)
{
    struct round round = {0};
    cr_assert(tap_take(tap, place, &round));
    cr_assert_eq(round.count, count, "%u", round.count);
    if (count)
        cr_assert_eq(round.events[0].seq, first);
    round_finish(&round);
}

Test(taps, a_tap_gets_the_events_of_its_scene_after_the_marker, .init = begin, .fini = end)
{
    owned(tap_unref) tap_t *tap = new_tap(1);
    happens(1, EVENT_OBJECT_UPDATED);
    join(1, tap, 0);
    happens(2, EVENT_OBJECT_UPDATED);
    happens(1, EVENT_OBJECT_UPDATED);
    happens(1, EVENT_LOCK_GRANTED);
    assert_waiting(tap, 0, 2, 2);
}

Test(taps, one_tap_may_have_several_scenes_and_one_scene_several_taps, .init = begin, .fini = end)
{
    owned(tap_unref) tap_t *one = new_tap(2), *other = new_tap(1);
    join(1, one, 0);
    join(2, one, 1);
    join(2, other, 0);
    happens(2, EVENT_OBJECT_UPDATED);
    assert_waiting(one, 0, 0, 0);
    assert_waiting(one, 1, 1, 1);
    assert_waiting(other, 0, 1, 1);
}

Test(taps, who_joins_again_gets_each_event_once, .init = begin, .fini = end)
{
    owned(tap_unref) tap_t *tap = new_tap(1);
    join(1, tap, 0);
    happens(1, EVENT_OBJECT_UPDATED);
    join(1, tap, 0);
    happens(1, EVENT_OBJECT_UPDATED);
    assert_waiting(tap, 0, 1, 2);
    cr_assert_eq(taps_count(&taps), 1);
}

Test(taps, the_end_of_a_scene_is_told_and_is_the_last, .init = begin, .fini = end)
{
    owned(tap_unref) tap_t *tap = new_tap(1);
    join(1, tap, 0);
    happens(1, EVENT_SCENE_DELETED);
    cr_assert_eq(taps_count(&taps), 0);
    assert_waiting(tap, 0, 1, 1);
}

Test(taps, start_up_registrations_are_no_events, .init = begin, .fini = end)
{
    owned(tap_unref) tap_t *tap = new_tap(1);
    join(1, tap, 0);
    happens(1, EVENT_DEVICE_KNOWN);
    assert_waiting(tap, 0, 0, 0);
}

Test(taps, who_is_gone_is_forgotten_with_the_next_event, .init = begin, .fini = end)
{
    owned(tap_unref) tap_t *tap = new_tap(1), *other = new_tap(1);
    join(1, tap, 0);
    join(1, other, 0);
    tap_close(tap);
    happens(1, EVENT_OBJECT_UPDATED);
    cr_assert_eq(taps_count(&taps), 1);
    tap_close(other);
    happens(1, EVENT_OBJECT_UPDATED);
    cr_assert_eq(taps_count(&taps), 0);
}

Test(taps, who_comes_and_goes_where_nothing_happens_leaves_nothing, .init = begin, .fini = end)
{
    enum { SCENES = 100, TIMES = 50 };
    for (unsigned i = 0; i < SCENES * TIMES; i++) {
        tap_t *tap = new_tap(1);
        join(i % SCENES, tap, 0);
        tap_close(tap);
        tap_unref(&tap);
    }
    cr_assert_lt(taps_count(&taps), 3 * SCENES);
}
