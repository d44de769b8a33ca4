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

// Takes what the query string names, and the caller may see, of a set in the order of ids, in
// slices. It waits for what scene actors know of some. PARKED: it goes on behind those that were
// taken.
enum error relationships_walk(actor_t *actor, struct message *message, struct listing *listing,
                              struct record_set *set, link_taker *take);
// Durable relationships, those that the query string names among them; NULL = there are none.
struct record_set *relationships_named_among(struct repository *repository,
                                             const struct message *message);
// The records of the set behind `passed` (NULL = all), *ret_count of them; none if the set is NULL.
const frozen_t *const *relationships_behind(struct record_set *set, const frozen_t *passed,
                                            size_t *ret_count);

// The relationships, as they will be, that the query string names by asset or by `related`. Fails
// with ERR_MISSING where it has neither. PARKED: it waits, or pauses; any number leads to what is
// no asset.
enum error relationships_find_named(actor_t *actor, struct message *message,
                                    struct found_links *ret_found);
// Gives a new relationship (loose) what the query string says of it and the body leaves out.
void relationship_fill_in(const struct message *message, struct record *link);

#endif
