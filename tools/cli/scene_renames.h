// scene_renames.h - keys of an archive of a scene, and those that another server gave in their
// place; records with the one written as records with the other. Pure; one thread.
#ifndef DIORAMA_TOOLS_CLI_SCENE_RENAMES_H
#define DIORAMA_TOOLS_CLI_SCENE_RENAMES_H

#include "proto/base/table.h"
#include "proto/codec/json_text.h"

struct rename {
    const struct text *old;
    const struct text *fresh;  // NULL = not known yet
    const struct text *parent; // of an object: set later, for it had no fresh key; NULL = none
};

// Embedded; all zero is an empty one.
struct renames {
    struct arena arena;
    struct table table;
};

void renames_finish(struct renames *self);

// The row of a key; NULL if there is none.
struct rename *renames_find(const struct renames *self, const struct text *old);

// Adds a key that is new, or finds its row.
struct rename *renames_add(struct renames *self, const struct text *old);

// Appends a record: members that a server decides are left out (scene, owner, lock, …), keys are
// renamed. A parent that has no fresh key yet is left out, and told in
// *ret_parent (else NULL), borrowed from the record.
void renames_put_record(const struct renames *self, const struct json *record, struct buffer *out,
                        const struct text **ret_parent);

#endif
