// entity_pages.h - reads of a scene whose entities take more than scene.memory (scene_cache.h):
// what a request asks for is read from the store, a page at a time, and nothing of it is kept. The
// pages are the work of a message. What comes or goes between two of them is found or not; what was
// there when the request began, and is still there at its end, is found once. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_PAGES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_PAGES_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_page.h"
#include "actors/scene/entity/entity_kind.h"

struct scene_state;
struct shard;

// How the work begins; more of its own may stand behind it, in the same block of memory.
struct entity_pages {
    struct parcel base;
    struct scene_state *scene; // held
    struct record_page *page;  // NULL while it is being read
    size_t at;                 // of the entity that comes next
    bool is_over;              // this page is the last one
    const frozen_t *shown;     // the entity that came last, one reference; or NULL
    size_t unwatched;          // cost of what was done since the clock was read
};

// A page, for whoever asks, of the one entity with a key.
struct record_page *entity_page_of_one(const struct scene_state *scene,
                                       const struct entity_kind *kind, const struct text *key);

// The pages of all entities of a kind, in the order of their keys: the work of the message from now
// on, a block of `size` bytes.
struct entity_pages *entity_pages_begin(struct message *message, struct scene_state *scene,
                                        const struct entity_kind *kind, size_t size);
// Of those behind a key alone, or of the one that has it.
void entity_pages_begin_behind(struct entity_pages *self, const struct text *key);
void entity_pages_begin_one(struct entity_pages *self, const struct text *key);
// The message's pages, or NULL: its work is another, or none.
struct entity_pages *entity_pages_of(const struct message *message);

// Fails where a page could not be read, and with ERR_NOT_FOUND where `scene` is not the one that
// they began in: that was deleted. The request ends then.
fallible entity_pages_check(const struct entity_pages *self, const struct scene_state *scene);
// The next entity as it is to be shown, borrowed until the next call; NULL: the page ends.
const frozen_t *entity_pages_next(struct shard *shard, struct entity_pages *self);
// Whether the slice is over. `cost`: what was done with the last entity, in comparisons, about.
bool entity_pages_must_pause(struct entity_pages *self, const actor_t *actor, size_t cost);
// The page ends. OK: it was the last one. PARKED: the message runs again when the next one is read.
fallible entity_pages_go_on(struct shard *shard, struct entity_pages *self,
                            struct message *message);

// Begins to read the one entity with a key: entity_pages_next has it when the message runs again.
fallible entity_pages_fetch(struct shard *shard, struct scene_state *scene,
                            const struct entity_kind *kind, const struct text *key,
                            struct message *message);

// For the actor's row of PAGE_READ.
actor_handler entity_pages_read;

#endif
