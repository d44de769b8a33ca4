// audit_writer.c - from noted events to lines on the disk: each at once, or counted by the minute.
#include "actors/audit/audit_writer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "actors/audit/audit_groups.h"
#include "actors/audit/audit_quota.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum {
    TAKEN_AT_ONCE = 256,
    WAIT_MS = 250,  // between two looks at groups and the disk
    GATHER_MS = 50, // events that arrive meanwhile are written together
};

struct audit_writer {
    bool is_each;
    audit_log_t *log;
    struct audit_groups groups;
    struct audit_quota quota;
    struct audit_event taken[TAKEN_AT_ONCE];
    pthread_t thread;
    bool is_running;
    atomic_bool is_ending;
};

static void
tell_group(void *context, const struct audit_event *first, uint64_t count, const char *last_request)
{
    audit_writer_t *self = context;
    enum audit_class class = audit_is_refusal(first) ? AUDIT_CLASS_FAILURES : AUDIT_CLASS_WRITES;
    audit_log_add(self->log, class, first, count, last_request);
}

// What concerns security is in the log of events too, where others watch for it.
static void
tell_log(const struct audit_event *event)
{
    log_info("audit", "op=%s outcome=%d user=%s peer=%s kind=%s key=%s id=%s", event->operation,
             event->outcome, event->user, event->address, event->noun ? event->noun : "",
             event->key, event->request);
}

// Adds the line of an event that has one of its own. What concerns security and was done has one
// among its kind, up to the quota of its source; beyond it, it is counted by the minute.
static bool
tell_alone(audit_writer_t *self, const struct audit_event *event, uint64_t now_ms)
{
    enum audit_class class = audit_is_refusal(event) ? AUDIT_CLASS_FAILURES : AUDIT_CLASS_WRITES;
    bool is_security = event->kind == AUDIT_SECURITY && !audit_is_refusal(event);
    bool is_within = is_security && audit_quota_take(&self->quota, event, now_ms);
    bool is_each = event->kind == AUDIT_EACH && !audit_is_refusal(event);
    if (is_within)
        class = AUDIT_CLASS_SECURITY;
    if (!is_within && !is_each && !self->is_each)
        return false;
    audit_log_add(self->log, class, event, 1, NULL);
    return true;
}

static void
settle(audit_writer_t *self, const struct audit_event *event, uint64_t now_ms)
{
    if (event->kind == AUDIT_SECURITY)
        tell_log(event);
    if (tell_alone(self, event, now_ms))
        return;
    if (audit_groups_add(&self->groups, event, now_ms))
        return;
    audit_groups_tell(&self->groups, now_ms, true, tell_group, self);
    (void)audit_groups_add(&self->groups, event, now_ms); // there is room now
}

// A line says how many events the log lacks.
static void
tell_lost(audit_writer_t *self)
{
    uint64_t lost = audit_take_lost();
    if (lost == 0)
        return;
    const struct audit_event event = {
        .time_us = clock_calendar_us(), .operation = "AUDIT_LOST", .outcome = 503};
    log_error("audit_lost", "events=%" PRIu64, lost);
    audit_log_add(self->log, AUDIT_CLASS_FAILURES, &event, lost, "");
}

// Takes what waits and writes it. While the disk refuses nothing more is taken or told: the queue
// fills, and what is lost is told once, when there is room.
static void
turn(audit_writer_t *self, uint64_t wait_ms, bool all)
{
    size_t count = TAKEN_AT_ONCE;
    bool is_taking = true;
    if (audit_take_reopen())
        audit_log_reopen(self->log);
    while (count == TAKEN_AT_ONCE && (is_taking = audit_log_write(self->log))) {
        count = audit_take(self->taken, TAKEN_AT_ONCE, wait_ms);
        for (size_t i = 0; i < count; i++)
            settle(self, &self->taken[i], clock_now_ms());
        wait_ms = 0;
    }
    if (is_taking || all)
        tell_lost(self);
    audit_groups_tell(&self->groups, clock_now_ms(), all, tell_group, self);
    (void)audit_log_write(self->log); // it is tried again
    audit_log_keep(self->log, clock_now_ms());
}

static void *
run(void *argument)
{
    audit_writer_t *self = argument;
    const struct timespec gather = {.tv_nsec = GATHER_MS * 1000000};
    while (!atomic_load(&self->is_ending)) {
        turn(self, WAIT_MS, false);
        nanosleep(&gather, NULL);
    }
    turn(self, 0, true);
    return NULL;
}

fallible
audit_writer_create(const struct audit_writer_settings *settings, audit_writer_t **ret_writer)
{
    audit_log_t *log;
    TRY(audit_log_open(&settings->log, &log));
    audit_writer_t *self = memory_take_zeroed(sizeof *self);
    self->is_each = settings->is_each;
    self->log = log;
    audit_begin();
    self->is_running = pthread_create(&self->thread, NULL, run, self) == 0;
    if (!self->is_running) {
        audit_writer_destroy(&self);
        return fail(ERR_UNAVAILABLE, "", "no thread left for the audit log");
    }
    *ret_writer = self;
    return OK;
}

void
audit_writer_destroy(audit_writer_t **self)
{
    if (!*self)
        return;
    atomic_store(&(*self)->is_ending, true);
    audit_wake();
    if ((*self)->is_running)
        pthread_join((*self)->thread, NULL);
    audit_end();
    audit_groups_finish(&(*self)->groups);
    audit_quota_finish(&(*self)->quota);
    audit_log_close(&(*self)->log);
    free(*self);
    *self = NULL;
}

uint64_t
audit_writer_written(const audit_writer_t *self)
{
    return audit_log_written(self->log);
}
