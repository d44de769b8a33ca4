// blob_transfer.c - see blob_transfer.h.
#include "store/blob_transfer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/memory.h"

struct blob_transfer {
    struct blob_hash hash;
    enum blob_transfer_kind kind;
    unsigned waiters; // for its result; the last one frees it
    bool is_done;
    int file;           // what they get a duplicate of, or -1
    struct fault fault; // its failure, or of error OK
    struct blob_transfer *next;
};

void
blob_transfers_init(struct blob_transfers *self, uint64_t patience_ms)
{
    *self = (struct blob_transfers){.patience_ms = patience_ms};
    pthread_cond_init(&self->moved, NULL);
}

void
blob_transfers_finish(struct blob_transfers *self)
{
    assert(!self->first);
    pthread_cond_destroy(&self->moved);
}

static struct blob_transfer *
find(const struct blob_transfers *self, const struct blob_hash *hash)
{
    struct blob_transfer *other = self->first;
    while (other && blob_hash_compare(&other->hash, hash) != 0)
        other = other->next;
    return other;
}

static struct blob_transfer *
transfer_new(struct blob_transfers *self, const struct blob_hash *hash,
             enum blob_transfer_kind kind)
{
    struct blob_transfer *transfer = memory_take_zeroed(sizeof *transfer);
    transfer->hash = *hash;
    transfer->kind = kind;
    transfer->file = -1;
    transfer->next = self->first;
    self->first = transfer;
    return transfer;
}

static void
transfer_free(struct blob_transfer *self)
{
    if (self->file >= 0)
        close(self->file);
    free(self);
}

static fallible
took_too_long(void)
{
    return fail(ERR_UNAVAILABLE, "",
                "the bytes of this asset are on their way from or to the database for too long");
}

static fallible
duplicate(int file, int *ret_file)
{
    *ret_file = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return *ret_file >= 0 ? OK
                          : fail(ERR_UNAVAILABLE, "",
                                 "the bytes of this asset cannot be opened: %s", strerror(errno));
}

static fallible
result_of(const struct blob_transfer *self, int *ret_file)
{
    if (self->fault.error != OK)
        return fault_note_again(&self->fault);
    return self->kind == BLOB_FETCH ? duplicate(self->file, ret_file) : OK;
}

static fallible
share(struct blob_transfers *transfers, pthread_mutex_t *lock, struct blob_transfer *self,
      uint64_t deadline_ms, int *ret_file)
{
    bool is_in_time = true;
    self->waiters++;
    while (!self->is_done && is_in_time)
        is_in_time = condition_await(&transfers->moved, lock, deadline_ms);
    enum error error = self->is_done ? result_of(self, ret_file) : took_too_long();
    if (--self->waiters == 0 && self->is_done)
        transfer_free(self);
    return error;
}

fallible
blob_transfer_begin(struct blob_transfers *self, pthread_mutex_t *lock,
                    const struct blob_hash *hash, enum blob_transfer_kind kind,
                    struct blob_transfer **ret_mine, int *ret_file)
{
    uint64_t deadline_ms = clock_deadline_ms(self->patience_ms);
    struct blob_transfer *other;
    *ret_mine = NULL;
    while ((other = find(self, hash)) && other->kind != kind)
        if (!condition_await(&self->moved, lock, deadline_ms))
            return took_too_long();
    if (other)
        return share(self, lock, other, deadline_ms, ret_file);
    *ret_mine = transfer_new(self, hash, kind);
    return OK;
}

static void
leave(struct blob_transfers *self, const struct blob_transfer *transfer)
{
    struct blob_transfer **at = &self->first;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
}

void
blob_transfer_end(struct blob_transfers *self, struct blob_transfer *transfer, enum error error,
                  int file)
{
    leave(self, transfer);
    pthread_cond_broadcast(&self->moved);
    if (!transfer->waiters) {
        transfer_free(transfer);
        return;
    }
    transfer->is_done = true;
    if (error != OK) {
        fault_take(error, &transfer->fault);
        fault_note_again(&transfer->fault); // the caller passes it up too
    } else if (file >= 0) {
        transfer->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
    }
}
