// relationship_cascade.h - how relationships follow what they relate: they end with it, or move to
// its next version.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIP_CASCADE_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIP_CASCADE_H

#include "actors/repository/repository_fetch.h"

// Fetches the relationships at both ends of the key, as the next two do before they stage anything:
// for who stages before them.
fallible relationship_cascade_fetch(struct repository *self, struct message *message,
                                    const struct text *key);

// The key was made just now: nothing is related to it, and nobody needs to read that.
void relationship_cascade_begin(struct repository *self, const struct text *key);

// The key is gone for ever, and what was related to it: what is known of that leaves memory.
void relationship_cascade_forget(struct repository *self, const struct text *key);

// Stages the end of every relationship that has this key at either end. It is the last call of a
// handler that may fail; the handler's own writes, at most `others`, have room afterwards. Where
// the relationships do not fit into one commit they end in several: PARKED, and the handler runs
// again from the start until none is left.
fallible relationship_cascade_end(struct repository *self, struct message *message,
                                  const struct text *key, struct room others);

// Stages `to` in the place of `from` at both ends of all relationships. It is called as
// relationship_cascade_end is, but everything, with the caller's `others` writes, is one commit:
// ERR_CONFLICT where it would not fit.
fallible relationship_cascade_repoint(struct repository *self, struct message *message,
                                      const struct text *from, const struct text *to,
                                      struct room others);

// One end of a relationship: RELATIONSHIP_ASSET or RELATIONSHIP_RELATED, and the key there.
struct link_end {
    unsigned end;
    const struct text *key;
};

// Fetches what relationship_cascade_check_room looks at for these ends, and what `others` need.
fallible relationship_cascade_need(struct repository *self, struct message *message,
                                   const struct link_end *ends, size_t count,
                                   const struct needs *others);

// Whether a key can have `more` relationships at `end`, RELATIONSHIP_ASSET or RELATIONSHIP_RELATED.
// An asset has at most LIMIT_ASSET_LINKS at both ends together, and any other key as many in the
// place of an asset; any number leads to what is no asset. Fails with ERR_CONFLICT.
fallible relationship_cascade_check_room(const struct repository *self, unsigned end,
                                         const struct text *key, size_t more);

#endif
