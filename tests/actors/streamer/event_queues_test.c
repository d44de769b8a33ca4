// event_queues_test.c - which queues get the events of which scene.
#include "actors/streamer/event_queues.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/feed/event_queue.h"
#include "proto/record/record_packed.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct allowance memory = {.most = 1 << 30};
static event_bell_t *bell;
static struct event_queues queues;
static const frozen_t *scene, *object;
static uint64_t newest[100]; // seq, by scene id

static void
begin(void)
{
    struct arena arena = {0};
    scene = record_freeze(&scene_schema, record_new(&arena, &scene_schema));
    object = record_freeze(&object_schema, record_new(&arena, &object_schema));
    arena_finish(&arena);
    cr_assert_eq(event_bell_create(&memory, &bell), OK);
}

static void
end(void)
{
    event_queues_finish(&queues);
    for (struct bell_cord *cord = event_bell_hush(bell), *next; cord; cord = next) {
        next = cord->next;
        (void)event_queue_answer(cord);
    }
    event_bell_unref(&bell);
    record_unref(&scene);
    record_unref(&object);
}

static event_queue_t *
new_tap(unsigned scenes)
{
    return event_queue_create(bell, scenes, false);
}

static void
join(uint64_t scene_id, event_queue_t *queue, uint8_t place)
{
    struct watching watching = {.queue = queue, .scene = place};
    cr_assert(event_queues_take(&queues, &(struct event){.seq = newest[scene_id],
                                                         .scene_id = scene_id,
                                                         .scene = scene,
                                                         .msg_type = EVENT_QUEUE_JOINED,
                                                         .parcel = &watching.base}));
}

static void
happens(uint64_t scene_id, uint8_t msg_type)
{
    cr_assert_not(event_queues_take(&queues, &(struct event){.seq = ++newest[scene_id],
                                                             .scene_id = scene_id,
                                                             .scene = scene,
                                                             .record = object,
                                                             .msg_type = msg_type}));
}

// How many events wait, the first of them numbered `first`.
static void
assert_waiting(event_queue_t *queue, unsigned place, uint32_t count, uint64_t first)
{
    struct event_batch batch = {0};
    cr_assert(event_queue_take(queue, place, &batch));
    cr_assert_eq(batch.count, count, "%u", batch.count);
    if (count)
        cr_assert_eq(batch.events[0].seq, first);
    event_batch_finish(&batch);
}

Test(event_queues, a_queue_gets_the_events_of_its_scene_after_the_marker, .init = begin,
     .fini = end)
{
    owned(event_queue_unref) event_queue_t *queue = new_tap(1);
    happens(1, EVENT_OBJECT_UPDATED);
    join(1, queue, 0);
    happens(2, EVENT_OBJECT_UPDATED);
    happens(1, EVENT_OBJECT_UPDATED);
    happens(1, EVENT_LOCK_GRANTED);
    assert_waiting(queue, 0, 2, 2);
}

Test(event_queues, one_tap_may_have_several_scenes_and_one_scene_several_taps, .init = begin,
     .fini = end)
{
    owned(event_queue_unref) event_queue_t *one = new_tap(2), *other = new_tap(1);
    join(1, one, 0);
    join(2, one, 1);
    join(2, other, 0);
    happens(2, EVENT_OBJECT_UPDATED);
    assert_waiting(one, 0, 0, 0);
    assert_waiting(one, 1, 1, 1);
    assert_waiting(other, 0, 1, 1);
}

Test(event_queues, a_queue_that_joins_again_gets_each_event_once, .init = begin, .fini = end)
{
    owned(event_queue_unref) event_queue_t *queue = new_tap(1);
    join(1, queue, 0);
    happens(1, EVENT_OBJECT_UPDATED);
    join(1, queue, 0);
    happens(1, EVENT_OBJECT_UPDATED);
    assert_waiting(queue, 0, 1, 2);
    cr_assert_eq(event_queues_count(&queues), 1);
}

Test(event_queues, the_end_of_a_scene_is_the_last_event, .init = begin, .fini = end)
{
    owned(event_queue_unref) event_queue_t *queue = new_tap(1);
    join(1, queue, 0);
    happens(1, EVENT_SCENE_DELETED);
    cr_assert_eq(event_queues_count(&queues), 0);
    assert_waiting(queue, 0, 1, 1);
}

Test(event_queues, start_up_registrations_are_no_events, .init = begin, .fini = end)
{
    owned(event_queue_unref) event_queue_t *queue = new_tap(1);
    join(1, queue, 0);
    happens(1, EVENT_DEVICE_KNOWN);
    assert_waiting(queue, 0, 0, 0);
}

Test(event_queues, a_closed_queue_is_released_at_the_next_event, .init = begin, .fini = end)
{
    owned(event_queue_unref) event_queue_t *queue = new_tap(1), *other = new_tap(1);
    join(1, queue, 0);
    join(1, other, 0);
    event_queue_close(queue);
    happens(1, EVENT_OBJECT_UPDATED);
    cr_assert_eq(event_queues_count(&queues), 1);
    event_queue_close(other);
    happens(1, EVENT_OBJECT_UPDATED);
    cr_assert_eq(event_queues_count(&queues), 0);
}

Test(event_queues, who_comes_and_goes_where_nothing_happens_leaves_nothing, .init = begin,
     .fini = end)
{
    enum { SCENES = 100, TIMES = 50 };
    for (unsigned i = 0; i < SCENES * TIMES; i++) {
        event_queue_t *queue = new_tap(1);
        join(i % SCENES, queue, 0);
        event_queue_close(queue);
        event_queue_unref(&queue);
    }
    cr_assert_lt(event_queues_count(&queues), 3 * SCENES);
}

Test(event_queues, a_queue_gets_a_record_that_is_packed_plain, .init = begin, .fini = end)
{
    struct event_batch batch = {0};
    owned(event_queue_unref) event_queue_t *queue = new_tap(1);
    owned(packed_unref) const packed_t *packed = record_pack(&object_schema, frozen_record(object));
    join(1, queue, 0);
    cr_assert_not(event_queues_take(&queues, &(struct event){.seq = 1,
                                                             .scene_id = 1,
                                                             .scene = scene,
                                                             .record = packed_frozen(packed),
                                                             .msg_type = EVENT_LOCK_GRANTED}));
    cr_assert(event_queue_take(queue, 0, &batch));
    cr_assert_eq(batch.count, 1);
    cr_assert_not(frozen_is_packed(batch.events[0].record));
    event_batch_finish(&batch);
}
