// scene_relations.h - relations between scenes as a caller may see them, worked out once for each
// solution and kept. Links through scenes that a caller may not read are ignored. One thread.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SCENE_RELATIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_SCENE_RELATIONS_H

#include "actors/alignment/atlas.h"
#include "proto/base/table.h"

// Embedded; all zero is valid and empty.
struct scene_relations {
    solution_t *solution; // one reference: the relations follow from it
    uint64_t epoch;       // of the solution
    uint64_t access;      // atlas_access when they were worked out
    struct table table;   // struct scene_relation
    unsigned left;        // how many more may be worked out for this answer
};

void scene_relations_finish(struct scene_relations *self);

// Begins an answer, which uses the newest solution.
void scene_relations_begin(struct scene_relations *self, const atlas_t *atlas);

// The relation as the caller may see it, borrowed until the next begin. NULL if this answer has
// worked out its maximum of new relations already.
const struct relation *scene_relations_between(struct scene_relations *self, const atlas_t *atlas,
                                               const struct caller *caller, uint64_t from,
                                               uint64_t to);

// The relation by this solution, not kept. `ret_relation->path` is yours.
void scene_relations_relate(const solution_t *solution, const atlas_t *atlas,
                            const struct caller *caller, uint64_t from, uint64_t to,
                            struct relation *ret_relation);

// The id of the scene with this key if the caller may read it, else 0.
uint64_t scene_relations_visible(const atlas_t *atlas, const struct caller *caller,
                                 const struct text *key);

// Sets a member of a loose record and marks it present.
#define RECORD_SET(record_, id_, member_, value_)                                                  \
    do {                                                                                           \
        (record_)->member_ = (value_);                                                             \
        record_mark(&(record_)->base, (id_));                                                      \
    } while (0)

// The keys of the scenes of a path, without deleted scenes.
const struct texts *scene_relations_path(const atlas_t *atlas, struct arena *arena,
                                         const struct relation *relation);
// A link to the scene with this key, as a link record.
struct record *link_record_shown(struct arena *arena, const struct text *scene,
                                 const struct link_state *link);
// A motion as a pose record.
struct record *pose_record(struct arena *arena, const struct rigid *motion);

#endif
