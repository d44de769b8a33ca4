// entity_apart.c - a table of the entities that are read apart, each with those who hold it
// (entity_apart.h).
#include "actors/scene/entity_apart.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/runtime/page_reader.h"
#include "actors/scene/entity_pages.h"
#include "actors/scene/lease_states.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

struct apart {
    struct shard *shard; // NULL: the table is gone
    unsigned holds;
    struct scene_state *scene; // held
    const struct entity_kind *kind;
    const struct text *key; // owned
    bool is_asked;          // it is being read, or was
    bool is_known;          // read, or heard of by a commit
    enum store_result result;
    const frozen_t *entity;       // one reference; NULL = there is none
    struct message_queue waiting; // behind the message that its page has
};

// The work of a message that holds one.
struct hold {
    struct parcel base;
    struct apart *apart;
};

struct wanted {
    const struct scene_state *scene;
    const struct entity_kind *kind;
    const struct text *key;
};

static bool
is_wanted(const void *value, const void *key)
{
    const struct apart *apart = value;
    const struct wanted *wanted = key;
    return apart->scene == wanted->scene && apart->kind == wanted->kind &&
           text_equal(apart->key, wanted->key);
}

static struct apart *
find(const struct shard *self, const struct wanted *wanted)
{
    return table_find(&self->apart, table_hash_text(wanted->key), is_wanted, wanted);
}

static struct apart *
apart_create(struct shard *self, struct scene_state *scene, const struct entity_kind *kind,
             const struct text *key)
{
    struct apart *apart = memory_take_zeroed(sizeof *apart);
    apart->shard = self;
    apart->scene = scene;
    scene_hold(scene);
    apart->kind = kind;
    apart->key = text_duplicate(key);
    table_add(&self->apart, table_hash_text(key), apart);
    return apart;
}

static void
apart_release(struct apart *apart)
{
    if (--apart->holds > 0)
        return;
    if (apart->shard)
        table_remove(&apart->shard->apart, table_hash_text(apart->key), apart);
    record_unref(&apart->entity);
    scene_release(&apart->scene);
    free((void *)(uintptr_t)apart->key);
    free(apart);
}

// --- who holds it ---

static void
hold_release(struct parcel *parcel)
{
    struct hold *hold = (struct hold *)(void *)parcel;
    apart_release(hold->apart);
    free(hold);
}

static struct apart *
held_by(const struct message *message)
{
    bool is_hold = message->work && message->work->destroy == hold_release;
    return is_hold ? ((struct hold *)(void *)message->work)->apart : NULL;
}

static void
hold(struct message *message, struct apart *apart)
{
    struct hold *hold = memory_take_zeroed(sizeof *hold);
    assert(!message->work || held_by(message)); // else that work would be lost
    apart->holds++;
    hold->base.destroy = hold_release;
    hold->apart = apart;
    if (held_by(message))
        message_end_work(message);
    message->work = &hold->base;
}

struct scene_state *
entity_apart_scene(const struct message *message, const struct entity_kind *kind,
                   const struct text *key)
{
    const struct apart *apart = held_by(message);
    return apart && apart->kind == kind && text_equal(apart->key, key) ? apart->scene : NULL;
}

// --- reading ---

static fallible
ask(struct shard *self, struct apart *apart, struct message *message)
{
    struct record_page *page = entity_page_of_one(apart->scene, apart->kind, apart->key);
    page->asker = message;
    enum error error = page_reader_ask(self->base.mailbox, self->loader_name, &page);
    if (error == OK) {
        apart->is_asked = true;
        apart->scene->read_apart++;
        return PARKED;
    }
    page->asker = NULL;
    record_page_destroy(&page);
    return error;
}

static struct apart *
open_for(struct shard *self, struct scene_state *scene, const struct entity_kind *kind,
         const struct text *key, struct message *message)
{
    struct apart *apart = find(self, &(struct wanted){scene, kind, key});
    if (!apart)
        apart = apart_create(self, scene, kind, key);
    if (held_by(message) != apart)
        hold(message, apart);
    return apart;
}

void
entity_apart_expect(struct shard *self, struct scene_state *scene, const struct entity_kind *kind,
                    const struct text *key, struct message *message)
{
    open_for(self, scene, kind, key, message);
}

fallible
entity_apart_fetch(struct shard *self, struct scene_state *scene, const struct entity_kind *kind,
                   const struct text *key, struct message *message, const frozen_t **ret_entity)
{
    struct apart *apart = open_for(self, scene, kind, key, message);
    if (!apart->is_known && !apart->is_asked)
        return ask(self, apart, message);
    if (!apart->is_known) {
        message_queue_push(&apart->waiting, &message);
        return PARKED;
    }
    if (apart->result != STORE_OK)
        return fail(store_error(apart->result), "", "what is in the scene cannot be read");
    *ret_entity = apart->entity;
    return OK;
}

// Nothing newer than what was read is durable, and nothing that is not durable is visible: the
// index of leases may follow it.
static void
know(struct shard *self, struct apart *apart, const struct record_page *page)
{
    apart->is_known = true;
    apart->result = page->result;
    if (page->result == STORE_OK && page->count > 0)
        apart->entity = lease_states_shown(self, apart->scene, page->records[0]);
}

bool
entity_apart_read(struct shard *self, struct message *answer)
{
    struct record_page *page = record_page_of(answer);
    struct message *message = page->asker;
    struct apart *apart = held_by(message);
    if (!apart)
        return false;
    page->asker = NULL;
    if (!apart->is_known) // else a commit was newer
        know(self, apart, page);
    message_destroy(&answer);
    struct message_queue waiting = apart->waiting;
    apart->waiting = (struct message_queue){0};
    do
        actor_go_on(&self->base, message);
    while ((message = message_queue_pop(&waiting)) != NULL);
    return true;
}

void
entity_apart_follow(struct shard *self, const struct scene_state *scene,
                    const struct entity_kind *kind, const struct text *key, const frozen_t *now)
{
    struct apart *apart = self->apart.count ? find(self, &(struct wanted){scene, kind, key}) : NULL;
    if (!apart)
        return;
    record_unref(&apart->entity);
    apart->entity = now ? record_ref(now) : NULL;
    apart->is_known = true;
    apart->result = STORE_OK;
}

// --- the end ---

void
entities_apart_finish(struct shard *self)
{
    struct apart *apart;
    struct message *message;
    for (size_t cursor = 0; (apart = table_next(&self->apart, &cursor)) != NULL;) {
        apart->shard = NULL;
        apart->holds++; // those who wait hold it
        while ((message = message_queue_pop(&apart->waiting)) != NULL)
            message_destroy(&message);
        apart_release(apart);
    }
    table_finish(&self->apart);
}
