// relationship_access.h - who may read and change a relationship.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_ACCESS_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_ACCESS_H

#include "actors/repository/repository_fetch.h"

// Which of these relationships the caller of `message` may see: those whose two ends they may read.
// ret_seen[i] belongs to items[i]; it is in the message's arena. May park the message: the handler
// runs again from the start.
fallible relationship_access_find_seen(struct repository *self, struct message *message,
                                       const struct record *const *items, size_t count,
                                       bool **ret_seen);

// The two ends of each of these relationships, 2 * count of them.
const struct text *const *relationship_ends(struct arena *arena, const struct record *const *items,
                                            size_t count);

// Whether the caller of `message` may relate something to what these keys name: they may read it,
// and it stays. What has a staged deletion has lost its relationships already, so a new one would
// lead nowhere. A generated key that nobody keeps is refused in the words of a hidden one, so that
// nobody learns which there are; any other that nobody keeps means what its writer says. Fails with
// ERR_NOT_FOUND. May park the message: the handler runs again from the start.
fallible relationship_access_check_ends(struct repository *self, struct message *message,
                                        const struct text *const *keys, size_t count);

// Adds what is kept here of a key: what relationship_access_check_change looks at of the asset of a
// relationship.
void relationship_access_need(const struct repository *self, struct needs *needs,
                              struct arena *arena, const struct text *key);

// Whether the caller may change a relationship that they see: its maker, the owner of the asset and
// administrators may. Fails with ERR_FORBIDDEN.
fallible relationship_access_check_change(const struct repository *self,
                                          const struct message *message, const struct record *link);

#endif
