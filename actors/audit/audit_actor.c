// audit_actor.c - searches in the audit log, in turn, so that no search waits for a longer one to
// end.
#include "actors/audit/audit_actor.h"

#include <stdio.h>
#include <stdlib.h>

#include "actors/audit/audit_search.h"
#include "actors/audit/audit_writer.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"

enum { SEARCHES = 8 };

struct audit_actor {
    actor_t base;
    audit_writer_t *writer;
    char folder[AUDIT_PATH_SIZE];
    audit_search_t *searches[SEARCHES]; // NULL = a free place
    unsigned turn;
};

static audit_actor_t *
audit_actor_of(actor_t *actor)
{
    return (audit_actor_t *)(void *)actor;
}

static enum error
list_lines(actor_t *actor, struct message *message)
{
    audit_actor_t *self = audit_actor_of(actor);
    for (unsigned i = 0; i < SEARCHES; i++)
        if (!self->searches[i]) {
            TRY(audit_search_create(self->folder, audit_writer_written(self->writer), &message,
                                    &self->searches[i]));
            return PARKED;
        }
    return fail(ERR_UNAVAILABLE, "", "%d others look through the audit log", SEARCHES);
}

static void
answer(audit_actor_t *self, unsigned place, enum error error)
{
    struct message *message = audit_search_take(self->searches[place]);
    actor_answer(&self->base, &message, error);
    audit_search_destroy(&self->searches[place]);
}

// A slice of one search. Whoever asked does not wait beyond the deadline.
static void
look_on(actor_t *actor)
{
    audit_actor_t *self = audit_actor_of(actor);
    for (unsigned i = 0; i < SEARCHES; i++) {
        unsigned place = self->turn++ % SEARCHES;
        audit_search_t *search = self->searches[place];
        if (!search)
            continue;
        if (audit_search_continue(search))
            answer(self, place, OK);
        else if (audit_search_is_late(search))
            answer(self, place, fail(ERR_UNAVAILABLE, "", "the search took too long"));
        return;
    }
}

static int
timeout_ms(actor_t *actor)
{
    const audit_actor_t *self = audit_actor_of(actor);
    for (unsigned i = 0; i < SEARCHES; i++)
        if (self->searches[i])
            return 0;
    return -1;
}

static void
finish(actor_t *actor)
{
    audit_actor_t *self = audit_actor_of(actor);
    for (unsigned i = 0; i < SEARCHES; i++)
        audit_search_destroy(&self->searches[i]);
    audit_writer_destroy(&self->writer);
}

static const struct actor_behaviour behaviour = {
    .operations = {[AUDIT_LIST] = {list_lines}, [AUDIT_EXPORT] = {list_lines}},
    .drained = look_on,
    .timeout_ms = timeout_ms,
    .close = finish,
};

fallible
audit_actor_create(const struct config *config, audit_actor_t **ret_actor)
{
    audit_actor_t *self = memory_take_zeroed(sizeof *self);
    snprintf(self->folder, sizeof self->folder, "%s/audit", config->data_dir);
    const struct audit_writer_settings settings = {
        .log = {.folder = self->folder,
                .size = (uint64_t)config->audit_size,
                .days = (uint64_t)config->audit_days},
        .is_each = config->audit_writes,
    };
    enum error error = audit_writer_create(&settings, &self->writer);
    if (error != OK) {
        free(self);
        return error;
    }
    TRY(actor_create(&self->base, &behaviour, actor_mailbox(AUDIT_ACTOR)));
    *ret_actor = self;
    return OK;
}

void
audit_actor_destroy(audit_actor_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
