// correction_log.h - the corrections of all devices, and the evidence that the solver gets from
// them: those that count (device_sessions.h). The solver actor's own.
#ifndef DIORAMA_ACTORS_ALIGNMENT_CORRECTION_LOG_H
#define DIORAMA_ACTORS_ALIGNMENT_CORRECTION_LOG_H

#include "actors/alignment/correction_changes.h"
#include "actors/alignment/solver/solver.h"
#include "proto/base/table.h"

struct logged_device;

// Embedded; all zero but for `evidence` is valid and empty.
struct correction_log {
    evidence_t *evidence;          // borrowed
    const char *half_lives;        // borrowed: by method, as the setting has them; NULL = none
    struct table devices;          // struct logged_device by key
    struct table corrections;      // struct logged_correction by scene and id
    struct logged_device *changed; // since the last update
};

void correction_log_finish(struct correction_log *self);

// Takes a correction that was added, changed or removed.
void correction_log_apply(struct correction_log *self, const struct correction_change *change);

// Updates the evidence by all changes since the last update.
void correction_log_update(struct correction_log *self);

#endif
