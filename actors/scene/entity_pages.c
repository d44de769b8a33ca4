// entity_pages.c - asks the loaders for pages, and takes them (entity_pages.h).
#include "actors/scene/entity_pages.h"

#include <stdlib.h>

#include "actors/runtime/page_reader.h"
#include "actors/scene/lease_states.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

enum {
    WATCHED_COST = 64,     // so many comparisons cost more than a look at the clock
    PAGE_BYTES = 256 << 10 // of stored records, and one more
};

static const struct index_kind readable[ENTITY_KIND_COUNT] = {
    [OBJECTS] = {KEY_OBJECT, &object_schema, NULL},
    [PROPERTIES] = {KEY_PROPERTY, &property_schema, NULL},
};
static const struct index_family family = {.family = FAMILY_SCENE};

static void
release(struct parcel *parcel)
{
    struct entity_pages *self = (struct entity_pages *)(void *)parcel;
    record_page_destroy(&self->page);
    record_unref(&self->shown);
    scene_release(&self->scene);
    free(self);
}

static struct record_page *
page_of(const struct scene_state *scene, const struct entity_kind *kind)
{
    struct record_page *page = record_page_of_kind(&family, &readable[kind->place], scene->part);
    page->low = key_of_scene_id(kind->tag, scene->id);
    page->high = key_after(&page->low);
    page->most_bytes = PAGE_BYTES;
    return page;
}

static void
narrow(struct record_page *page, const struct scene_state *scene, const struct text *key)
{
    page->low = key_in_scene(page->kind->tag, scene->id, key);
    page->high = key_next(&page->low);
}

struct record_page *
entity_page_of_one(const struct scene_state *scene, const struct entity_kind *kind,
                   const struct text *key)
{
    struct record_page *page = page_of(scene, kind);
    narrow(page, scene, key);
    return page;
}

struct entity_pages *
entity_pages_begin(struct message *message, struct scene_state *scene,
                   const struct entity_kind *kind, size_t size)
{
    struct entity_pages *self = memory_take_zeroed(size);
    self->base.destroy = release;
    scene_hold(scene);
    self->scene = scene;
    self->page = page_of(scene, kind);
    message->work = &self->base;
    return self;
}

void
entity_pages_begin_behind(struct entity_pages *self, const struct text *key)
{
    const struct key last = key_in_scene(self->page->kind->tag, self->scene->id, key);
    self->page->low = key_next(&last);
}

void
entity_pages_begin_one(struct entity_pages *self, const struct text *key)
{
    narrow(self->page, self->scene, key);
}

struct entity_pages *
entity_pages_of(const struct message *message)
{
    bool is_of_pages = message->work && message->work->destroy == release;
    return is_of_pages ? (struct entity_pages *)(void *)message->work : NULL;
}

fallible
entity_pages_check(const struct entity_pages *self, const struct scene_state *scene)
{
    if (self->scene != scene)
        return fail(ERR_NOT_FOUND, "", "scene %s was deleted meanwhile",
                    text_chars(self->scene->key));
    if (self->page->result == STORE_OK)
        return OK;
    return fail(store_error(self->page->result), "", "what is in the scene cannot be read");
}

const frozen_t *
entity_pages_next(struct shard *shard, struct entity_pages *self)
{
    if (self->at == self->page->count)
        return NULL;
    record_unref(&self->shown);
    self->shown = lease_states_shown_apart(shard, self->scene, self->page->records[self->at++]);
    return self->shown;
}

bool
entity_pages_must_pause(struct entity_pages *self, const actor_t *actor, size_t cost)
{
    self->unwatched += 1 + cost;
    if (self->unwatched < WATCHED_COST)
        return false;
    self->unwatched = 0;
    return actor_must_pause(actor);
}

static fallible
ask(struct shard *shard, struct entity_pages *self, struct message *message, const char *loader)
{
    struct record_page *page = self->page;
    record_page_clear(page);
    page->asker = message;
    self->at = 0;
    self->page = NULL;
    enum error error = page_reader_ask(shard->base.mailbox, loader, &page);
    if (error == OK)
        return PARKED;
    page->asker = NULL;
    self->page = page;
    return error;
}

fallible
entity_pages_go_on(struct shard *shard, struct entity_pages *self, struct message *message)
{
    return self->is_over ? OK : ask(shard, self, message, shard->sweeper_name);
}

fallible
entity_pages_fetch(struct shard *shard, struct scene_state *scene, const struct entity_kind *kind,
                   const struct text *key, struct message *message)
{
    struct entity_pages *self = entity_pages_begin(message, scene, kind, sizeof *self);
    entity_pages_begin_one(self, key);
    return ask(shard, self, message, shard->loader_name);
}

enum error
entity_pages_read(actor_t *actor, struct message *answer)
{
    struct record_page *page = record_page_of(answer);
    struct message *message = page->asker;
    struct entity_pages *self = entity_pages_of(message);
    page->asker = NULL;
    answer->parcel = NULL;
    message_destroy(&answer);
    self->page = page;
    self->is_over = !page->is_more;
    actor_go_on(actor, message);
    return PARKED;
}
