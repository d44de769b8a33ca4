// correction_log.h - the corrections of all devices, and the evidence that they make: what counts
// of them (device_sessions.h). The solver actor's own.
#ifndef DIORAMA_ACTORS_ALIGNMENT_CORRECTION_LOG_H
#define DIORAMA_ACTORS_ALIGNMENT_CORRECTION_LOG_H

#include "actors/alignment/solver/solver.h"
#include "actors/alignment/correction_changes.h"
#include "proto/base/table.h"

struct logged_correction;

// Embedded; all zero but for `evidence` is a valid empty one.
struct correction_log {
    evidence_t *evidence;              // borrowed
    const char *half_lives;            // borrowed: by method, as the setting has them; NULL = none
    struct table devices;              // struct logged_correction by key
    struct table known;                // struct known by scene and id
    struct logged_correction *unheard; // devices of which something changed
};

void correction_log_finish(struct correction_log *self);

// Takes what became of one correction.
void correction_log_hear(struct correction_log *self, const struct correction_change *item);

// Brings the evidence up to date with all that was heard.
void correction_log_update(struct correction_log *self);

#endif
