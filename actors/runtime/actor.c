// actor.c - the loop of every actor (actor.h). czmq starts the thread and signals that it is ready.
// STOP is a message like others, so that an actor waits for one socket only.

#include "actors/runtime/actor.h"

#include <czmq.h>
#include <stdlib.h>

#include "actors/runtime/staging.h"
#include "proto/base/clock.h"
#include "proto/base/handover.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"

void
actor_stages(actor_t *self, struct staging *staging)
{
    self->staging = staging;
    staging->shown = &self->has_looked;
}

void
actor_answer_now(actor_t *self, struct message **message, enum error error)
{
    if ((*message)->repeat)
        self->admission->settle(self, *message);
    message_end_work(*message);
    if (error != OK)
        reply_fail(*message, error);
    if ((*message)->id == 0)
        message_destroy(message);
    else
        mailbox_reply(self->mailbox, message);
}

void
actor_answer(actor_t *self, struct message **message, enum error error)
{
    if (self->has_looked && (*message)->id != 0)
        staging_hold(self->staging, message, error);
    else
        actor_answer_now(self, message, error);
}

static enum error
prepare(actor_t *self, struct message *message)
{
    return self->behaviour->prepare ? self->behaviour->prepare(self, message) : OK;
}

static enum error
handle(actor_t *self, struct message *message)
{
    actor_handler *handler = actor_operation_of(self, message)->handle;
    if (message->operation == STOP) {
        self->stopping = true;
        return OK;
    }
    if (ended_sessions_before(&self->ended, message->caller.user) == ALL_SESSIONS)
        return fail(ERR_UNAUTHENTICATED, "", "the user is gone");
    if (handler)
        TRY(prepare(self, message));
    if (handler && self->admission && message->params->repeat_key && !message->repeat)
        TRY(self->admission->admit(self, message));
    if (handler)
        return handler(self, message);
    return fail(ERR_INTERNAL, "", "%s does not do %s", self->name,
                operation_rows[message->operation].name);
}

void
actor_end_sessions(actor_t *self, const struct text *user, int64_t before)
{
    ended_sessions_add(&self->ended, text_chars(user), before, clock_now_ms());
}

// Whether the client who asked has been told that it takes too long. (What actors ask each other is
// always answered: who asked counts on it.)
static bool
is_too_late(const actor_t *self, const struct message *message)
{
    return message->deadline_ms && message->deadline_ms <= self->turn.now_us / 1000 &&
           operation_rows[message->operation].access != ACCESS_INTERNAL;
}

static fallible
too_late(void)
{
    return fail(ERR_UNAVAILABLE, "", "the time for the answer is over");
}

void
actor_dispatch(actor_t *self, struct message *message)
{
    if (is_too_late(self, message)) {
        actor_finish(self, message, too_late());
        return;
    }
    bool outer = self->has_looked; // a handler may let others go on
    self->has_looked = message->has_looked;
    if (self->staging)
        staging_take_back_room(self->staging);
    enum error error = handle(self, message);
    if (error != PARKED)
        actor_answer(self, &message, error);
    self->has_looked = outer;
}

enum error
actor_pause(actor_t *self, struct message *message)
{
    message->has_looked = self->has_looked;
    message_queue_push(&self->paused, &message);
    return PARKED;
}

enum error
actor_pause_end(actor_t *self, struct message *message)
{
    message->is_ending = true;
    return actor_pause(self, message);
}

void
actor_finish(actor_t *self, struct message *message, enum error error)
{
    const struct actor_operation *row = actor_operation_of(self, message);
    if (row->finish)
        error = row->finish(self, message, error);
    if (error != PARKED)
        actor_answer(self, &message, error);
}

// A request that has ended goes on with its answer; what earlier slices looked at still counts.
static void
end_further(actor_t *self, struct message *message)
{
    bool outer = self->has_looked;
    self->has_looked = message->has_looked;
    enum error error = is_too_late(self, message) ? too_late() : prepare(self, message);
    if (error != PARKED)
        actor_finish(self, message, error);
    self->has_looked = outer;
}

void
actor_go_on(actor_t *self, struct message *message)
{
    if (message->is_ending)
        end_further(self, message);
    else
        actor_dispatch(self, message);
}

static void
do_message(actor_t *self, struct message *message)
{
    enum operation operation = message->operation;
    actor_go_on(self, message);
    turn_mark(&self->turn, operation);
}

// Does a message that has come, or puts it behind those that are short.
static void
take_message(actor_t *self, struct message *message)
{
    if (actor_operation_of(self, message)->is_long)
        message_queue_push(&self->paused, &message);
    else
        do_message(self, message);
}

// Does the messages that have come, as many as a turn takes; returns how many.
static unsigned
do_received(actor_t *self, struct message *message)
{
    unsigned done = 0;
    bool is_full = false;
    for (; message && !is_full; done++) {
        take_message(self, message);
        message = mailbox_receive(self->mailbox, 0);
        is_full = done + 1 == LIMIT_DRAIN_MESSAGES || self->turn.now_us >= self->turn.slice_us ||
                  (message && actor_operation_of(self, message)->is_apart);
    }
    self->behind = message;
    self->backlog = message != NULL;
    return done;
}

// Each of the paused messages has a slice in its turn, whoever else pauses.
static unsigned
do_paused(actor_t *self)
{
    size_t left = self->paused.count;
    unsigned done = 0;
    turn_next_slice(&self->turn);
    while (left-- > 0 && (done == 0 || !actor_must_pause(self))) {
        do_message(self, message_queue_pop(&self->paused));
        done++;
    }
    return done;
}

// The next message; waits for it where the actor has nothing else to do.
static struct message *
next_message(actor_t *self)
{
    int timeout_ms = self->behaviour->timeout_ms ? self->behaviour->timeout_ms(self) : -1;
    struct message *behind = self->behind;
    self->behind = NULL;
    return behind ? behind
                  : mailbox_receive(self->mailbox, self->paused.count > 0 ? 0 : timeout_ms);
}

// A turn has one slice: where the messages that came have used it up, what is paused has the next
// turn to itself.
static void
actor_turn(actor_t *self)
{
    const struct actor_behaviour *behaviour = self->behaviour;
    struct message *message = self->owes_paused ? NULL : next_message(self);
    turn_begin(&self->turn);
    unsigned done = self->owes_paused ? 0 : do_received(self, message);
    self->owes_paused = !self->owes_paused && self->paused.count > 0 && turn_is_long(&self->turn);
    if (self->paused.count > 0 && !self->owes_paused)
        done += do_paused(self);
    if (behaviour->drained)
        behaviour->drained(self);
    ended_sessions_forget(&self->ended, self->turn.now_us / 1000);
    self->has_looked = false; // what the end of the turn looks at is no request's
    turn_end(&self->turn, self->name, done);
}

static bool
actor_is_done(actor_t *self)
{
    return self->stopping && (!self->behaviour->stopping || self->behaviour->stopping(self));
}

static void
actor_run(zsock_t *pipe, void *argument)
{
    actor_t *self = argument;
    self->opened = mailbox_create(self->name, true, &self->mailbox);
    if (self->opened == OK && self->behaviour->open)
        self->opened = self->behaviour->open(self);
    turn_init(&self->turn, self->name, self->behaviour->may_be_slow); // `open` is no turn
    fault_take(self->opened, &self->fault);
    bool is_open = self->opened == OK;
    handover_give(self);
    zsock_signal(pipe, 0);
    while (is_open && !actor_is_done(self))
        actor_turn(self);
    message_queue_finish(&self->paused);
    message_destroy(&self->behind);
    if (self->behaviour->close)
        self->behaviour->close(self);
    mailbox_destroy(&self->mailbox);
    handover_give(self);
}

static fallible
fail_start(actor_t *self)
{
    struct fault fault = self->fault;
    free(self);
    return fault_note_again(&fault);
}

fallible
actor_create(actor_t *self, const struct actor_behaviour *behaviour, const char *name)
{
    self->behaviour = behaviour;
    snprintf(self->name, sizeof self->name, "%s", name);
    zactor_t *thread = zactor_new(actor_run, self);
    if (!thread) {
        fault_take(fail(ERR_UNAVAILABLE, "", "no thread left for %s", name), &self->fault);
        if (behaviour->close)
            behaviour->close(self);
        return fail_start(self);
    }
    handover_take(self);
    if (self->opened != OK) {
        zactor_destroy(&thread);
        handover_take(self);
        return fail_start(self);
    }
    self->thread = thread;
    return OK;
}

void
actor_destroy(actor_t *self, mailbox_t *from)
{
    zactor_t *thread = self->thread;
    struct message *stop = message_create(STOP);
    if (mailbox_send(from, self->name, &stop) != OK) {
        log_error("actor_stop_failed", "actor=%s", self->name);
        message_destroy(&stop);
    }
    zactor_destroy(&thread);
    handover_take(self);
    ended_sessions_finish(&self->ended);
    free(self);
}
