// fence.c - adds a guard to what has none of its own (fence.h).
#include "store/fence.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/lease.h"

static const unsigned char fence_key[] = {KEY_CHARGE_FENCE};

struct store_address
fence_place(void)
{
    return (struct store_address){FAMILY_STREAMER, 0, {fence_key, sizeof fence_key}};
}

void
fence_set(store_t *self, store_version_t version)
{
    self->fence = version;
}

// Whether another process has taken charge. What cannot be read is as if nobody had: the guard of
// the next commit finds out.
static bool
is_taken(store_t *self, uint64_t deadline_ms)
{
    const struct store_address place = fence_place();
    store_version_t version = 0;
    void *value = NULL;
    size_t size;
    enum store_result result =
        self->engine->get(self, &place, deadline_ms, &version, &value, &size);
    free(value);
    return (result == STORE_OK || result == STORE_ABSENT) && version != self->fence;
}

void
fence_lose(void)
{
    if (lease_lose())
        log_error("fenced", "detail=%s",
                  "another server has taken the database over: nothing is written any more");
}

enum store_result
fence_commit(store_t *self, const struct store_commit *commit, uint64_t deadline_ms)
{
    struct store_guard *guards = memory_take((commit->guard_count + 1) * sizeof *guards);
    struct store_commit fenced = *commit;
    if (commit->guard_count)
        memcpy(guards, commit->guards, commit->guard_count * sizeof *guards);
    guards[fenced.guard_count++] = (struct store_guard){fence_place(), self->fence};
    fenced.guards = guards;
    fenced.is_fenced = true;
    enum store_result result = self->engine->commit(self, &fenced, deadline_ms);
    free(guards);
    if (result != STORE_CONFLICT || !is_taken(self, deadline_ms))
        return result;
    fence_lose();
    return STORE_UNAVAILABLE;
}

bool
fence_is_own(enum family family, uint16_t part, struct bytes key)
{
    const unsigned char tag = key.size ? *(const unsigned char *)key.data : 0;
    bool is_marker = part == COMMIT_PART && tag == KEY_COMMIT && key.size == 1 + sizeof(uint64_t);
    bool is_streamers = family == FAMILY_STREAMER && part == 0 && key.size == 1;
    return is_marker ||
           (is_streamers && (tag == KEY_CHARGE || tag == KEY_CHARGE_FENCE || tag == KEY_BLOBS));
}
