// scene_relations.h - relations between scenes as callers may see them, worked out once for each
// newest solution. One thread. What a caller may not read leads nowhere for them.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SCENE_RELATIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_SCENE_RELATIONS_H

#include "actors/alignment/atlas.h"
#include "proto/base/table.h"

// Embedded; all zero is a valid empty one.
struct scene_relations {
    solution_t *solution; // one reference: that they were worked out from
    uint64_t epoch;       // of it
    uint64_t access;      // who could read what then
    struct table table;   // struct scene_relation
    unsigned left;        // how many more may be worked out for this answer
};

void scene_relations_finish(struct scene_relations *self);

// Begins an answer: what follows is by the newest solution.
void scene_relations_begin(struct scene_relations *self, const atlas_t *atlas);

// The relation as the caller may see it, borrowed until the next begin. NULL where an answer would
// take too long, because it asks for more new ones than its due.
const struct relation *scene_relations_between(struct scene_relations *self, const atlas_t *atlas,
                                               const struct caller *caller, uint64_t from,
                                               uint64_t to);

// Keys of the scenes of a path, those of deleted scenes left out.
const struct texts *scene_relations_path(const atlas_t *atlas, struct arena *arena,
                                         const struct relation *relation);
// A motion as a pose record.
struct record *pose_record(struct arena *arena, const struct rigid *motion);

#endif
