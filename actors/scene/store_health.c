// store_health.c - whether the store takes this shard's writes: what its last commit said. /readyz
// sends PING, which never waits for the disk. Where the last result is old, the next turn commits
// the marker alone, and the next PING is answered with the result of that.

#include "actors/scene/store_health.h"

#include "actors/scene/scene_shard.h"
#include "proto/base/clock.h"

enum {
    GOOD_FOR_MS = 10000, // how long a good result counts
    BAD_FOR_MS = 1000,   // and a bad one
};

bool
store_health_is_good(const struct shard *self)
{
    return self->health.result == STORE_OK;
}

// Conflicts and limits are about one commit; the others are about the store.
void
store_health_note(struct shard *self, enum store_result result)
{
    bool is_ill = result == STORE_FULL || result == STORE_UNAVAILABLE || result == STORE_BAD;
    self->health.result = is_ill ? result : STORE_OK;
    self->health.noted_ms = clock_now_ms();
}

bool
store_health_wants_commit(struct shard *self)
{
    bool is_doubted = self->health.is_doubted && !self->base.stopping;
    self->health.is_doubted = false;
    return is_doubted;
}

enum error
store_health_ping(actor_t *actor, struct message *message)
{
    (void)message;
    struct shard *self = shard_of(actor);
    bool is_good = store_health_is_good(self);
    uint64_t age_ms = clock_now_ms() - self->health.noted_ms;
    if (!self->settings.requests.follows && age_ms >= (is_good ? GOOD_FOR_MS : BAD_FOR_MS))
        self->health.is_doubted = true;
    if (is_good)
        return OK;
    error_ignore(store_error(self->health.result), "only its words are wanted");
    return fail(ERR_UNAVAILABLE, "", "writes are refused, reads go on: %s", fault_last()->detail);
}
