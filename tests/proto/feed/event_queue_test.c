// event_queue_test.c - events between the streamer and their listener.
#include "proto/feed/event_queue.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct allowance memory;
static event_bell_t *bell;
static event_queue_t *queue;
static int listener;
static struct event_batch got;
static const frozen_t *scene;

static const frozen_t *
frozen_scene(void)
{
    struct arena arena = {0};
    const frozen_t *record = record_freeze(&scene_schema, record_new(&arena, &scene_schema));
    arena_finish(&arena);
    return record;
}

static const frozen_t *
frozen_object(const char *key, size_t name_bytes)
{
    struct arena arena = {0};
    struct record *loose = record_new(&arena, &object_schema);
    char *name = arena_alloc(&arena, name_bytes + 1);
    memset(name, 'n', name_bytes);
    record_set_text(loose, OBJECT_KEY, text_from(&arena, key));
    record_set_text(loose, OBJECT_NAME, text_new(&arena, name, name_bytes));
    const frozen_t *record = record_freeze(&object_schema, loose);
    arena_finish(&arena);
    return record;
}

static void
begin(unsigned scenes, bool merged)
{
    memory = (struct allowance){.most = 1 << 30};
    cr_assert_eq(event_bell_create(&memory, &bell), OK);
    queue = event_queue_create(bell, scenes, merged);
    event_queue_listen(queue, &listener);
    scene = frozen_scene();
}

// Answers the bell; how often it was this listener.
static unsigned
answered(void)
{
    unsigned count = 0;
    for (struct bell_cord *cord = event_bell_hush(bell), *next; cord; cord = next) {
        next = cord->next;
        count += event_queue_answer(cord) == &listener;
    }
    return count;
}

static void
end(void)
{
    event_batch_finish(&got);
    (void)answered();
    event_queue_unref(&queue);
    event_bell_unref(&bell);
    record_unref(&scene);
    cr_assert_eq(atomic_load(&memory.taken), 0, "what waited is given back");
}

static void
push_as(uint8_t msg_type, unsigned place, uint64_t seq, const char *key, size_t bytes)
{
    owned(record_unref) const frozen_t *object = frozen_object(key, bytes);
    event_queue_push(
        queue, place,
        &(struct event){.seq = seq, .scene = scene, .record = object, .msg_type = msg_type});
}

static void
push_of(unsigned place, uint64_t seq, const char *key, size_t bytes)
{
    push_as(EVENT_OBJECT_UPDATED, place, seq, key, bytes);
}

static void
push(uint64_t seq, const char *key)
{
    push_of(0, seq, key, 4);
}

// Takes the events that wait, as "1 2 3"; "behind" if the scene fell behind.
static const char *
taken(unsigned place)
{
    static char words[256];
    size_t size = 0;
    words[0] = '\0';
    event_batch_clear(&got);
    if (!event_queue_take(queue, place, &got))
        return "behind";
    for (uint32_t i = 0; i < got.count; i++)
        size += (size_t)snprintf(words + size, sizeof words - size, i ? " %llu" : "%llu",
                                 (unsigned long long)got.events[i].seq);
    return words;
}

Test(event_queue, events_wait_in_their_order_until_they_are_taken, .fini = end)
{
    begin(1, false);
    event_queue_attach(queue, 0, 4);
    push(5, "a");
    push(6, "b");
    push(7, "a");
    cr_assert_str_eq(taken(0), "5 6 7");
    cr_assert_str_eq(taken(0), "");
}

Test(event_queue, of_a_merged_tap_only_the_newest_state_of_each_entity_waits, .fini = end)
{
    begin(1, true);
    event_queue_attach(queue, 0, 4);
    push(5, "a");
    push(6, "b");
    push(7, "a");
    cr_assert_str_eq(taken(0), "6 7");
    push(8, "b");
    push(9, "b");
    cr_assert_str_eq(taken(0), "9");
}

Test(event_queue, entities_of_one_key_in_two_scenes_do_not_stand_for_each_other, .fini = end)
{
    begin(2, true);
    event_queue_attach(queue, 0, 0);
    event_queue_attach(queue, 1, 6);
    push_of(0, 1, "a", 1);
    push_of(1, 7, "a", 1);
    cr_assert_str_eq(taken(0), "1");
    cr_assert_str_eq(taken(1), "7");
}

Test(event_queue, pulls_its_cord_once_until_that_is_answered, .fini = end)
{
    begin(1, false);
    event_queue_attach(queue, 0, 0);
    cr_assert_eq(answered(), 0);
    push(1, "a");
    push(2, "a");
    cr_assert_eq(answered(), 1);
    cr_assert_eq(answered(), 0);
    push(3, "a");
    cr_assert_eq(answered(), 1);
}

Test(event_queue, falls_behind_where_too_much_waits_in_all_queues, .fini = end)
{
    begin(2, true);
    event_queue_attach(queue, 0, 0);
    event_queue_attach(queue, 1, 0);
    push_of(0, 1, "a", 4);
    memory.most = atomic_load(&memory.taken); // room for one
    push_of(0, 2, "a", 4);                    // it takes no more than the one before
    push_of(1, 1, "b", 4);
    cr_assert_str_eq(taken(1), "behind");
    cr_assert_str_eq(taken(0), "2");
    event_queue_attach(queue, 1, 1);
    push_of(1, 2, "b", 4);
    cr_assert_str_eq(taken(1), "2");
}

Test(event_queue, falls_behind_where_too_many_events_wait_and_takes_nothing_until_it_joins_again,
     .fini = end)
{
    begin(1, false);
    event_queue_attach(queue, 0, 0);
    for (uint64_t seq = 1; seq <= EVENT_QUEUE_EVENTS; seq++)
        push(seq, "a");
    cr_assert_eq(answered(), 1);
    push(EVENT_QUEUE_EVENTS + 1, "a"); // one too many
    cr_assert_eq(answered(), 1);
    push(EVENT_QUEUE_EVENTS + 2, "a");
    cr_assert_str_eq(taken(0), "behind");
    cr_assert_str_eq(taken(0), "", "it is said once");
    push(EVENT_QUEUE_EVENTS + 3, "a");
    cr_assert_str_eq(taken(0), "");
    event_queue_attach(queue, 0, EVENT_QUEUE_EVENTS + 5);
    push(EVENT_QUEUE_EVENTS + 6, "a");
    cr_assert_str_eq(taken(0), "4102");
}

Test(event_queue, falls_behind_where_their_records_are_large, .fini = end)
{
    enum { RECORD_BYTES = 1 << 20, FITTING = 3 };
    begin(1, false);
    event_queue_attach(queue, 0, 0);
    for (uint64_t seq = 1; seq <= FITTING; seq++)
        push_of(0, seq, "a", RECORD_BYTES);
    cr_assert_str_eq(taken(0), "1 2 3");
    for (uint64_t seq = FITTING + 1; seq <= 2 * FITTING + 1; seq++)
        push_of(0, seq, "a", RECORD_BYTES);
    cr_assert_str_eq(taken(0), "behind");
}

Test(event_queue, one_event_waits_however_large_it_is, .fini = end)
{
    begin(1, false);
    event_queue_attach(queue, 0, 0);
    push_of(0, 1, "a", EVENT_QUEUE_BYTES + 1);
    cr_assert_str_eq(taken(0), "1");
}

// Its newest states are those of the scene; nobody else has what was deleted, or what is told of
// scenes and devices.
Test(event_queue, of_a_merged_tap_what_it_alone_holds_is_bounded, .fini = end)
{
    enum { RECORD_BYTES = 1 << 20 };
    static const uint8_t types[] = {EVENT_OBJECT_DELETED, EVENT_SCENE_UPDATED,
                                    EVENT_DEVICE_REGISTERED};
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    begin(1, true);
    event_queue_attach(queue, 0, 0);
    for (uint64_t seq = 1; seq <= 5; seq++)
        push_of(0, seq, keys[seq - 1], RECORD_BYTES);
    cr_assert_str_eq(taken(0), "1 2 3 4 5");
    for (size_t i = 0; i < sizeof types; i++) {
        event_queue_attach(queue, 0, 0);
        for (uint64_t seq = 1; seq <= 3; seq++)
            push_as(types[i], 0, seq, keys[seq - 1], RECORD_BYTES);
        cr_assert_str_eq(taken(0), "1 2 3");
        for (uint64_t seq = 4; seq <= 8; seq++)
            push_as(types[i], 0, seq, keys[seq - 4], RECORD_BYTES);
        cr_assert_str_eq(taken(0), "behind");
    }
}

Test(event_queue, what_was_deleted_and_is_there_again_is_not_held, .fini = end)
{
    enum { RECORD_BYTES = 1 << 20 };
    begin(1, true);
    event_queue_attach(queue, 0, 0);
    for (uint64_t seq = 1; seq <= 20; seq += 2) {
        push_as(EVENT_PROPERTY_DELETED, 0, seq, "a", RECORD_BYTES);
        push_as(EVENT_PROPERTY_CREATED, 0, seq + 1, "a", RECORD_BYTES);
    }
    cr_assert_str_eq(taken(0), "20");
}

Test(event_queue, all_scenes_together_have_a_bound_too, .fini = end)
{
    enum { RECORD_BYTES = 1 << 20, SCENES = 4 };
    begin(SCENES, false);
    for (unsigned i = 0; i < SCENES; i++)
        event_queue_attach(queue, i, 0);
    for (uint64_t seq = 1; seq <= 3; seq++)
        for (unsigned i = 0; i < SCENES; i++)
            push_of(i, seq, "a", RECORD_BYTES);
    cr_assert_str_eq(taken(3), "behind");
    cr_assert_str_eq(taken(0), "1 2 3");
}

Test(event_queue, a_number_that_is_missing_is_falling_behind, .fini = end)
{
    begin(1, false);
    event_queue_attach(queue, 0, 7);
    push(8, "a");
    push(10, "a");
    cr_assert_str_eq(taken(0), "behind");
}

Test(event_queue, holds_nothing_when_its_listener_is_gone, .fini = end)
{
    begin(1, false);
    event_queue_attach(queue, 0, 0);
    push(1, "a");
    cr_assert_not(event_queue_is_closed(queue));
    event_queue_close(queue);
    cr_assert(event_queue_is_closed(queue));
    push(2, "a"); // the leak check counts the references
    cr_assert_eq(answered(), 0, "nobody listens");
    event_queue_attach(queue, 0, 2);
    cr_assert_str_eq(taken(0), "");
}
