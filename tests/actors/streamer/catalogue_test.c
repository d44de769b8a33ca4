// catalogue_test.c - which events of scenes are kept and told, and from where on.
#include "actors/streamer/catalogue.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"
#include "proto/records/scene.h"

enum { EPOCH = 7 };

static struct allowance memory = {.most = 1 << 30};
static event_bell_t *bell;
static event_queue_t *queue;
static struct event_queues queues;
static struct catalogue catalogue;
static const frozen_t *scene;
static uint64_t now_ms;

static void
begin(void)
{
    struct arena arena = {0};
    scene = record_freeze(&scene_schema, record_new(&arena, &scene_schema));
    arena_finish(&arena);
    cr_assert_eq(event_bell_create(&memory, &bell), OK);
    queue = event_queue_create(bell, 1, false);
    now_ms = 1000;
    catalogue_hear(&catalogue, &topics[TOPIC_SCENES], now_ms);
}

static void
end(void)
{
    event_queues_finish(&queues);
    catalogue_finish(&catalogue);
    event_queue_unref(&queue);
    for (struct bell_cord *cord = event_bell_hush(bell), *next; cord; cord = next) {
        next = cord->next;
        (void)event_queue_answer(cord);
    }
    event_bell_unref(&bell);
    record_unref(&scene);
}

TestSuite(catalogue, .init = begin, .fini = end);

static void
happens(uint8_t msg_type)
{
    catalogue_take(
        &catalogue,
        &(struct event){
            .seq = 99, .scene_id = 5, .scene = scene, .record = scene, .msg_type = msg_type},
        now_ms, &queues);
}

// Joins behind an event; returns how many events are told that were missed, -1: none of them.
static int
join(uint64_t epoch, uint64_t seq)
{
    struct watching watching = {.queue = queue, .epoch = epoch, .seq = seq};
    (void)catalogue_join(&catalogue, &topics[TOPIC_SCENES], EPOCH, &watching, &queues);
    int missed = watching.resumed ? watching.missed ? (int)watching.missed->count : 0 : -1;
    if (watching.missed)
        cr_assert_eq(watching.missed->items[0].seq, seq + 1);
    events_destroy(&watching.missed);
    return missed;
}

static void
assert_waiting(uint32_t count, uint64_t first)
{
    struct event_batch batch = {0};
    cr_assert(event_queue_take(queue, 0, &batch));
    cr_assert_eq(batch.count, count, "%u", batch.count);
    cr_assert_eq(count ? batch.events[0].seq : 0, first);
    event_batch_finish(&batch);
}

Test(catalogue, events_of_records_of_scenes_are_numbered_and_told)
{
    happens(EVENT_SCENE_CREATED);
    cr_assert_eq(join(0, 0), -1);
    happens(EVENT_OBJECT_CREATED);
    happens(EVENT_SCENE_UPDATED);
    happens(EVENT_DEVICE_REGISTERED);
    happens(EVENT_SCENE_DELETED); // and the catalogue goes on
    happens(EVENT_SCENE_CREATED);
    assert_waiting(3, 2);
}

Test(catalogue, who_joins_again_gets_what_was_missed)
{
    for (int i = 0; i < 4; i++)
        happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 1), 3);
    cr_assert_eq(join(EPOCH, 4), 0);
    cr_assert_eq(join(EPOCH, 0), 4);
    cr_assert_eq(join(EPOCH, 5), -1, "it has not happened");
    cr_assert_eq(join(EPOCH - 1, 1), -1, "of another start");
}

Test(catalogue, so_many_are_kept)
{
    for (int i = 0; i < CATALOGUE_EVENTS + 10; i++)
        happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 10), CATALOGUE_EVENTS);
    cr_assert_eq(join(EPOCH, 9), -1);
}

Test(catalogue, so_many_bytes_are_kept)
{
    struct arena arena = {0};
    char *words = arena_alloc(&arena, (1 << 20) + 1);
    memset(words, 'n', 1 << 20);
    struct record *large = record_new(&arena, &scene_schema);
    record_set_text(large, SCENE_NAME, text_new(&arena, words, 1 << 20));
    record_unref(&scene);
    scene = record_freeze(&scene_schema, large);
    arena_finish(&arena);
    for (int i = 0; i < 10; i++)
        happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 7), 3);
    cr_assert_eq(join(EPOCH, 6), -1);
}

Test(catalogue, what_nobody_watches_is_not_kept)
{
    happens(EVENT_SCENE_CREATED);
    now_ms += CATALOGUE_KEPT_MS - 1;
    happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 0), 2);
    now_ms++;
    happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 2), -1);
    cr_assert_eq(join(EPOCH, 3), 0, "who knows the newest has missed nothing");
    catalogue_hear(&catalogue, &topics[TOPIC_SCENES], now_ms);
    happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 3), 1);
}

Test(catalogue, topics_are_numbered_and_kept_apart)
{
    catalogue_hear(&catalogue, &topics[TOPIC_ASSETS], now_ms);
    happens(EVENT_ASSET_CREATED);
    happens(EVENT_SCENE_CREATED);
    happens(EVENT_ASSET_DELETED);
    cr_assert_eq(join(EPOCH, 0), 1);
    happens(EVENT_USER_CREATED);
    happens(EVENT_SCENE_UPDATED);
    assert_waiting(1, 2);
    struct watching watching = {.queue = queue, .epoch = EPOCH, .seq = 0};
    cr_assert_eq(catalogue_join(&catalogue, &topics[TOPIC_ASSETS], EPOCH, &watching, &queues), 2);
    cr_assert_eq(watching.missed->count, 2);
    events_destroy(&watching.missed);
}

Test(catalogue, after_a_loss_nobody_goes_on_where_they_were)
{
    happens(EVENT_SCENE_CREATED);
    cr_assert_eq(join(EPOCH, 1), 0);
    catalogue_take(&catalogue,
                   &(struct event){.msg_type = EVENT_SCENE_CREATED, .reason = REASON_LOST}, now_ms,
                   &queues);
    struct event_batch batch = {0};
    cr_assert_not(event_queue_take(queue, 0, &batch), "it fell behind");
    cr_assert_eq(batch.count, 0);
    event_batch_finish(&batch);
    cr_assert_eq(join(EPOCH, 1), -1);
    happens(EVENT_SCENE_UPDATED);
    cr_assert_eq(join(EPOCH, 3), 1, "from there on they do");
}
