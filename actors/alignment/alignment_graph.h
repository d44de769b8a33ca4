// alignment_graph.h - the scenes around one scene as links lead to them, where each is, and the
// links between them, as a caller may see them. It is worked out in slices of the relation actor,
// all from the solution that was the newest when it began.
#ifndef DIORAMA_ACTORS_ALIGNMENT_ALIGNMENT_GRAPH_H
#define DIORAMA_ACTORS_ALIGNMENT_ALIGNMENT_GRAPH_H

#include "actors/alignment/atlas.h"
#include "actors/runtime/actor.h"

// Answers ALIGNMENT_GRAPH: a struct graph_record around the scene of the params. A scene that the
// caller may not read is neither named nor passed through. Fails with ERR_MISSING without a scene,
// ERR_NOT_FOUND for one that the caller cannot see. PARKED: there is more to do.
enum error alignment_graph_answer(actor_t *actor, const atlas_t *atlas, struct message *message);

#endif
