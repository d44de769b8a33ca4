// atlas.h - what all scene actors know together of how scenes relate: which scenes there are, where
// devices stand now, and the newest solution of the solver. Scene actors write what they own when
// it is committed, before its requests are answered; the solver actor publishes solutions. Any
// thread reads; nobody holds the lock for longer than it takes to look something up or to put it in
// its place.
#ifndef DIORAMA_ACTORS_ALIGNMENT_ATLAS_H
#define DIORAMA_ACTORS_ALIGNMENT_ATLAS_H

#include "actors/alignment/solver/solver.h"
#include "proto/message/message.h"

typedef struct atlas atlas_t;

atlas_t *atlas_create(void);
// When no actor has it any more. Accepts NULL.
void atlas_destroy(atlas_t **self);

// --- scenes ---

// Puts or replaces the record (struct scene) of a scene.
void atlas_put_scene(atlas_t *self, const frozen_t *scene);
void atlas_remove_scene(atlas_t *self, uint64_t scene_id);
// One reference, yours, or NULL.
const frozen_t *atlas_scene(const atlas_t *self, uint64_t scene_id);
const frozen_t *atlas_scene_named(const atlas_t *self, const struct text *key);
// Whether there is such a scene, and the caller may read it.
bool atlas_sees(const atlas_t *self, uint64_t scene_id, const struct caller *caller);
// Raised by whatever changes who may read which scene.
uint64_t atlas_access(const atlas_t *self);

// --- devices ---

// Where a device stands in a scene that it is registered to, as it said itself, where it did.
struct bearing {
    uint64_t scene_id;
    uint64_t since_us; // the session that the registration belongs to
    bool is_silent;    // it said nothing: what follows is empty
    uint64_t time_us;  // calendar
    struct rigid pose; // device to scene coordinates
    double sigma_t_m;
    double sigma_r_rad;
};

// Puts or replaces the bearing of a device in a scene.
void atlas_put_bearing(atlas_t *self, const struct text *device, const struct bearing *bearing);
void atlas_remove_bearing(atlas_t *self, const struct text *device, uint64_t scene_id);
// Copies the newest bearings of a device that are not silent, the newest first, at most `count`;
// returns how many.
size_t atlas_bearings(const atlas_t *self, const struct text *device, size_t count,
                      struct bearing *ret_bearings);
// Since when the device has been registered somewhere, calendar; 0 where it is not.
uint64_t atlas_session(const atlas_t *self, const struct text *device);

// --- the solution ---

// Takes the solution: *solution becomes NULL.
void atlas_publish(atlas_t *self, solution_t **solution, uint64_t epoch);
// One reference, yours, or NULL where none was published yet; its epoch (may be NULL).
solution_t *atlas_solution(const atlas_t *self, uint64_t *ret_epoch);
uint64_t atlas_epoch(const atlas_t *self);

#endif
