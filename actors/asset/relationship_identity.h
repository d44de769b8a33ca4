// relationship_identity.h - what no two relationships share: asset, part of the asset, type and
// what it is related to.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_IDENTITY_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_IDENTITY_H

#include "actors/repository/repository.h"

struct asset_actor;

bool relationship_is_same(const struct record *a, const struct record *b);

// A change of a relationship is durable.
void relationship_identity_follow(struct repository *repository, const frozen_t *before,
                                  const frozen_t *after);
void relationship_identity_finish(struct asset_actor *self);

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

// The relationship that will have the identity of `link`, or NULL.
const frozen_t *relationship_identities_find(const struct relationship_identities *self,
                                             const struct record *link);
// Whether the request plans no other relationship with the identity of `link` yet; now it does.
bool relationship_identities_plan(struct relationship_identities *self, const struct record *link);

#endif
