// mailbox_test.c - where messages meet a thread: pointers change hands, replies find their asker,
// nothing is lost or leaked. The leak check of the address sanitizer is part of these tests.
#include "proto/message/mailbox.h"

#include <criterion/criterion.h>
#include <czmq.h>
#include <pthread.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/message/metrics.h"

enum { WAIT_MS = 10000 };

static mailbox_t *
open_mailbox(const char *name, bool open)
{
    mailbox_t *mailbox = NULL;
    cr_assert_eq(mailbox_create(name, open, &mailbox), OK, "%s", fault_last()->detail);
    return mailbox;
}

static void
send_new(mailbox_t *from, const char *to, uint64_t id)
{
    struct message *message = message_create(PING);
    message->id = id;
    cr_assert_eq(mailbox_send(from, to, &message), OK, "%s", fault_last()->detail);
    cr_assert_null(message);
}

Test(mailbox, passes_the_pointer_unchanged_and_names_the_sender)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox("asker", false);
    struct message *message = message_create(PING), *sent = message;
    cr_assert_eq(mailbox_send(asker, "actor", &message), OK);
    cr_assert_null(message);
    owned(message_destroy) struct message *received = mailbox_receive(actor, WAIT_MS);
    cr_assert_eq(received, sent);
    cr_assert_str_eq(received->sender, "asker");
}

Test(mailbox, keeps_the_order_of_one_sender)
{
    enum { MESSAGES = 5000 };
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox("asker", false);
    for (uint64_t id = 1; id <= MESSAGES; id++)
        send_new(asker, "actor", id);
    for (uint64_t id = 1; id <= MESSAGES; id++) {
        owned(message_destroy) struct message *received = mailbox_receive(actor, WAIT_MS);
        cr_assert_not_null(received);
        cr_assert_eq(received->id, id);
    }
    cr_assert_null(mailbox_receive(actor, 0));
}

Test(mailbox, replies_find_the_one_who_asked)
{
    enum { ASKERS = 5 };
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    mailbox_t *askers[ASKERS];
    for (int i = 0; i < ASKERS; i++) {
        char name[MAILBOX_NAME_SIZE];
        snprintf(name, sizeof name, "asker.%d", i);
        askers[i] = open_mailbox(name, false);
        send_new(askers[i], "actor", (uint64_t)i + 100);
    }
    for (int i = 0; i < ASKERS; i++) {
        struct message *request = mailbox_receive(actor, WAIT_MS);
        cr_assert_not_null(request);
        mailbox_reply(actor, &request);
        cr_assert_null(request);
    }
    for (int i = 0; i < ASKERS; i++) {
        owned(message_destroy) struct message *reply = mailbox_receive(askers[i], WAIT_MS);
        cr_assert_eq(reply->id, (uint64_t)i + 100);
        cr_assert_str_eq(reply->sender, "actor");
        cr_assert_null(mailbox_receive(askers[i], 0));
        mailbox_destroy(&askers[i]);
    }
}

Test(mailbox, names_the_shards)
{
    char name[MAILBOX_NAME_SIZE];
    mailbox_shard_name(0, name);
    cr_assert_str_eq(name, "scene.0");
    mailbox_shard_name(63, name);
    cr_assert_str_eq(name, "scene.63");
}

Test(mailbox, a_name_of_full_length_receives_its_replies)
{
    const char longest[] = "a-name-of-23-bytes-here";
    cr_assert_eq(strlen(longest), MAILBOX_NAME_SIZE - 1);
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox(longest, false);
    send_new(asker, "actor", 1);
    struct message *request = mailbox_receive(actor, WAIT_MS);
    cr_assert_str_eq(request->sender, longest);
    mailbox_reply(actor, &request);
    owned(message_destroy) struct message *reply = mailbox_receive(asker, WAIT_MS);
    cr_assert_not_null(reply);
}

Test(mailbox, a_taken_name_is_refused)
{
    owned(mailbox_destroy) mailbox_t *first = open_mailbox("actor", true);
    mailbox_t *second = NULL;
    cr_assert_eq(mailbox_create("actor", true, &second), ERR_UNAVAILABLE);
    cr_assert_null(second);
}

Test(mailbox, a_full_one_refuses_and_the_message_stays_with_its_sender)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox("asker", false);
    owned(message_destroy) struct message *message = NULL;
    uint64_t sent = 0;
    enum error error = OK;
    while (error == OK && sent <= 3 * LIMIT_MAILBOX_MESSAGES) {
        message = message_create(PING);
        message->id = ++sent;
        error = mailbox_send(asker, "actor", &message);
    }
    cr_assert_eq(error, ERR_UNAVAILABLE);
    cr_assert_geq(sent, LIMIT_MAILBOX_MESSAGES);
    cr_assert_not_null(message);
    cr_assert_eq(message->id, sent);
    // All accepted messages arrive, in order; then there is room again.
    for (uint64_t id = 1; id < sent; id++) {
        owned(message_destroy) struct message *received = mailbox_receive(actor, WAIT_MS);
        cr_assert_eq(received->id, id);
    }
    uint64_t deadline_ms = clock_deadline_ms(WAIT_MS);
    while (message && clock_left_ms(deadline_ms) > 0)
        error_ignore(mailbox_send(asker, "actor", &message), "the sender hears of the room later");
    cr_assert_null(message);
}

Test(mailbox, messages_that_nobody_received_go_with_the_mailbox)
{
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox("asker", false);
    mailbox_t *actor = open_mailbox("actor", true);
    for (uint64_t id = 1; id <= 100; id++)
        send_new(asker, "actor", id);
    owned(message_destroy) struct message *first = mailbox_receive(actor, WAIT_MS);
    cr_assert_eq(first->id, 1);
    mailbox_destroy(&actor);
    cr_assert_null(actor);
    mailbox_destroy(&actor);
}

// Until nothing can be sent from `from` to the name any more.
static void
await_goodbye(mailbox_t *from, const char *name)
{
    void *socket = zsock_resolve(mailbox_socket(from));
    uint64_t deadline_ms = clock_deadline_ms(WAIT_MS);
    while (zmq_send(socket, name, strlen(name), ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0) {
        zmq_send(socket, "", 0, ZMQ_DONTWAIT); // ends the message; its receiver is closing
        cr_assert_gt(clock_left_ms(deadline_ms), 0, "%s does not go", name);
    }
}

Test(mailbox, a_reply_to_somebody_gone_is_destroyed)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    mailbox_t *asker = open_mailbox("asker", false);
    send_new(asker, "actor", 1);
    struct message *request = mailbox_receive(actor, WAIT_MS);
    cr_assert_not_null(request);
    mailbox_destroy(&asker);
    await_goodbye(actor, "asker");
    mailbox_reply(actor, &request);
    cr_assert_null(request);
}

Test(mailbox, a_reply_to_somebody_who_is_just_going_is_destroyed)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    for (int round = 0; round < 200; round++) {
        char name[MAILBOX_NAME_SIZE];
        snprintf(name, sizeof name, "asker.%d", round);
        mailbox_t *asker = open_mailbox(name, false);
        send_new(asker, "actor", 1);
        send_new(asker, "actor", 2);
        struct message *request = mailbox_receive(actor, WAIT_MS);
        cr_assert_not_null(request);
        mailbox_destroy(&asker);
        mailbox_reply(actor, &request);
        struct message *second = mailbox_receive(actor, WAIT_MS);
        if (second)
            mailbox_reply(actor, &second);
    }
}

Test(mailbox, what_was_sent_to_somebody_who_never_came_goes_with_its_sender)
{
    mailbox_t *asker = open_mailbox("asker", false);
    send_new(asker, "nobody", 1);
    mailbox_destroy(&asker);
}

Test(mailbox, waits_no_longer_than_it_was_told)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    uint64_t start_ms = clock_now_ms();
    cr_assert_null(mailbox_receive(actor, 0));
    cr_assert_null(mailbox_receive(actor, 30));
    cr_assert_geq(clock_now_ms() - start_ms, 29);
}

// ---------------------------------------------------------------- threads

enum { SENDERS = 8, MESSAGES_OF_EACH = 2000 };

// Asks MESSAGES_OF_EACH times, then reads the answers: each its own, in order.
static void *
ask_many_times(void *argument)
{
    const unsigned *sender = argument;
    char name[MAILBOX_NAME_SIZE];
    snprintf(name, sizeof name, "sender.%u", *sender);
    owned(mailbox_destroy) mailbox_t *mailbox = open_mailbox(name, false);
    for (uint64_t i = 1; i <= MESSAGES_OF_EACH; i++)
        send_new(mailbox, "actor", *sender * MESSAGES_OF_EACH + i);
    uint64_t answers = 0;
    while (answers < MESSAGES_OF_EACH) {
        owned(message_destroy) struct message *reply = mailbox_receive(mailbox, WAIT_MS);
        if (!reply || reply->id != *sender * MESSAGES_OF_EACH + answers + 1)
            break;
        answers++;
    }
    return (void *)(uintptr_t)answers;
}

static void
answer_all(mailbox_t *actor)
{
    uint64_t last[SENDERS] = {0};
    for (int i = 0; i < SENDERS * MESSAGES_OF_EACH; i++) {
        struct message *request = mailbox_receive(actor, WAIT_MS);
        cr_assert_not_null(request);
        size_t sender = (request->id - 1) / MESSAGES_OF_EACH;
        char name[MAILBOX_NAME_SIZE];
        snprintf(name, sizeof name, "sender.%zu", sender);
        cr_assert_str_eq(request->sender, name);
        cr_assert_gt(request->id, last[sender]);
        last[sender] = request->id;
        mailbox_reply(actor, &request);
    }
}

Test(mailbox, many_threads_ask_one_and_each_gets_its_own_answers_in_order)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    pthread_t threads[SENDERS];
    unsigned numbers[SENDERS];
    for (unsigned i = 0; i < SENDERS; i++) {
        numbers[i] = i;
        cr_assert_eq(pthread_create(&threads[i], NULL, ask_many_times, &numbers[i]), 0);
    }
    answer_all(actor);
    for (unsigned i = 0; i < SENDERS; i++) {
        void *answers = NULL;
        pthread_join(threads[i], &answers);
        cr_assert_eq((uintptr_t)answers, MESSAGES_OF_EACH, "sender %u", i);
    }
}

static uint64_t
queue_of(const char *actor)
{
    return counter_get(GAUGE_ACTOR_QUEUE + metric_actor(actor));
}

Test(mailbox, what_waits_for_an_actor_is_counted)
{
    mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox("asker", false);
    for (uint64_t id = 1; id <= 3; id++)
        send_new(asker, "actor", id);
    cr_assert_eq(queue_of("actor"), 3);
    owned(message_destroy) struct message *received = mailbox_receive(actor, WAIT_MS);
    cr_assert_eq(queue_of("actor"), 2);
    mailbox_destroy(&actor);
    cr_assert_eq(queue_of("actor"), 0);
}

Test(mailbox, reply_to_an_actor_waits_in_its_queue)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *helper = open_mailbox("helper", true);
    send_new(actor, "helper", 1);
    struct message *request = mailbox_receive(helper, WAIT_MS);
    mailbox_reply(helper, &request);
    cr_assert_eq(queue_of("actor"), 1);
    cr_assert_eq(queue_of("helper"), 0);
    owned(message_destroy) struct message *reply = mailbox_receive(actor, WAIT_MS);
    cr_assert_not_null(reply);
    cr_assert_eq(queue_of("actor"), 0);
}

Test(mailbox, reply_to_who_only_asks_waits_in_no_queue)
{
    owned(mailbox_destroy) mailbox_t *actor = open_mailbox("actor", true);
    owned(mailbox_destroy) mailbox_t *asker = open_mailbox("asker", false);
    send_new(asker, "actor", 1);
    struct message *request = mailbox_receive(actor, WAIT_MS);
    mailbox_reply(actor, &request);
    owned(message_destroy) struct message *reply = mailbox_receive(asker, WAIT_MS);
    cr_assert_not_null(reply);
    cr_assert_eq(queue_of("actor"), 0);
}

Test(mailbox, sends_back_over_the_connection_of_who_sent_first)
{
    owned(mailbox_destroy) mailbox_t *first = open_mailbox("first", true);
    owned(mailbox_destroy) mailbox_t *second = open_mailbox("second", true);
    send_new(first, "second", 1);
    owned(message_destroy) struct message *greeting = mailbox_receive(second, WAIT_MS);
    struct message *question = message_create(PING);
    cr_assert_eq(mailbox_send_back(second, "first", &question), OK);
    cr_assert_null(question);
    owned(message_destroy) struct message *received = mailbox_receive(first, WAIT_MS);
    cr_assert_not_null(received);
    cr_assert_str_eq(received->sender, "second");
}

Test(mailbox, sends_nothing_back_to_who_never_sent)
{
    owned(mailbox_destroy) mailbox_t *silent = open_mailbox("silent", true);
    owned(mailbox_destroy) mailbox_t *second = open_mailbox("second", true);
    struct message *question = message_create(PING);
    cr_assert_eq(mailbox_send_back(second, "silent", &question), ERR_UNAVAILABLE);
    cr_assert_not_null(question, "it is still the sender's");
    message_destroy(&question);
}

Test(mailbox, name_is_free_again_at_once)
{
    for (int i = 0; i < 1000; i++) {
        mailbox_t *mailbox = open_mailbox("actor", true);
        mailbox_destroy(&mailbox);
    }
}
