// actor.c - the loop of every actor (actor.h). czmq starts the thread and signals that it is ready.
// STOP is a message like others, so that an actor waits for one socket only.

#include "actors/runtime/actor.h"

#include <czmq.h>
#include <stdlib.h>

#include "actors/runtime/staging.h"
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
handle(actor_t *self, struct message *message)
{
    actor_handler *handler = actor_operation_of(self, message)->handle;
    if (message->operation == STOP) {
        self->stopping = true;
        return OK;
    }
    if (message->caller.user[0] && erased_users_have(&self->erased, message->caller.user))
        return fail(ERR_UNAUTHENTICATED, "", "the session has ended");
    if (handler && self->admission && message->params->repeat_key && !message->repeat)
        TRY(self->admission->admit(self, message));
    if (handler)
        return handler(self, message);
    return fail(ERR_INTERNAL, "", "%s does not do %s", self->name,
                operation_rows[message->operation].name);
}

void
actor_dispatch(actor_t *self, struct message *message)
{
    bool outer = self->has_looked; // a handler may let others go on
    self->has_looked = false;
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
    message_queue_push(&self->paused, &message);
    return PARKED;
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

static void
do_message(actor_t *self, struct message *message)
{
    enum operation operation = message->operation;
    if (is_too_late(self, message))
        actor_finish(self, message, too_late());
    else
        actor_dispatch(self, message);
    turn_mark(&self->turn, operation);
}

// Does the messages that have come, as many as a turn takes; returns how many.
static unsigned
do_received(actor_t *self, struct message *message)
{
    unsigned done = 0;
    bool is_full = false;
    for (; message && !is_full; done++) {
        do_message(self, message);
        is_full = done + 1 == LIMIT_DRAIN_MESSAGES || self->turn.now_us >= self->turn.slice_us;
        message = mailbox_receive(self->mailbox, 0);
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

static void
actor_turn(actor_t *self)
{
    const struct actor_behaviour *behaviour = self->behaviour;
    struct message *message = next_message(self);
    turn_begin(&self->turn);
    unsigned done = do_received(self, message);
    if (self->paused.count > 0)
        done += do_paused(self);
    if (behaviour->drained)
        behaviour->drained(self);
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
    free(self);
}
