// commit_pipeline.c - submits batches, and applies or drops their changes when they come back.

#include "actors/runtime/commit_pipeline.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/log.h"
#include "proto/message/lease.h"

// What a decided request rests on is durable.
static void
tell(struct commit_pipeline *self, struct message *message)
{
    enum error error = fault_note_again(&message->reply.fault);
    actor_answer_now(self->actor, &message, error);
}

static void
finish_all(struct commit_pipeline *self, struct message_queue *messages)
{
    struct message *message;
    while ((message = message_queue_pop(messages)) != NULL)
        if (message->is_decided)
            tell(self, message);
        else
            self->behaviour->finish(self, message, OK);
}

// What the request staged, or what its decision rested on, never was.
static void
run_again(struct commit_pipeline *self, struct message *message)
{
    message->is_decided = message->reply.is_replayed = false;
    message->reply.fault = (struct fault){.error = OK};
    self->behaviour->again(self, message);
}

static void
run_all_again(struct commit_pipeline *self, struct message_queue *messages)
{
    struct message_queue again = *messages;
    *messages = (struct message_queue){0};
    struct message *message;
    while ((message = message_queue_pop(&again)) != NULL)
        run_again(self, message);
}

static void
fail_all(struct commit_pipeline *self, struct message_queue *messages, enum store_result result)
{
    struct message *message;
    while ((message = message_queue_pop(messages)) != NULL)
        if (message->is_decided)
            run_again(self, message);
        else
            self->behaviour->finish(self, message, store_error(result));
}

// Messages that wait for room, or for the end of the commit, run again, the oldest first, until the
// slice ends or one has no room again. The others wait for the end of the commit that follows; if
// none follows, all of them run now.
static void
run_waiting(struct commit_pipeline *self)
{
    struct staging *staging = self->staging;
    struct message_queue waiting = staging->waiting;
    struct message *message;
    bool is_over = false;
    staging->waiting = (struct message_queue){0};
    while (!is_over && (message = message_queue_pop(&waiting)) != NULL) {
        size_t count = staging->waiting.count;
        actor_dispatch(self->actor, message);
        bool is_followed = staging->is_committing || staging->filling.batch->count > 0;
        bool waits_again = staging->waiting.count > count;
        is_over = is_followed && (waits_again || actor_must_pause(self->actor));
    }
    while ((message = message_queue_pop(&waiting)) != NULL)
        message_queue_push(&staging->waiting, &message);
}

// What came by UDP over a change that has landed is visible with it. Else a record that is updated
// faster than commits land would be a commit behind for ever.
static void
apply_followers(struct commit_pipeline *self)
{
    struct change *change = NULL;
    while ((change = staging_next_follower(self->staging, change)) != NULL) {
        self->behaviour->apply(self, change);
        staging_has_followed(self->staging, change);
    }
}

static void
commit_well(struct commit_pipeline *self)
{
    struct stage committed = staging_complete(self->staging);
    for (struct change *change = committed.first; change; change = change->next)
        if (change->tag == KEY_ANSWER)
            repeats_committed(self->repeats, change);
        else
            self->behaviour->apply(self, change);
    apply_followers(self);
    if (self->behaviour->applied)
        self->behaviour->applied(self);
    finish_all(self, &committed.messages);
    staging_free_stage(self->staging, &committed);
}

static void
drop_all(struct commit_pipeline *self, struct stage *stage)
{
    for (struct change *change = stage->first; change; change = change->next)
        if (change->tag == KEY_ANSWER)
            repeats_dropped(self->repeats, change);
        else if (self->behaviour->drop)
            self->behaviour->drop(self, change);
}

// The filling batch fails with the committed one, as it may have built on what was never written.
// Nobody knows which of its requests made a batch too large, so each is tried again in a batch of
// its own: only the one that is too large by itself is refused.
static void
commit_badly(struct commit_pipeline *self, enum store_result result)
{
    struct stage committed = staging_complete(self->staging);
    bool is_parted = result == STORE_LIMIT && !committed.is_apart;
    struct stage abandoned =
        staging_abandon(self->staging, is_parted ? committed.messages.count : 0);
    drop_all(self, &abandoned); // newest first: of several kept states the newest wins
    drop_all(self, &committed);
    if (is_parted)
        run_all_again(self, &committed.messages);
    fail_all(self, &committed.messages, result);
    run_all_again(self, &abandoned.messages);
    staging_free_stage(self->staging, &committed);
    staging_free_stage(self->staging, &abandoned);
}

enum error
commit_pipeline_go_on(struct commit_pipeline *self, struct message *message)
{
    message_destroy(&message);
    run_waiting(self); // perhaps nothing else would wake them
    return PARKED;
}

enum error
commit_pipeline_committed(struct commit_pipeline *self, struct message *message)
{
    enum store_result result = batch_of(message)->result;
    if (result == STORE_UNKNOWN && !lease_is_lost()) {
        // Nobody can tell what is on disk; only a start, which reads it, can.
        log_error("commit_outcome_unknown", "actor=%s action=exit", self->actor->name);
        abort();
    }
    if (self->behaviour->noted)
        self->behaviour->noted(self, result);
    if (result == STORE_OK)
        commit_well(self);
    else
        commit_badly(self, result);
    return actor_must_pause(self->actor) ? actor_pause_end(self->actor, message)
                                         : commit_pipeline_go_on(self, message);
}

static void
submit(struct commit_pipeline *self)
{
    struct batch *batch = staging_submit(self->staging);
    batch->marker = key_of_number(KEY_COMMIT, self->marker);
    struct message *commit = message_create(COMMIT);
    commit->id = ++self->next_id;
    commit->parcel = &batch->base;
    enum error error = mailbox_send(self->actor->mailbox, self->committer, &commit);
    assert(error == OK); // its mailbox cannot be full: there is one batch at a time
    (void)error;
}

// Answers requests that staged nothing, and those that rest on nothing staged any more. Messages
// that waited behind them go on.
static void
answer_unwritten(struct commit_pipeline *self)
{
    struct stage *filling = &self->staging->filling;
    while (filling->batch->count == 0 && filling->messages.count > 0) {
        struct message_queue messages = filling->messages;
        filling->messages = (struct message_queue){0};
        finish_all(self, &messages);
        run_waiting(self);
    }
}

void
commit_pipeline_turn(struct commit_pipeline *self, bool is_wanted)
{
    struct staging *staging = self->staging;
    if (staging->is_committing)
        return;
    if (!is_wanted)
        answer_unwritten(self);
    repeats_turn(self->repeats);
    if (staging->filling.batch->count > 0 || is_wanted) {
        submit(self);
        run_waiting(self);
    }
}
