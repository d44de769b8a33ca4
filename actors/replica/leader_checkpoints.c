// leader_checkpoints.c - see leader_checkpoints.h.
#include "actors/replica/leader_checkpoints.h"

#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/replica/checkpoint_make.h"
#include "actors/replica/file_chunk.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/backup_file.h"
#include "store/reserve.h"

enum {
    CHECKPOINTS = 2,
    UNUSED_MS = 600000, // without a request of it
    LEFT_MS =
        5000, // the same, where another follower needs its place: who copies asks all the time
    RESERVES_KEPT = 2, // they must not make records read-only
};

enum state { MAKING, READY, FAILED };

struct checkpoint {
    leader_checkpoints_t *all;
    uint64_t id; // 0 = the place is free
    char path[BACKUP_PATH_SIZE];
    pthread_t maker;
    bool has_maker;    // it is to be joined
    unsigned users;    // who began or joined it, and did not end it
    bool is_read;      // a file was asked for
    uint64_t asked_ms; // when anything of it was asked for last
    // Of the maker until `state` is another one.
    uint64_t position;
    struct buffer files;
    struct fault fault;
    _Atomic int state;
};

struct leader_checkpoints {
    const struct config *config;
    store_t *store;
    blobs_t *blobs;
    uint64_t epoch;
    char path[BACKUP_PATH_SIZE];
    struct checkpoint places[CHECKPOINTS];
};

// --- making ---

static void *
make(void *argument)
{
    struct checkpoint *self = argument;
    leader_checkpoints_t *all = self->all;
    enum error error = checkpoint_make(all->store, all->config->data_dir, self->path,
                                       &self->position, &self->files);
    if (error != OK)
        fault_take(error, &self->fault);
    atomic_store(&self->state, error == OK ? READY : FAILED);
    return NULL;
}

static void
join(struct checkpoint *self)
{
    if (self->has_maker)
        pthread_join(self->maker, NULL);
    self->has_maker = false;
}

static void
drop(struct checkpoint *self)
{
    join(self);
    backup_tree_remove(self->path);
    blobs_release(self->all->blobs);
    buffer_finish(&self->files);
    log_info("replica_checkpoint_removed", "id=%016llx", (unsigned long long)self->id);
    *self = (struct checkpoint){.all = self->all};
}

static fallible
begin(struct checkpoint *self)
{
    char name[17];
    while (self->id == 0)
        randombytes_buf(&self->id, sizeof self->id);
    snprintf(name, sizeof name, "%016llx", (unsigned long long)self->id);
    enum error error = backup_path(self->all->path, name, self->path);
    self->asked_ms = clock_now_ms();
    self->users = 1;
    atomic_store(&self->state, MAKING);
    blobs_hold(self->all->blobs);
    self->has_maker = error == OK && pthread_create(&self->maker, NULL, make, self) == 0;
    if (self->has_maker)
        return OK;
    drop(self);
    return fail(ERR_UNAVAILABLE, "", "the leader has no thread for a checkpoint");
}

// --- finding ---

static struct checkpoint *
find(leader_checkpoints_t *self, uint64_t id)
{
    for (size_t i = 0; id && i < CHECKPOINTS; i++)
        if (self->places[i].id == id) {
            self->places[i].asked_ms = clock_now_ms();
            return &self->places[i];
        }
    return NULL;
}

static fallible
absent(void)
{
    return fail(ERR_NOT_FOUND, "", "the leader has no such checkpoint any more");
}

static struct checkpoint *
joinable(leader_checkpoints_t *self)
{
    for (size_t i = 0; i < CHECKPOINTS; i++) {
        struct checkpoint *place = &self->places[i];
        if (place->id && !place->is_read && atomic_load(&place->state) != FAILED)
            return place;
    }
    return NULL;
}

static bool
is_left(const struct checkpoint *place, uint64_t now_ms, uint64_t for_ms)
{
    return place->id && atomic_load(&place->state) != MAKING && now_ms - place->asked_ms >= for_ms;
}

// That of a follower that was killed while it copied is freed for the next one.
static struct checkpoint *
free_place(leader_checkpoints_t *self)
{
    for (size_t i = 0; i < CHECKPOINTS; i++)
        if (!self->places[i].id)
            return &self->places[i];
    for (size_t i = 0; i < CHECKPOINTS; i++)
        if (is_left(&self->places[i], clock_now_ms(), LEFT_MS)) {
            drop(&self->places[i]);
            return &self->places[i];
        }
    return NULL;
}

fallible
leader_checkpoints_begin(leader_checkpoints_t *self, uint64_t *ret_id)
{
    uint64_t left, reserve = (uint64_t)self->config->store_reserve * RESERVES_KEPT;
    struct checkpoint *place = joinable(self);
    if (place) {
        place->users++;
        place->asked_ms = clock_now_ms();
        *ret_id = place->id;
        return OK;
    }
    if (reserve_measure(self->config->data_dir, &left) && left < reserve)
        return fail(ERR_STORAGE_FULL, "", "the leader's disk has no room for a checkpoint");
    place = free_place(self);
    if (!place)
        return fail(ERR_CONFLICT, "",
                    "the leader has two checkpoints for followers already; try again later");
    TRY(begin(place));
    *ret_id = place->id;
    return OK;
}

fallible
leader_checkpoints_take(leader_checkpoints_t *self, uint64_t id, bool *ret_is_ready,
                        struct replica_answer *answer, struct buffer *files)
{
    struct checkpoint *place = find(self, id);
    if (!place)
        return absent();
    int state = atomic_load(&place->state);
    *ret_is_ready = state == READY;
    if (state == MAKING)
        return OK;
    join(place);
    if (state == FAILED) {
        struct fault fault = place->fault;
        drop(place);
        return fail(ERR_UNAVAILABLE, "", "the leader could not make a checkpoint: %.180s",
                    fault.detail);
    }
    answer->checkpoint = id;
    answer->place = (struct replica_place){self->epoch, place->position};
    buffer_clear(files);
    buffer_put(files, place->files.data, place->files.size);
    return OK;
}

// --- reading ---

static bool
has_file(const struct checkpoint *self, const char *name)
{
    const unsigned char *at = (const unsigned char *)self->files.data;
    struct replica_file file;
    for (const unsigned char *end = at + self->files.size; replica_read_file(&at, end, &file);)
        if (strcmp(file.name, name) == 0)
            return true;
    return false;
}

fallible
leader_checkpoints_read(leader_checkpoints_t *self, uint64_t id, const char *name, uint64_t offset,
                        struct buffer *bytes, uint64_t *ret_size)
{
    char path[BACKUP_PATH_SIZE];
    struct checkpoint *place = find(self, id);
    if (!place || atomic_load(&place->state) != READY)
        return absent();
    if (!has_file(place, name))
        return fail(ERR_NOT_FOUND, "", "the checkpoint has no such file");
    place->is_read = true;
    TRY(backup_path(place->path, name, path));
    return file_chunk_read(path, offset, bytes, ret_size);
}

// --- the end ---

fallible
leader_checkpoints_end(leader_checkpoints_t *self, uint64_t id)
{
    struct checkpoint *place = find(self, id);
    if (!place || atomic_load(&place->state) != READY)
        return absent();
    if (--place->users == 0)
        drop(place);
    return OK;
}

void
leader_checkpoints_expire(leader_checkpoints_t *self, uint64_t now_ms)
{
    for (size_t i = 0; i < CHECKPOINTS; i++)
        if (is_left(&self->places[i], now_ms, UNUSED_MS))
            drop(&self->places[i]);
}

leader_checkpoints_t *
leader_checkpoints_create(const struct config *config, store_t *store, blobs_t *blobs,
                          uint64_t epoch)
{
    leader_checkpoints_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->store = store;
    self->blobs = blobs;
    self->epoch = epoch;
    for (size_t i = 0; i < CHECKPOINTS; i++)
        self->places[i].all = self;
    snprintf(self->path, sizeof self->path, "%s/replica", config->data_dir);
    backup_tree_remove(self->path);
    (void)mkdir(self->path, 0700); // where that fails, each checkpoint says so
    return self;
}

void
leader_checkpoints_destroy(leader_checkpoints_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < CHECKPOINTS; i++)
        if ((*self)->places[i].id)
            drop(&(*self)->places[i]);
    free(*self);
    *self = NULL;
}
