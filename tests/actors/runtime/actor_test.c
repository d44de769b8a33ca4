// actor_test.c - the loop of every actor: start, dispatch, parking, draining, timeouts, stop.
#include "actors/runtime/actor.h"

#include <criterion/criterion.h>
#include <semaphore.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum { WAIT_MS = 10000 };

// What happened to the counts. Read by the test's thread after its end, or after an answer that
// came later.
struct counts {
    unsigned opened, closed, drained, timeouts_asked;
    unsigned handled;
    unsigned largest_drain, drain; // messages between two ends of a turn
    unsigned stop_turns;           // how often it was asked whether it is done
    unsigned turns_to_stop;        // how often it says no
    int timeout_ms;
    enum error open_error;
    unsigned slices;
    unsigned handled_before; // the first slice of a query
    unsigned drain_before;   // what is apart, or a slice: the most of its turn
    int works;               // that a request keeps
    sem_t let_go;            // what OBJECT_GET waits for
    struct message_queue parked;
};

// One actor and one who asks it.
static struct counts counts;
static actor_t *actor;
static mailbox_t *asker;

static enum error
handle_ok(actor_t *self, struct message *message)
{
    (void)self;
    (void)message;
    counts.handled++;
    counts.drain++;
    return OK;
}

static enum error
handle_failing(actor_t *self, struct message *message)
{
    (void)self;
    (void)message;
    return fail(ERR_LOCKED, "/here", "held by %s", "somebody");
}

// SCENE_GET parks; SCENE_PUT answers all that is parked, itself last; SCENE_QUERY lets it run
// again.
static enum error
handle_parking(actor_t *self, struct message *message)
{
    (void)self;
    message_queue_push(&counts.parked, &message);
    return PARKED;
}

static enum error
handle_releasing(actor_t *self, struct message *message)
{
    struct message *parked;
    (void)message;
    while ((parked = message_queue_pop(&counts.parked)) != NULL)
        actor_answer(self, &parked, parked->id % 2 ? OK : fail(ERR_CONFLICT, "", "even"));
    return OK;
}

static enum error
handle_waking(actor_t *self, struct message *message)
{
    struct message_queue parked = counts.parked;
    counts.parked = (struct message_queue){0};
    (void)message;
    for (struct message *waited; (waited = message_queue_pop(&parked)) != NULL;)
        actor_dispatch(self, waited);
    return OK;
}

static enum error
counting_open(actor_t *self)
{
    (void)self;
    counts.opened++;
    return counts.open_error == OK ? OK : fail(counts.open_error, "/disk", "no disk");
}

static void
counting_drained(actor_t *self)
{
    (void)self;
    counts.drained++;
    if (counts.drain > counts.largest_drain)
        counts.largest_drain = counts.drain;
    counts.drain = 0;
}

static int
counting_timeout_ms(actor_t *self)
{
    (void)self;
    counts.timeouts_asked++;
    return counts.timeout_ms;
}

static bool
counting_stopping(actor_t *self)
{
    (void)self;
    if (counts.stop_turns == counts.turns_to_stop)
        return true;
    counts.stop_turns++;
    counts.timeout_ms = 0; // go on without a message
    return false;
}

static void
counting_close(actor_t *self)
{
    (void)self;
    message_queue_finish(&counts.parked);
    counts.closed++;
}

static void
end_work(struct parcel *work)
{
    counts.works--;
    free(work);
}

static void
note_drain(void)
{
    if (counts.drain > counts.drain_before)
        counts.drain_before = counts.drain;
}

// OBJECT_QUERY pauses as often as its `progress` says, and keeps something meanwhile.
static enum error
handle_pausing(actor_t *self, struct message *message)
{
    note_drain();
    if (counts.slices++ == 0) {
        counts.handled_before = counts.handled;
        message->work = memory_take_zeroed(sizeof *message->work);
        message->work->destroy = end_work;
        counts.works++;
    }
    if (message->progress == 0)
        return OK;
    message->progress--;
    return actor_pause(self, message);
}

// OBJECT_GET holds the actor until the test lets go.
static enum error
handle_holding(actor_t *self, struct message *message)
{
    (void)self;
    (void)message;
    sem_wait(&counts.let_go);
    return OK;
}

// OBJECT_DELETE is apart.
static enum error
handle_apart(actor_t *self, struct message *message)
{
    note_drain();
    return handle_ok(self, message);
}

// OBJECT_UPDATE takes a whole slice.
static enum error
handle_long(actor_t *self, struct message *message)
{
    while (!actor_must_pause(self))
        ;
    return handle_ok(self, message);
}

static const struct actor_behaviour behaviour = {
    .operations = {[PING] = {handle_ok},
                   [OBJECT_LOCK] = {handle_failing},
                   [OBJECT_GET] = {handle_holding},
                   [OBJECT_DELETE] = {handle_apart, .is_apart = true},
                   [OBJECT_UPDATE] = {handle_long},
                   [OBJECT_QUERY] = {handle_pausing, .is_long = true},
                   [PROPERTY_QUERY] = {handle_pausing},
                   [SCENE_GET] = {handle_parking},
                   [SCENE_PUT] = {handle_releasing},
                   [SCENE_QUERY] = {handle_waking}},
    .open = counting_open,
    .drained = counting_drained,
    .timeout_ms = counting_timeout_ms,
    .stopping = counting_stopping,
    .close = counting_close,
};

static enum error
create(void)
{
    actor_t *fresh = memory_take_zeroed(sizeof *fresh);
    TRY(actor_create(fresh, &behaviour, "actor"));
    actor = fresh;
    return OK;
}

static void
destroy(void)
{
    if (actor)
        actor_destroy(actor, asker);
    actor = NULL;
}

static void
start(void)
{
    counts = (struct counts){.timeout_ms = -1};
    sem_init(&counts.let_go, 0, 0);
    cr_assert_eq(mailbox_create("asker", false, &asker), OK);
}

static void
end(void)
{
    destroy();
    mailbox_destroy(&asker);
}

TestSuite(actor, .init = start, .fini = end);

static void
send_until(enum operation operation, uint64_t id, uint64_t deadline_ms)
{
    struct message *message = message_create(operation);
    message->id = id;
    message->deadline_ms = deadline_ms;
    cr_assert_eq(mailbox_send(asker, "actor", &message), OK);
}

static void
send(enum operation operation, uint64_t id)
{
    send_until(operation, id, 0);
}

static struct message *
receive(uint64_t id)
{
    struct message *message = mailbox_receive(asker, WAIT_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->id, id);
    return message;
}

static enum error
ask(enum operation operation, uint64_t id)
{
    send(operation, id);
    owned(message_destroy) struct message *answer = receive(id);
    return answer->reply.fault.error;
}

Test(actor, is_open_when_start_returns)
{
    cr_assert_eq(create(), OK);
    cr_assert_eq(counts.opened, 1);
    cr_assert_eq(ask(PING, 1), OK);
}

Test(actor, start_fails_as_open_failed_and_cleans_up)
{
    counts.open_error = ERR_STORAGE_FULL;
    cr_assert_eq(create(), ERR_STORAGE_FULL);
    cr_assert_str_eq(fault_last()->pointer, "/disk");
    cr_assert_str_eq(fault_last()->detail, "no disk");
    cr_assert_eq(counts.closed, 1);
    counts.open_error = OK;
    cr_assert_eq(create(), OK, "the name is free again");
}

Test(actor, start_fails_where_the_name_is_taken)
{
    mailbox_t *other = NULL;
    cr_assert_eq(mailbox_create("actor", true, &other), OK);
    cr_assert_eq(create(), ERR_UNAVAILABLE);
    cr_assert_eq(counts.opened, 0);
    mailbox_destroy(&other);
}

Test(actor, a_handlers_failure_is_the_answer)
{
    cr_assert_eq(create(), OK);
    send(OBJECT_LOCK, 4);
    owned(message_destroy) struct message *answer = receive(4);
    cr_assert_eq(answer->reply.fault.error, ERR_LOCKED);
    cr_assert_str_eq(answer->reply.fault.pointer, "/here");
    cr_assert_str_eq(answer->reply.fault.detail, "held by somebody");
}

Test(actor, what_nobody_handles_is_answered_with_an_error)
{
    cr_assert_eq(create(), OK);
    cr_assert_eq(ask(SCENE_DELETE, 9), ERR_INTERNAL);
}

Test(actor, a_parked_message_is_answered_later)
{
    cr_assert_eq(create(), OK);
    for (uint64_t id = 1; id <= 3; id++)
        send(SCENE_GET, id);
    cr_assert_eq(ask(PING, 10), OK, "nobody waits for the parked");
    send(SCENE_PUT, 11);
    for (uint64_t id = 1; id <= 3; id++) {
        owned(message_destroy) struct message *answer = receive(id);
        cr_assert_eq(answer->reply.fault.error, id % 2 ? OK : ERR_CONFLICT);
    }
    owned(message_destroy) struct message *last = receive(11);
    cr_assert_eq(last->reply.fault.error, OK);
}

Test(actor, a_message_that_nobody_waits_for_is_not_answered)
{
    cr_assert_eq(create(), OK);
    send(PING, 0);
    send(OBJECT_LOCK, 0);
    cr_assert_eq(ask(PING, 1), OK); // the first answer that comes
    cr_assert_null(mailbox_receive(asker, 0));
}

Test(actor, parked_messages_end_with_it)
{
    cr_assert_eq(create(), OK);
    send(SCENE_GET, 1);
    cr_assert_eq(ask(PING, 2), OK);
    destroy(); // the leak check sees to the rest
    cr_assert_eq(counts.closed, 1);
}

Test(actor, takes_no_more_than_the_limit_before_a_turn_ends)
{
    enum { MESSAGES = 5 * LIMIT_DRAIN_MESSAGES };
    cr_assert_eq(create(), OK);
    for (uint64_t id = 1; id <= MESSAGES; id++)
        send(PING, id);
    for (uint64_t id = 1; id <= MESSAGES; id++) {
        owned(message_destroy) struct message *answer = receive(id);
        cr_assert_eq(answer->reply.fault.error, OK);
    }
    destroy();
    cr_assert_eq(counts.handled, MESSAGES);
    cr_assert_leq(counts.largest_drain, LIMIT_DRAIN_MESSAGES);
    cr_assert_geq(counts.drained, MESSAGES / LIMIT_DRAIN_MESSAGES);
}

Test(actor, a_turn_ends_when_its_timeout_has_passed)
{
    counts.timeout_ms = 1;
    cr_assert_eq(create(), OK);
    uint64_t deadline_ms = clock_deadline_ms(100);
    while (clock_left_ms(deadline_ms) > 0)
        cr_assert_null(mailbox_receive(asker, clock_left_ms(deadline_ms)));
    destroy();
    cr_assert_geq(counts.drained, 3, "without one message");
    cr_assert_eq(counts.handled, 0);
}

Test(actor, handles_what_came_before_stop_and_goes_on_until_it_is_done)
{
    counts.turns_to_stop = 7;
    cr_assert_eq(create(), OK);
    for (int i = 0; i < 100; i++)
        send(PING, 0);
    destroy();
    cr_assert_eq(counts.handled, 100);
    cr_assert_eq(counts.stop_turns, 7);
    cr_assert_eq(counts.closed, 1);
}

// --- slices ---

static void
send_pausing(uint64_t id, uint32_t slices, uint64_t deadline_ms)
{
    struct message *message = message_create(OBJECT_QUERY);
    message->id = id;
    message->progress = slices;
    message->deadline_ms = deadline_ms;
    cr_assert_eq(mailbox_send(asker, "actor", &message), OK);
}

Test(actor, who_pauses_goes_on_without_another_message)
{
    cr_assert_eq(create(), OK);
    send_pausing(1, 99, 0);
    owned(message_destroy) struct message *answer = receive(1);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(counts.slices, 100);
    cr_assert_null(answer->work, "it belongs to the actor's thread");
    cr_assert_eq(counts.works, 0);
}

Test(actor, who_pauses_lets_others_pass)
{
    cr_assert_eq(create(), OK);
    send_pausing(1, 1 << 30, 0);
    cr_assert_eq(ask(PING, 2), OK);
    send_pausing(3, 10, 0);
    owned(message_destroy) struct message *answer = receive(3);
    cr_assert_eq(answer->reply.fault.error, OK, "it had its slices beside the first");
    destroy(); // what pauses ends with it
}

// So many short messages, which came behind the query, are done before its first slice.
static unsigned
pass(enum operation query)
{
    enum { SHORT = 5 };
    cr_assert_eq(create(), OK);
    send(OBJECT_GET, 0);
    send(query, 1);
    for (unsigned i = 0; i < SHORT; i++)
        send(PING, 0);
    sem_post(&counts.let_go);
    owned(message_destroy) struct message *answer = receive(1);
    cr_assert_eq(answer->reply.fault.error, OK);
    destroy();
    cr_assert_eq(counts.handled, SHORT);
    return counts.handled_before;
}

Test(actor, what_takes_long_begins_behind_what_has_come)
{
    cr_assert_eq(pass(OBJECT_QUERY), 5);
}

Test(actor, what_does_much_at_once_begins_a_turn)
{
    enum { SHORT = 5 };
    cr_assert_eq(create(), OK);
    send(OBJECT_GET, 0);
    for (unsigned i = 0; i < SHORT; i++) {
        send(PING, 0);
        send(OBJECT_DELETE, 0);
    }
    sem_post(&counts.let_go);
    cr_assert_eq(ask(PING, 1), OK);
    destroy();
    cr_assert_eq(counts.handled, 2 * SHORT + 1);
    cr_assert_eq(counts.drain_before, 0);
}

Test(actor, what_is_paused_leaves_a_turn_to_messages_that_fill_it)
{
    enum { LONG = 5 };
    cr_assert_eq(create(), OK);
    send(OBJECT_GET, 0);
    send_pausing(1, LONG - 1, 0);
    for (unsigned i = 0; i < LONG; i++)
        send(OBJECT_UPDATE, 0);
    sem_post(&counts.let_go);
    owned(message_destroy) struct message *answer = receive(1);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(counts.slices, LONG);
    destroy();
    cr_assert_eq(counts.drain_before, 0);
}

Test(actor, other_messages_are_begun_in_their_order)
{
    cr_assert_eq(pass(PROPERTY_QUERY), 0);
}

Test(actor, a_request_that_pauses_ends_with_its_deadline)
{
    cr_assert_eq(create(), OK);
    send_pausing(1, 1 << 30, clock_deadline_ms(50));
    owned(message_destroy) struct message *answer = receive(1);
    cr_assert_eq(answer->reply.fault.error, ERR_UNAVAILABLE);
}

Test(actor, a_request_whose_deadline_has_passed_is_not_begun)
{
    cr_assert_eq(create(), OK);
    send_pausing(1, 0, 1);
    owned(message_destroy) struct message *answer = receive(1);
    cr_assert_eq(answer->reply.fault.error, ERR_UNAVAILABLE);
    cr_assert_eq(counts.slices, 0);
}

// Whose session ends is forgotten when no request of before can be heard any more.
Test(actor, a_request_that_waited_beyond_its_deadline_does_not_go_on)
{
    uint64_t deadline_ms = clock_deadline_ms(50);
    cr_assert_eq(create(), OK);
    send_until(SCENE_GET, 1, deadline_ms);
    while (clock_left_ms(deadline_ms) > 0)
        cr_assert_null(mailbox_receive(asker, clock_left_ms(deadline_ms)));
    send(SCENE_QUERY, 2);
    owned(message_destroy) struct message *answer = receive(1), *last = receive(2);
    cr_assert_eq(answer->reply.fault.error, ERR_UNAVAILABLE);
}
