// device_release.c - a walk through the claims of one user who is gone (device_release.h).
#include "actors/user/device_release.h"

#include <stdlib.h>

#include "actors/repository/resource.h"
#include "actors/user/user_index.h"
#include "actors/user/user_state.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/records/user.h"

enum { RETRY_MS = 1000 };

// The work of a message. However that ends, another may begin.
struct release {
    struct parcel base;
    struct user_actor *actor;
    struct page_walk walk;
    bool is_done; // nothing of it is left, durably
};

static void
release_destroy(struct parcel *parcel)
{
    struct release *self = (struct release *)(void *)parcel;
    self->actor->is_releasing = false;
    self->actor->release_ms = self->is_done ? 0 : clock_deadline_ms(RETRY_MS);
    page_walk_finish(&self->walk);
    free(self);
}

static struct release *
release_of(const struct message *message)
{
    return (struct release *)(void *)message->work;
}

static void
begin(struct user_actor *actor, struct message *message)
{
    struct release *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = release_destroy;
    self->actor = actor;
    actor->is_releasing = true;
    message->work = &self->base;
}

void
device_release_stage(struct repository *repository, struct message *message,
                     const struct text *user)
{
    struct record *leaver = record_new(&message->arena, &leaver_schema);
    record_set_text(leaver, LEAVER_USER, user);
    repository_put(repository, LEAVERS, leaver, NULL);
}

static bool
is_due(struct user_actor *self)
{
    struct repository *repository = &self->repository;
    return !self->is_releasing && record_set_count(repository_records(repository, LEAVERS)) > 0 &&
           !repository->settings.requests.follows && !repository->base.stopping;
}

int
device_release_timeout_ms(struct user_actor *self)
{
    return is_due(self) ? clock_left_ms(self->release_ms) : -1;
}

void
device_release_turn(struct user_actor *self)
{
    struct repository *repository = &self->repository;
    size_t count;
    if (!is_due(self) || clock_left_ms(self->release_ms) > 0)
        return;
    const frozen_t *const *leavers =
        record_set_items(repository_records(repository, LEAVERS), &count);
    struct message *message = message_create(DEVICES_RELEASE);
    record_set_text(&message->params->base, PARAMS_USER,
                    text_copy(&message->arena, frozen_key(leavers[0])));
    actor_dispatch(&repository->base, message);
}

// Who is gone claims nothing more, and another user may have taken the key over.
static void
give_up(struct repository *repository, const struct text *user, const frozen_t *durable)
{
    const frozen_t *claim = repository_latest(repository, CLAIMS, frozen_key(durable));
    if (claim && text_equal(record_text(frozen_record(claim), CLAIM_USER), user))
        repository_delete(repository, CLAIMS, claim);
}

// Each page is durable before the next one is read.
static fallible
give_up_page(struct repository *repository, struct message *message, const struct page_walk *walk)
{
    TRY(page_walk_need(walk, repository, CLAIMS, message));
    TRY(repository_make_room(repository, message, room_for_removals(walk->page->count)));
    for (size_t i = 0; i < walk->page->count; i++)
        give_up(repository, message->params->user, walk->page->records[i]);
    return repository_answer_durable(repository, message);
}

enum error
device_release(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    if (!message->work)
        begin(user_actor_of(actor), message);
    struct page_walk *walk = &release_of(message)->walk;
    const struct text *user = message->params->user;
    const struct key prefix =
        index_prefix_of_text(index_row_with_id(claim_index, INDEX_CLAIM_USER), user);
    TRY(page_walk_resume(walk, repository, CLAIMS, &prefix, NULL, message));
    if (walk->page && walk->page->count > 0)
        return give_up_page(repository, message, walk);
    TRY(page_walk_go_on(walk, repository, message));
    TRY(repository_make_room(repository, message, room_for_removals(1)));
    const frozen_t *leaver = repository_latest(repository, LEAVERS, user);
    if (leaver)
        repository_delete(repository, LEAVERS, leaver);
    return repository_answer_durable(repository, message);
}

bool
device_release_goes_on(struct message *message)
{
    struct release *self = release_of(message);
    page_walk_pass(&self->walk); // that is durable
    self->is_done = self->walk.is_over;
    return !self->is_done;
}
