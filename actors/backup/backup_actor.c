// backup_actor.c - answers what is asked of backups; a thread of its own makes them.
#include "actors/backup/backup_actor.h"

#include <stdlib.h>

#include "actors/backup/backup_keeper.h"
#include "proto/base/memory.h"
#include "proto/base/version.h"

struct backup_actor {
    actor_t base;
    backup_keeper_t *keeper;
    follower_t *follower; // or NULL
};

static backup_actor_t *
backup_actor_of(actor_t *actor)
{
    return (backup_actor_t *)(void *)actor;
}

static enum error
begin(actor_t *actor, struct message *message)
{
    const frozen_t *backup;
    TRY(backup_keeper_begin(backup_actor_of(actor)->keeper, &backup));
    reply_add(message, backup);
    record_unref(&backup);
    return OK;
}

static enum error
list(actor_t *actor, struct message *message)
{
    return backup_keeper_list(backup_actor_of(actor)->keeper, message,
                              (size_t)message->params->num_records);
}

static enum error
promote(actor_t *actor, struct message *message)
{
    (void)message;
    return follower_promote(backup_actor_of(actor)->follower);
}

static void
finish(actor_t *actor)
{
    backup_keeper_destroy(&backup_actor_of(actor)->keeper);
}

// It reads folders, which may be on a slow disk: only who asks for them waits.
static const struct actor_behaviour behaviour = {
    .operations = {[BACKUP_CREATE] = {begin}, [BACKUP_LIST] = {list}, [PROMOTE] = {promote}},
    .close = finish,
    .may_be_slow = true,
};

fallible
backup_actor_create(const struct config *config, store_t *store, blobs_t *blobs,
                    log_shipper_t *shipper, follower_t *follower, uint64_t epoch,
                    backup_actor_t **ret_actor)
{
    enum { RESERVES_KEPT = 2 }; // as uploads: a backup must not make records read-only
    backup_actor_t *self = memory_take_zeroed(sizeof *self);
    self->follower = follower;
    const struct backup_keeper_settings settings = {
        .data_dir = config->data_dir,
        .dir = config->backup_dir,
        .every_s = (uint64_t)config->backup_every_s,
        .keep = (size_t)config->backup_keep,
        .reserve = (uint64_t)config->store_reserve * RESERVES_KEPT,
        .version = version_text(),
        .epoch = epoch,
        .store = store,
        .blobs = blobs,
        .shipper = shipper,
    };
    enum error error = backup_keeper_create(&settings, &self->keeper);
    if (error != OK) {
        free(self);
        return error;
    }
    TRY(actor_create(&self->base, &behaviour, actor_mailbox(BACKUP_ACTOR)));
    *ret_actor = self;
    return OK;
}

void
backup_actor_destroy(backup_actor_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
