// record_events_test.c - how changes of records get to the catalogue: one message at a time, and no
// more waits than may.
#include "actors/repository/record_events.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/project.h"

enum { WAIT_MS = 10000 };

static struct arena arena;
static struct record_events events;
static mailbox_t *streamer, *owner;
static const frozen_t *hidden, *shown;

static const frozen_t *
new_project(bool is_public, size_t bytes)
{
    struct record *record = record_new(&arena, &project_schema);
    char *words = arena_alloc(&arena, bytes + 1);
    memset(words, 'n', bytes);
    record_set_text(record, PROJECT_ID, text_from(&arena, "p"));
    record_set_text(record, PROJECT_NAME, text_new(&arena, words, bytes));
    ((struct project *)(void *)record)->is_public = is_public;
    record_mark(record, PROJECT_PUBLIC);
    return record_freeze(&project_schema, record);
}

static void
begin(void)
{
    cr_assert_eq(mailbox_create(actor_mailbox(STREAMER_ACTOR), true, &streamer), OK);
    cr_assert_eq(mailbox_create("owner", true, &owner), OK);
    hidden = new_project(false, 4);
    shown = new_project(true, 4);
}

static void
end(void)
{
    record_events_finish(&events);
    mailbox_destroy(&owner);
    mailbox_destroy(&streamer);
    record_unref(&hidden);
    record_unref(&shown);
    arena_finish(&arena);
}

TestSuite(record_events, .init = begin, .fini = end);

static void
happens(const frozen_t *before, const frozen_t *after)
{
    record_events_add(&events, &topics[TOPIC_PROJECTS], before, after);
}

static struct message *
sent(void)
{
    record_events_turn(&events, owner);
    return mailbox_receive(streamer, WAIT_MS);
}

// The message goes back, and the next may come.
static void
comes_back(struct message *message)
{
    mailbox_reply(streamer, &message);
    message = mailbox_receive(owner, WAIT_MS);
    cr_assert_eq(message->operation, CATALOGUE_TELL);
    record_events_told(&events);
    message_destroy(&message);
}

Test(record_events, change_says_whether_a_record_came_changed_or_went)
{
    happens(NULL, hidden);
    happens(hidden, shown);
    happens(shown, NULL);
    struct message *message = sent();
    const struct events *told = events_of(message);
    cr_assert_eq(told->count, 3);
    cr_expect_eq(told->items[0].msg_type, EVENT_PROJECT_CREATED);
    cr_expect_eq(told->items[1].msg_type, EVENT_PROJECT_UPDATED);
    cr_expect_eq(told->items[1].record, shown);
    cr_expect_eq(told->items[2].msg_type, EVENT_PROJECT_DELETED);
    cr_expect_eq(told->items[2].record, shown);
    comes_back(message);
}

Test(record_events, record_that_is_public_no_more_is_hidden)
{
    happens(shown, hidden);
    happens(hidden, hidden);
    struct message *message = sent();
    cr_expect_eq(events_of(message)->items[0].reason, REASON_HIDDEN);
    cr_expect_eq(events_of(message)->items[1].reason, REASON_NONE);
    comes_back(message);
}

Test(record_events, one_message_is_under_way)
{
    happens(NULL, hidden);
    struct message *first = sent();
    happens(hidden, NULL);
    record_events_turn(&events, owner);
    cr_assert_null(mailbox_receive(streamer, 0));
    comes_back(first);
    struct message *second = sent();
    cr_expect_eq(events_of(second)->items[0].msg_type, EVENT_PROJECT_DELETED);
    comes_back(second);
    record_events_turn(&events, owner);
    cr_assert_null(mailbox_receive(streamer, 0), "nothing waits");
}

Test(record_events, many_go_in_several_messages)
{
    for (int i = 0; i < RECORD_EVENTS_A_MESSAGE + 1; i++)
        happens(NULL, hidden);
    struct message *message = sent();
    cr_assert_eq(events_of(message)->count, RECORD_EVENTS_A_MESSAGE);
    comes_back(message);
    message = sent();
    cr_assert_eq(events_of(message)->count, 1);
    cr_assert_eq(events.bytes, 0);
    comes_back(message);
}

// What is sent first after a loss, and what then.
static void
assert_lost_then(uint32_t left)
{
    struct message *message = sent();
    cr_assert_eq(events_of(message)->count, 1);
    cr_expect_eq(events_of(message)->items[0].reason, REASON_LOST);
    cr_expect_eq(topic_of(events_of(message)->items[0].msg_type), &topics[TOPIC_PROJECTS]);
    comes_back(message);
    message = sent();
    cr_assert_eq(events_of(message)->count, left);
    cr_expect_eq(events_of(message)->items[0].reason, REASON_NONE);
    comes_back(message);
}

Test(record_events, beyond_so_many_all_are_dropped_and_the_topic_is_told)
{
    for (int i = 0; i < RECORD_EVENTS_MOST + 3; i++)
        happens(NULL, hidden);
    assert_lost_then(2);
}

Test(record_events, beyond_so_many_bytes_too)
{
    const frozen_t *large = new_project(false, RECORD_EVENTS_BYTES / 2);
    happens(NULL, large);
    happens(NULL, large);
    happens(NULL, large);
    record_unref(&large);
    assert_lost_then(1);
}

Test(record_events, one_may_wait_whatever_its_size)
{
    const frozen_t *large = new_project(false, RECORD_EVENTS_BYTES + 1);
    happens(NULL, large);
    record_unref(&large);
    struct message *message = sent();
    cr_assert_eq(events_of(message)->items[0].reason, REASON_NONE);
    comes_back(message);
}
