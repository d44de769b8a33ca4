// charge_take.c - looks at the charge until it can be taken (charge_take.h).
#include "actors/standby/charge_take.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actors/standby/charge_place.h"
#include "actors/standby/suspicion.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"

enum {
    LOOK_MS = 200, // between two looks
    CALL_MS = 2000,
};

struct wait {
    const struct charge_taking *taking;
    struct charge own;
    struct seen_charge found;
    struct suspicion suspicion;
    bool was_held; // somebody had the charge before, so somebody may
    bool is_told;
};

// Where people find this server: all addresses of a machine are of one name.
static void
put_name(const struct config *config, struct charge *charge)
{
    char machine[65] = "";
    const char *host = config->http_host;
    if (config_is_wildcard(host) && gethostname(machine, sizeof machine - 1) == 0 && machine[0])
        host = machine;
    snprintf(charge->name, sizeof charge->name, "%.64s:%d", host, (int)config->http_port);
}

static void
name_oneself(const struct config *config, struct charge *ret_charge)
{
    *ret_charge = (struct charge){.state = CHARGE_HELD, .process = store_version_new()};
    charge_place(config->data_dir, ret_charge->place);
    put_name(config, ret_charge);
}

// Why the place may be taken; NULL = it may not. Of an attempt of its own that nobody answered it
// is to be taken again: what was read may not be on a standby of the database yet. A charge that is
// gone was removed by hand: whoever had it answers until its next beat, or its lease ends.
static const char *
reason_to_take(const struct wait *self, uint64_t now_ms)
{
    const struct charge *found = &self->found.charge;
    if (found->state == CHARGE_FREE && self->found.version)
        return "left";
    if (found->state == CHARGE_FREE && !self->was_held)
        return "first";
    if (found->process == self->own.process)
        return "own";
    if (found->place[0] && strcmp(found->place, self->own.place) == 0)
        return "gone";
    if (!suspicion_is_sure(&self->suspicion, now_ms))
        return NULL;
    return self->found.version ? "silent" : "removed";
}

// The lease counts from before the beat was sent.
static bool
try_take(struct wait *self, const char *reason)
{
    uint64_t sent_ms = clock_boot_ms();
    char before[CHARGE_TEXT_SIZE];
    snprintf(before, sizeof before, "%s", self->found.charge.name);
    if (charge_seize(self->taking->store, &self->own, clock_deadline_ms(CALL_MS), &self->found) !=
        STORE_OK)
        return false;
    lease_extend(sent_ms + LEASE_MS);
    log_info("charge_taken", "reason=%s before=%s silent_ms=%" PRIu64, reason, before,
             sent_ms - self->suspicion.since_ms);
    counter_add(COUNT_TAKEOVERS, 1);
    return true;
}

// Whoever took charge once has left the fence.
static enum store_result
find_fence(struct wait *self)
{
    const struct store_address place = fence_place();
    store_version_t version;
    void *value = NULL;
    size_t size;
    enum store_result result =
        store_get(self->taking->store, &place, clock_deadline_ms(CALL_MS), &version, &value, &size);
    free(value);
    self->was_held = result == STORE_OK;
    return result == STORE_ABSENT ? STORE_OK : result;
}

static enum store_result
read_charge(struct wait *self)
{
    enum store_result result =
        charge_read(self->taking->store, clock_deadline_ms(CALL_MS), &self->found);
    self->was_held |= result == STORE_OK && self->found.version;
    return result == STORE_OK && !self->was_held ? find_fence(self) : result;
}

static fallible
look(struct wait *self, bool *ret_is_taken)
{
    uint64_t began_ms = clock_boot_ms();
    enum store_result result = read_charge(self);
    uint64_t ended_ms = clock_boot_ms();
    if (result == STORE_BAD)
        return fail(
            ERR_UNAVAILABLE, "",
            "the record of who is in charge of the database of store.uri cannot be read: it is of "
            "a newer version, or damaged");
    suspicion_look(&self->suspicion, result == STORE_OK, self->found.version, began_ms, ended_ms);
    const char *reason = result == STORE_OK ? reason_to_take(self, ended_ms) : NULL;
    *ret_is_taken = reason && try_take(self, reason);
    return OK;
}

static fallible
stand_by(struct wait *self)
{
    if (!self->is_told)
        log_info("standing_by", "in_charge=%s", self->found.charge.name);
    self->is_told = true;
    TRY(self->taking->stands_by(self->taking->context, self->found.charge.name));
    nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    return OK;
}

fallible
charge_take(const struct charge_taking *taking, struct seen_charge *ret_seen)
{
    struct wait self = {.taking = taking};
    bool is_taken = false;
    name_oneself(taking->config, &self.own);
    for (;;) {
        TRY(look(&self, &is_taken));
        if (is_taken)
            break;
        TRY(stand_by(&self));
    }
    fence_set(taking->store, self.found.version);
    *ret_seen = self.found;
    return OK;
}
