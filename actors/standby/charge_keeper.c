// charge_keeper.c - one beat each LEASE_BEAT_MS (charge_keeper.h). A beat that nobody answered may
// have been written: the next one conflicts then, and a look tells that it was its own.
#include "actors/standby/charge_keeper.h"

#include <pthread.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"

enum { CALL_MS = 2000, LEAVE_MS = 1000 };

struct charge_keeper {
    store_t *store;
    void (*replaced)(void);
    struct seen_charge seen; // of the thread, while it runs
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool must_end; // guarded by the lock
};

static void
note_replaced(const char *by)
{
    lease_lose();
    log_error("replaced", "by=%s detail=%s", by,
              "another server is in charge of the database: this one answers nothing any more, and "
              "starts anew to stand by");
}

// Whether the place is still its own, where a beat has not found its last one. False where that
// could not be read, too: the next beat finds the same.
static bool
is_ours(charge_keeper_t *self)
{
    struct seen_charge found;
    enum store_result result = charge_read(self->store, clock_deadline_ms(CALL_MS), &found);
    bool is_own = result == STORE_OK && found.charge.process == self->seen.charge.process;
    if (is_own)
        self->seen.version = found.version;
    else if (result == STORE_OK || result == STORE_BAD)
        note_replaced(result == STORE_OK ? found.charge.name : "a newer version");
    return is_own;
}

static enum store_result
put_beat(charge_keeper_t *self)
{
    const struct charge own = self->seen.charge;
    uint64_t sent_ms = clock_boot_ms();
    enum store_result result =
        charge_write(self->store, &own, clock_deadline_ms(CALL_MS), &self->seen);
    if (result == STORE_OK)
        lease_extend(sent_ms + LEASE_MS);
    counter_add(result == STORE_OK ? COUNT_BEATS : COUNT_BEATS_FAILED, 1);
    return result;
}

static void
beat(charge_keeper_t *self)
{
    bool held = lease_holds();
    if (put_beat(self) == STORE_CONFLICT && is_ours(self))
        error_ignore(put_beat(self) == STORE_OK ? OK : ERR_UNAVAILABLE, "the next beat is soon");
    bool holds = lease_holds();
    if (held && !holds && !lease_is_lost())
        log_warning("lease_ended", "detail=%s",
                    "the database does not answer: reads are refused until it does");
    if (!held && holds)
        log_info("lease_renewed", "%s", "");
}

// Until the next beat is due. False when the thread shall end.
static bool
await_beat(charge_keeper_t *self, uint64_t due_ms)
{
    pthread_mutex_lock(&self->lock);
    while (!self->must_end && condition_await(&self->woken, &self->lock, due_ms))
        continue;
    bool goes_on = !self->must_end;
    pthread_mutex_unlock(&self->lock);
    return goes_on;
}

static void *
keeper_run(void *argument)
{
    charge_keeper_t *self = argument;
    uint64_t due_ms = clock_deadline_ms(LEASE_BEAT_MS);
    while (!lease_is_lost() && await_beat(self, due_ms)) {
        due_ms = clock_deadline_ms(LEASE_BEAT_MS);
        beat(self);
    }
    gauge_add(GAUGE_IN_CHARGE, -1);
    if (lease_is_lost()) // by a beat, or by a committer
        self->replaced();
    return NULL;
}

fallible
charge_keeper_create(store_t *store, const struct seen_charge *seen, void (*replaced)(void),
                     charge_keeper_t **ret_keeper)
{
    charge_keeper_t *self = memory_take_zeroed(sizeof *self);
    self->store = store;
    self->seen = *seen;
    self->replaced = replaced;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->woken, NULL);
    gauge_add(GAUGE_IN_CHARGE, 1);
    if (pthread_create(&self->thread, NULL, keeper_run, self) != 0)
        abort(); // without it the lease would end at once
    *ret_keeper = self;
    return OK;
}

// Who comes next need not wait for the silence.
static void
leave(charge_keeper_t *self)
{
    struct charge left = self->seen.charge;
    left.state = CHARGE_FREE;
    if (lease_is_lost())
        return;
    enum store_result result =
        charge_write(self->store, &left, clock_deadline_ms(LEAVE_MS), &self->seen);
    log_info("charge_left", "result=%s", result == STORE_OK ? "ok" : "not_confirmed");
}

void
charge_keeper_destroy(charge_keeper_t **self)
{
    charge_keeper_t *keeper = *self;
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->must_end = true;
    pthread_cond_signal(&keeper->woken);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    leave(keeper);
    pthread_cond_destroy(&keeper->woken);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
    *self = NULL;
}
