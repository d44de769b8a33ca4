// follower.c - see follower.h.
#include "actors/replica/follower.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "actors/replica/blob_copies.h"
#include "actors/replica/checkpoint_copy.h"
#include "actors/replica/window_sender.h"
#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    WAIT_MS = 500,           // that the leader may wait for a commit
    ANSWER_WITHIN_MS = 3000, // of the leader
    RETRY_MS = 200,
    PROMOTED_WITHIN_MS = 20000,
    SECOND_US = 1000000,
};

enum promotion { NOT_ASKED, ASKED, DONE, FAILED };

struct follower {
    struct follower_settings settings;
    pthread_t thread;
    atomic_bool must_end, is_asked; // to end; to be promoted
    // Of the thread alone.
    replica_source_t *source;
    struct window_sender sender;
    copied_window_t *window;
    struct blob_copies blobs;
    bool is_stalled;    // the leader did not answer, or there was no room
    uint64_t oldest_us; // when the first commit of the window was made; 0 = none
    uint64_t told_reached, told_behind;
    pthread_mutex_t lock; // guards all below
    pthread_cond_t changed;
    enum promotion promotion;
    struct fault fault; // why it failed
};

// What it waits for ends where it shall end, or lead.
static bool
must_stop(void *context)
{
    follower_t *self = context;
    return atomic_load(&self->must_end) || atomic_load(&self->is_asked);
}

static void
rest(follower_t *self)
{
    pthread_mutex_lock(&self->lock);
    if (!must_stop(self))
        condition_await(&self->changed, &self->lock, clock_deadline_ms(RETRY_MS));
    pthread_mutex_unlock(&self->lock);
}

// --- a window ---

static enum error
take_blob(void *context, const struct blob_hash *hash)
{
    return blob_copies_take(&((follower_t *)context)->blobs, hash);
}

// Commits from an answer, as many as go into one window; *ret_last is where they end.
static fallible
fill(follower_t *self, struct replica_log *log, uint64_t *ret_last)
{
    const struct store_change *change;
    TRY(replica_source_next(self->source, log, &change));
    while (change && copied_window_add(self->window, change)) {
        *ret_last = change->last;
        if (!self->oldest_us)
            self->oldest_us = change->time_us;
        TRY(replica_source_next(self->source, log, &change));
    }
    return OK;
}

// Between store and actors nothing may be lost: where the actors do not take what is stored, the
// process starts anew and reads it.
static fallible
show(follower_t *self)
{
    enum error error = window_send(&self->sender, COPY_APPLY, self->window);
    uint64_t now_us = clock_calendar_us();
    if (error == OK)
        time_observe(HISTOGRAM_FOLLOW_TIME,
                     now_us > self->oldest_us ? now_us - self->oldest_us : 0);
    if (error == OK || atomic_load(&self->must_end))
        return OK;
    return fail(ERR_INTERNAL, "", "what was copied cannot be shown: %s", fault_last()->detail);
}

static fallible
flush(follower_t *self, struct replica_place reached)
{
    const struct followed_place place = {FOLLOWED_NOW, reached};
    TRY(copied_window_blobs(self->window, take_blob, self));
    TRY(window_send(&self->sender, COPY_NEED, self->window));
    TRY(copied_window_store(self->window, self->settings.store, &place));
    self->settings.place = place;
    return show(self);
}

static void
tell_reached(follower_t *self, uint64_t time_s)
{
    gauge_follow(GAUGE_FOLLOW_REACHED, &self->told_reached, time_s);
}

static void
tell(follower_t *self, struct replica_place head)
{
    uint64_t position = self->settings.place.leader.position;
    uint64_t behind = head.position > position ? head.position - position : 0;
    if (behind == 0)
        tell_reached(self, clock_calendar_us() / SECOND_US);
    gauge_follow(GAUGE_FOLLOW_BEHIND, &self->told_behind, behind);
}

// What the leader has committed since then, for half a second at most.
static fallible
follow(follower_t *self)
{
    struct replica_log log;
    struct replica_place *place = &self->settings.place.leader;
    TRY(replica_source_log(self->source, *place, WAIT_MS, clock_deadline_ms(ANSWER_WITHIN_MS),
                           &log));
    struct replica_place head = log.head, reached = {head.epoch, place->position};
    enum error error = fill(self, &log, &reached.position);
    place->epoch = head.epoch;
    if (error == OK && !copied_window_is_empty(self->window))
        error = flush(self, reached);
    blob_copies_end(&self->blobs);
    copied_window_clear(self->window);
    self->oldest_us = 0;
    TRY(error);
    tell(self, head);
    return OK;
}

// --- the thread ---

static void
note_stall(follower_t *self, enum error error)
{
    if (!self->is_stalled && error != OK)
        log_warning("follow_stalled", "leader=%s detail=%s", self->settings.config->follow,
                    fault_last()->detail);
    if (self->is_stalled && error == OK)
        log_info("follow_goes_on", "leader=%s", self->settings.config->follow);
    self->is_stalled = error != OK;
}

// Whether the process must start anew to go on.
static bool
is_over(follower_t *self, enum error error)
{
    if (error == ERR_NOT_FOUND) {
        log_warning("follow_gap", "leader=%s action=checkpoint", self->settings.config->follow);
        checkpoint_copy_want(self->settings.config->data_dir);
    }
    if (error == ERR_INTERNAL)
        log_error("copy_failed", "detail=%s", fault_last()->detail);
    return error == ERR_NOT_FOUND || error == ERR_INTERNAL;
}

static void
settle_promotion(follower_t *self)
{
    const struct followed_place place = {FOLLOWED_ONCE, self->settings.place.leader};
    enum error error = followed_place_write(self->settings.store, &place);
    pthread_mutex_lock(&self->lock);
    self->promotion = error == OK ? DONE : FAILED;
    if (error != OK)
        self->fault = *fault_last();
    atomic_store(&self->is_asked, false);
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    if (error == OK)
        log_info("promoted", "leader=%s position=%llu", self->settings.config->follow,
                 (unsigned long long)place.leader.position);
}

static void *
run(void *argument)
{
    follower_t *self = argument;
    bool is_over_now = false;
    while (!atomic_load(&self->must_end) && !is_over_now) {
        if (atomic_load(&self->is_asked)) {
            settle_promotion(self);
            is_over_now = self->promotion == DONE;
            continue;
        }
        enum error error = follow(self);
        is_over_now = is_over(self, error);
        if (must_stop(self) || is_over_now)
            continue;
        note_stall(self, error);
        if (error != OK)
            rest(self);
    }
    if (is_over_now)
        self->settings.restart();
    return NULL;
}

// --- life ---

static void
release(follower_t *self)
{
    tell_reached(self, 0);
    gauge_follow(GAUGE_FOLLOW_BEHIND, &self->told_behind, 0);
    blob_copies_end(&self->blobs);
    copied_window_destroy(&self->window);
    replica_source_destroy(&self->source);
    mailbox_destroy(&self->sender.mailbox);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static fallible
start(follower_t *self)
{
    const struct config *config = self->settings.config;
    const struct replica_source_settings source = {.endpoint = config->follow,
                                                   .curve = config->follow_curve,
                                                   .leader_key = config->follow_key,
                                                   .must_end = must_stop,
                                                   .context = self};
    TRY(replica_source_create(&source, &self->source));
    TRY(mailbox_create("follower", false, &self->sender.mailbox));
    self->window = copied_window_create(self->settings.shards);
    self->blobs.source = self->source;
    self->blobs.blobs = self->settings.blobs;
    if (pthread_create(&self->thread, NULL, run, self) != 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no thread for the follower");
    return OK;
}

fallible
follower_create(const struct follower_settings *settings, follower_t **ret_follower)
{
    follower_t *self = memory_take_zeroed(sizeof *self);
    self->settings = *settings;
    tell_reached(self, clock_calendar_us() / SECOND_US);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    enum error error = start(self);
    if (error != OK)
        release(self);
    else
        *ret_follower = self;
    return error;
}

void
follower_destroy(follower_t **self)
{
    follower_t *follower = *self;
    if (!follower)
        return;
    pthread_mutex_lock(&follower->lock);
    atomic_store(&follower->must_end, true);
    pthread_cond_broadcast(&follower->changed);
    pthread_mutex_unlock(&follower->lock);
    pthread_join(follower->thread, NULL);
    release(follower);
    *self = NULL;
}

fallible
follower_promote(follower_t *self)
{
    if (!self)
        return OK;
    uint64_t deadline_ms = clock_deadline_ms(PROMOTED_WITHIN_MS);
    pthread_mutex_lock(&self->lock);
    if (self->promotion != DONE) {
        self->promotion = ASKED;
        atomic_store(&self->is_asked, true);
        pthread_cond_broadcast(&self->changed);
    }
    while (self->promotion == ASKED && clock_left_ms(deadline_ms) > 0)
        condition_await(&self->changed, &self->lock, deadline_ms);
    enum promotion promotion = self->promotion;
    struct fault fault = self->fault;
    pthread_mutex_unlock(&self->lock);
    if (promotion == FAILED)
        return fault_note_again(&fault);
    return promotion == DONE
               ? OK
               : fail(ERR_UNAVAILABLE, "", "it is busy with what it copies; ask again");
}
