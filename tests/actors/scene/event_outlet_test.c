// event_outlet_test.c - the streamer has the events of a turn before what is asked of it in that
// turn.

#include "actors/scene/event_outlet.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_staging.h"
#include "proto/base/owned.h"
#include "proto/feed/event.h"
#include "proto/message/mailbox.h"
#include "tests/support/bare_shard.h"

enum { WAIT_MS = 10000, EVENTS_A_MESSAGE = 64 };

static struct shard *shard;
static struct scene_state *hall;
static mailbox_t *streamer;

static void
begin(void)
{
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
    cr_assert_eq(mailbox_create(actor_mailbox(STREAMER_ACTOR), true, &streamer), OK);
    cr_assert_eq(mailbox_create("scene.0", true, &shard->base.mailbox), OK);
}

static void
end(void)
{
    bare_shard_end();
    mailbox_destroy(&shard->base.mailbox);
    mailbox_destroy(&streamer);
}

TestSuite(event_outlet, .init = begin, .fini = end);

static void
emit(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        shard_emit(shard, hall, hall->record, EVENT_SCENE_UPDATED);
}

// How many events the next message has; it must be one of events.
static uint32_t
count_next(void)
{
    owned(message_destroy) struct message *message = mailbox_receive(streamer, WAIT_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, EVENTS);
    return events_of(message)->count;
}

Test(event_outlet, a_question_does_not_overtake_events)
{
    struct message *question = message_create(FEED_REPORT);
    emit(3);
    cr_assert(event_outlet_put(shard, &question));
    cr_assert_eq(count_next(), 3);
    owned(message_destroy) struct message *next = mailbox_receive(streamer, WAIT_MS);
    cr_assert_eq(next->operation, FEED_REPORT);
}

Test(event_outlet, many_events_go_in_several_messages)
{
    emit(EVENTS_A_MESSAGE + 1);
    event_outlet_send(shard);
    cr_assert_eq(count_next(), EVENTS_A_MESSAGE);
    cr_assert_eq(count_next(), 1);
    cr_assert_null(shard->events);
}

Test(event_outlet, while_the_queue_is_full_all_stays_with_the_sender)
{
    struct message *question;
    do {
        question = message_create(FEED_REPORT);
    } while (event_outlet_put(shard, &question));
    cr_assert_not_null(question);
    emit(1);
    cr_assert_not(event_outlet_put(shard, &question));
    cr_assert_not_null(question);
    cr_assert_eq(shard->events->count, 1);
    message_destroy(&question);
}

Test(event_outlet, few_events_wait_for_more_or_for_the_end_of_the_turn)
{
    emit(EVENTS_A_MESSAGE - 1);
    event_outlet_send_many(shard);
    cr_assert_eq(shard->events->count, EVENTS_A_MESSAGE - 1);
}

Test(event_outlet, as_many_events_as_a_message_takes_leave_before_the_end_of_the_turn)
{
    emit(EVENTS_A_MESSAGE);
    event_outlet_send_many(shard);
    cr_assert_eq(count_next(), EVENTS_A_MESSAGE);
    cr_assert_null(shard->events);
}
