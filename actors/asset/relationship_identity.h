// relationship_identity.h - what no two relationships share: asset, part of the asset, type and
// what it is related to.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_IDENTITY_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_IDENTITY_H

#include "actors/repository/repository_fetch.h"

bool relationship_is_same(const struct record *a, const struct record *b);

// Adds what relationship_identities_find needs to know of `link`.
void relationship_identity_need(struct needs *needs, struct arena *arena,
                                const struct record *link);

// The identities of relationships as they will be, and of those that a request plans to write. For
// one turn: nothing is staged while it is used.
struct relationship_identities {
    const struct repository *repository;
    struct table staged;  // relationships, frozen
    struct table planned; // the same, loose
};

void relationship_identities_begin(struct relationship_identities *self,
                                   const struct repository *repository);
void relationship_identities_finish(struct relationship_identities *self);

// The relationship that will have the identity of `link`, or NULL; after
// relationship_identity_need.
const frozen_t *relationship_identities_find(const struct relationship_identities *self,
                                             const struct record *link);
// The same for a single one: after those of its asset were needed, among which it looks.
const frozen_t *relationship_identities_find_one(const struct relationship_identities *self,
                                                 const struct record *link);
// Whether the request plans no other relationship with the identity of `link` yet; now it does.
bool relationship_identities_plan(struct relationship_identities *self, const struct record *link);

#endif
