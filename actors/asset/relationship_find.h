// relationship_find.h - which relationships a query string names by asset, type, subtype and
// `related`, and the caller may see.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_FIND_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_FIND_H

#include "actors/repository/resource.h"

// Relationships, in an arena.
struct found_links {
    const frozen_t **items;
    size_t count;
};

// Takes a relationship that a walk finds; false: it needs no more.
typedef bool link_taker(struct message *message, struct listing *listing, const frozen_t *link);

// Takes the durable ones that the query string names, and the caller may see, in the order of ids,
// in pages. It waits for what scene actors know of some. PARKED: it goes on behind those that were
// taken.
enum error relationships_walk(actor_t *actor, struct message *message, struct listing *listing,
                              link_taker *take);
// The same of those that the listing has put together (`among`), in slices.
enum error relationships_walk_among(actor_t *actor, struct message *message,
                                    struct listing *listing, link_taker *take);
// page_walk_resume of those with a value in a row of relationship_index; row 0: of all.
fallible relationships_resume(struct repository *repository, struct message *message,
                              struct page_walk *walk, unsigned row, const struct text *value);

// The relationships, as they will be, that the query string names by asset or by `related`. Fails
// with ERR_MISSING where it has neither. PARKED: it waits, or pauses; any number leads to what is
// no asset.
enum error relationships_find_named(actor_t *actor, struct message *message,
                                    struct found_links *ret_found);
// Gives a new relationship (loose) what the query string says of it and the body leaves out.
void relationship_fill_in(const struct message *message, struct record *link);

#endif
