// correction_log.h - the corrections of all devices, and the evidence that they make: what counts
// of them (testimony.h). The solver actor's own.
#ifndef DIORAMA_ACTORS_ALIGNMENT_CORRECTION_LOG_H
#define DIORAMA_ACTORS_ALIGNMENT_CORRECTION_LOG_H

#include "actors/alignment/solver/solver.h"
#include "actors/alignment/correction_changes.h"
#include "proto/base/table.h"

struct witness;

// Embedded; all zero but for `evidence` is a valid empty one.
struct witnesses {
    evidence_t *evidence;    // borrowed
    const char *half_lives;  // borrowed: by method, as the setting has them; NULL = none
    struct table devices;    // struct witness by key
    struct table known;      // struct known by scene and id
    struct witness *unheard; // devices of which something changed
};

void witnesses_finish(struct witnesses *self);

// Takes what became of one correction.
void witnesses_hear(struct witnesses *self, const struct news_item *item);

// Brings the evidence up to date with all that was heard.
void witnesses_settle(struct witnesses *self);

#endif
