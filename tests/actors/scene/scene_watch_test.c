// scene_watch_test.c - how streams of events join a scene: the answer is the state at the marker
// that the streamer hears.
#include <criterion/criterion.h>

#include "actors/scene/scene_actor.h"
#include "proto/base/owned.h"
#include "proto/feed/event_queue.h"
#include "tests/support/scene_service.h"

enum { EPOCH = 7, HISTORY = 4 };

static struct allowance memory = {.most = 1 << 20};
static event_queue_t *queue;

static void
begin(struct service *service)
{
    service_stop(service);
    service->settings.epoch = EPOCH;
    service->settings.history = HISTORY;
    service_start(service);
    event_bell_t *bell;
    cr_assert_eq(event_bell_create(&memory, &bell), OK);
    queue = event_queue_create(bell, 2, false);
    event_bell_unref(&bell); // the queue has a reference
}

// Asks to watch the scene as place 1 of the queue, from an event on (epoch 0 = from now on).
static struct message *
watch(struct service *service, const char *scene, uint64_t epoch, uint64_t seq)
{
    struct message *message = message_create(SCENE_WATCH);
    struct watching *watching = watching_create(queue, 1);
    char shard[MAILBOX_NAME_SIZE];
    watching->epoch = epoch;
    watching->seq = seq;
    message->parcel = &watching->base;
    asker_set_param(message, PARAMS_SCENE, scene);
    mailbox_shard_name(partition_of_scene(message->params->scene) % service->settings.shards,
                       shard);
    return service_answer(service, asker_send(&service->asker, shard, message));
}

static int64_t
seq_of(const struct message *answer)
{
    return ((const struct envelope *)(const void *)answer->reply.envelope)->seq;
}

static void
assert_marker(struct service *service, const char *scene, size_t place, uint64_t seq)
{
    const struct event *event = service_event(service, scene, place);
    cr_assert_eq(event->msg_type, EVENT_QUEUE_JOINED);
    cr_assert_eq(event->seq, seq);
    const struct watching *watching = (const struct watching *)(void *)event->parcel;
    cr_assert_eq(watching->queue, queue);
    cr_assert_eq(watching->scene, 1);
}

// Events of the scene: 1 its creation, 2 an object, the marker, 3 another object.
SHARDED_TEST(scene_watch, the_marker_stands_where_the_state_was_taken)
{
    begin(service);
    service_create_object(service, "s", "{'name':'a'}");
    owned(message_destroy) struct message *answer = watch(service, "s", 0, 0);
    service_create_object(service, "s", "{'name':'b'}");
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(seq_of(answer), 2);
    cr_assert_eq(answer->reply.count, 1);
    cr_assert(text_is(reply_object(answer, 0)->name, "a"));
    assert_marker(service, "s", 2, 2);
    cr_assert_eq(service_event(service, "s", 3)->seq, 3);
    event_queue_unref(&queue);
}

SHARDED_TEST(scene_watch, a_scene_on_disk_is_read_first)
{
    begin(service);
    service_create_object(service, "s", "{'name':'a'}");
    cr_assert_eq(DO(service, PROPERTY_CREATE, .scene = "s", .records = "{'name':'p'}"), OK);
    service_restart(service);
    owned(message_destroy) struct message *answer = watch(service, "s", 0, 0);
    cr_assert_eq(answer->reply.count, 2);
    cr_assert_not(watching_of(answer)->resumed);
    event_queue_unref(&queue);
}

SHARDED_TEST(scene_watch, who_comes_back_gets_what_they_missed)
{
    begin(service);
    owned(message_destroy) struct message *none = watch(service, "s", 0, 0);
    cr_assert_eq(none->reply.fault.error, ERR_NOT_FOUND);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "s"), OK); // 1
    owned(message_destroy) struct message *first = watch(service, "s", 0, 0);
    for (int i = 0; i < HISTORY; i++)
        service_create_object(service, "s", "{}"); // 2 to 5
    owned(message_destroy) struct message *again = watch(service, "s", EPOCH, 3);
    cr_assert(watching_of(again)->resumed);
    cr_assert_eq(again->reply.count, 0);
    cr_assert_eq(watching_of(again)->missed->count, 2);
    cr_assert_eq(watching_of(again)->missed->items[0].seq, 4);
    owned(message_destroy) struct message *newest = watch(service, "s", EPOCH, 5);
    cr_assert(watching_of(newest)->resumed);
    cr_assert_null(watching_of(newest)->missed);
    service_create_object(service, "s", "{}"); // 6: the first of them is forgotten
    owned(message_destroy) struct message *late = watch(service, "s", EPOCH, 1);
    cr_assert_not(watching_of(late)->resumed);
    cr_assert_eq(late->reply.count, HISTORY + 1);
    owned(message_destroy) struct message *other = watch(service, "s", EPOCH - 1, 5);
    cr_assert_not(watching_of(other)->resumed);
    event_queue_unref(&queue);
}

SHARDED_TEST(scene_watch, a_scene_made_again_does_not_go_on_where_the_old_one_ended)
{
    begin(service);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "s"), OK); // 1
    owned(message_destroy) struct message *first = watch(service, "s", 0, 0);
    service_create_object(service, "s", "{}");                 // 2
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "s"), OK); // 3
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "s"), OK);    // 4
    for (uint64_t seq = 0; seq <= 3; seq++) {
        owned(message_destroy) struct message *again = watch(service, "s", EPOCH, seq);
        cr_assert_not(watching_of(again)->resumed, "%llu", (unsigned long long)seq);
        cr_assert_eq(seq_of(again), 4);
    }
    event_queue_unref(&queue);
}

SHARDED_TEST(scene_watch, without_a_tap_it_is_only_asked_whether_one_may)
{
    begin(service);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "s", .records = "{'public':false}"), OK);
    cr_assert_eq(DO(service, SCENE_WATCH, .scene = "s"), OK);
    cr_assert_eq(DO(service, SCENE_WATCH, .scene = "s", .role = CALLER_USER, .user = "u"),
                 ERR_NOT_FOUND);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "s"), OK);
    cr_assert_eq(service_event(service, "s", 1)->msg_type, EVENT_SCENE_UPDATED, "no marker");
    event_queue_unref(&queue);
}
