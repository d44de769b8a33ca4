// lane.c - the chain of a marker's versions, and what became of a commit (lane.h).
#include "actors/runtime/lane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "store/key.h"

enum {
    CALL_MS = 5000,
    PAUSE_MS = 50,       // between two attempts; twice that before each further one,
    PAUSE_MOST_MS = 1000 // up to this
};

// The value of a marker that decided about a commit: what it says, and of which. One of a batch is
// empty.
enum { VERDICT_SIZE = 9 };

struct verdict {
    unsigned char bytes[VERDICT_SIZE];
};

static struct verdict
verdict_of(bool is_written, store_version_t id)
{
    struct verdict verdict = {.bytes = {is_written ? 'Y' : 'N'}};
    key_put_u64(verdict.bytes + 1, id);
    return verdict;
}

// A marker as it was read.
struct marker {
    store_version_t version;
    struct verdict verdict; // all 0 = none
};

static enum store_result
read_marker(const struct lane *self, const struct store_address *place, struct marker *ret_marker)
{
    void *value = NULL;
    size_t size = 0;
    struct marker marker = {0};
    enum store_result result =
        store_get(self->store, place, clock_deadline_ms(CALL_MS), &marker.version, &value, &size);
    if (result == STORE_OK && size == VERDICT_SIZE)
        memcpy(marker.verdict.bytes, value, VERDICT_SIZE);
    free(value);
    if (result == STORE_OK || result == STORE_ABSENT)
        *ret_marker = marker;
    return result == STORE_ABSENT ? STORE_OK : result;
}

static bool
is_same(struct verdict a, struct verdict b)
{
    return memcmp(a.bytes, b.bytes, VERDICT_SIZE) == 0;
}

static void
pause(unsigned attempt)
{
    long most_ms = attempt < 5 ? (long)PAUSE_MS << attempt : PAUSE_MOST_MS;
    long ms = most_ms < PAUSE_MOST_MS ? most_ms : PAUSE_MOST_MS;
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

// --- a commit in doubt ---

struct doubt {
    struct lane *lane;
    const struct store_address *marker;
    store_version_t id;    // of the commit
    store_version_t guard; // what the marker is believed to have
    bool is_written;       // what that would mean
};

// Takes the marker's place: nothing that guards what was there can be written after it, and in a
// database with a standby all before it is there too.
static enum store_result
put_verdict(struct doubt *self)
{
    struct verdict verdict = verdict_of(self->is_written, self->id);
    const struct store_guard guard = {*self->marker, self->guard};
    const struct store_operation put = {.address = *self->marker,
                                        .value = {verdict.bytes, VERDICT_SIZE}};
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = &guard,
                                        .guard_count = 1,
                                        .operations = &put,
                                        .operation_count = 1,
                                        .is_fenced = true,
                                        .is_vital = true};
    enum store_result result = store_commit(self->lane->store, &commit, clock_deadline_ms(CALL_MS));
    if (result == STORE_OK)
        self->lane->last = commit.id;
    return result;
}

// The marker was not as believed: what it is says what became of the commit, or of an earlier
// attempt to decide that nobody answered. It is told only once a put with that guard is durable.
static void
look_again(struct doubt *self)
{
    struct marker found;
    if (read_marker(self->lane, self->marker, &found) != STORE_OK)
        return;
    bool is_commit = found.version == self->id;
    bool is_yes = is_same(found.verdict, verdict_of(true, self->id));
    bool is_no = is_same(found.verdict, verdict_of(false, self->id));
    self->lane->is_lost = !is_commit && !is_yes && !is_no && found.version != self->lane->last;
    self->guard = found.version;
    self->is_written = is_commit || is_yes;
}

static enum store_result
decide(struct lane *self, const struct store_address *marker, store_version_t id)
{
    struct doubt doubt = {.lane = self, .marker = marker, .id = id, .guard = self->last};
    uint64_t begin_ms = clock_now_ms();
    enum store_result result;
    log_warning("commit_in_doubt", "actor=%s", self->name);
    for (unsigned attempt = 0; (result = put_verdict(&doubt)) != STORE_OK; attempt++) {
        if (result == STORE_CONFLICT)
            look_again(&doubt);
        if (self->is_lost)
            return STORE_CONFLICT;
        pause(attempt);
    }
    log_info("commit_decided", "actor=%s written=%s ms=%" PRIu64, self->name,
             doubt.is_written ? "yes" : "no", clock_now_ms() - begin_ms);
    return doubt.is_written ? STORE_OK : STORE_UNAVAILABLE;
}

// A conflict is the place that was taken, or a test's plan of faults.
static enum store_result
settle_conflict(struct lane *self, const struct store_address *marker)
{
    struct marker found;
    for (unsigned attempt = 0; read_marker(self, marker, &found) != STORE_OK; attempt++)
        pause(attempt);
    self->is_lost = found.version != self->last;
    return STORE_CONFLICT;
}

enum store_result
lane_settle(struct lane *self, const struct store_address *marker, store_version_t id,
            enum store_result result)
{
    switch (result) {
    case STORE_OK:
        self->last = id;
        return result;
    case STORE_UNKNOWN:
        return decide(self, marker, id);
    case STORE_CONFLICT:
        return settle_conflict(self, marker);
    default:
        return result;
    }
}
