// actor_family.h - the keys in the family of every actor that writes: its outbox, its indexes, the
// answers that it keeps, and the marker of its last commit (fence.h). The tags of its own records
// are other letters (scene_family.h and the like).
#ifndef DIORAMA_ACTORS_RUNTIME_ACTOR_FAMILY_H
#define DIORAMA_ACTORS_RUNTIME_ACTOR_FAMILY_H

#include "store/fence.h"

enum {
    KEY_OUTBOX = 'B', // outbox id     -> effect at another actor
    KEY_INDEX = 'N',  // id of a row, value, name of a record -> nothing (index_records.h)
    KEY_DUES = 'C',   // tag of records, who pays -> what they take (due_sums.h)
    KEY_REPEAT = 'I', // id of request -> time (8), who pays: that an answer is kept
    KEY_ANSWER = 'V', // id of request -> the answer
};

#endif
