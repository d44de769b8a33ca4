// replica_start.c - see replica_start.h.
#include "actors/replica/replica_start.h"

#include "actors/replica/checkpoint_copy.h"
#include "proto/base/log.h"
#include "store/followed.h"
#include "store/store_open.h"

// Notes where a copy that was taken now is at.
static fallible
note_copy(const struct config *config, store_t *store, struct replica_place copied)
{
    const struct followed_place place = {FOLLOWED_NOW, copied};
    TRY(followed_place_write(store, &place));
    checkpoint_copy_done(config->data_dir);
    log_info("checkpoint_copied", "leader=%s position=%llu", config->follow,
             (unsigned long long)copied.position);
    return OK;
}

static fallible
check(const struct config *config, const struct followed_place *place)
{
    bool follows = config_follows(config);
    if (follows && place->state == FOLLOWED_NOT)
        return fail(ERR_UNAVAILABLE, "",
                    "%s has records of its own, which a follower would lose; give it another "
                    "data.dir",
                    config->data_dir);
    if (!follows && place->state == FOLLOWED_NOW)
        return fail(ERR_UNAVAILABLE, "",
                    "%s is a copy of another server; start it with follow=…, and promote it where "
                    "it shall lead",
                    config->data_dir);
    return OK;
}

fallible
replica_open(struct config *config, bool (*must_end)(void),
             const struct store_preparation *preparation, store_t **ret_store,
             struct followed_place *ret_place)
{
    struct replica_place copied = {0};
    if (config_follows(config))
        TRY(checkpoint_copy(config, must_end, &copied));
    TRY(store_open(config, ret_store));
    TRY(preparation->run(preparation->context, *ret_store));
    if (copied.epoch)
        TRY(note_copy(config, *ret_store, copied));
    TRY(followed_place_read(*ret_store, ret_place));
    TRY(check(config, ret_place));
    if (config_follows(config) && ret_place->state == FOLLOWED_ONCE) {
        log_warning("follow_ignored", "leader=%s reason=promoted", config->follow);
        config->follow = "";
    }
    if (config_follows(config))
        followed_wrap(ret_store, ret_store);
    return OK;
}
