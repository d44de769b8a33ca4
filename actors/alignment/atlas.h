// atlas.h - what all scene actors share about how scenes relate: which scenes there are, where
// devices stand now, and the newest solution. A scene actor writes what it owns after its commit
// and before it answers. The solver actor publishes solutions. Any thread reads. The lock is held
// only for a lookup or a replacement.
#ifndef DIORAMA_ACTORS_ALIGNMENT_ATLAS_H
#define DIORAMA_ACTORS_ALIGNMENT_ATLAS_H

#include "actors/alignment/solver/solver.h"
#include "proto/message/message.h"
#include "proto/record/record_packed.h"

typedef struct atlas atlas_t;

atlas_t *atlas_create(void);
// No actor may use it any more. Accepts NULL.
void atlas_destroy(atlas_t **self);

// --- scenes ---

// Puts or replaces the record (struct scene) of a scene.
void atlas_put_scene(atlas_t *self, const packed_t *scene);
void atlas_remove_scene(atlas_t *self, uint64_t scene_id);
// One reference, yours; NULL if there is no such scene.
const packed_t *atlas_scene(const atlas_t *self, uint64_t scene_id);
const packed_t *atlas_scene_named(const atlas_t *self, const struct text *key);
// Whether the scene exists and the caller may read it.
bool atlas_sees(const atlas_t *self, uint64_t scene_id, const struct caller *caller);
// A number that grows with every change of who may read a scene.
uint64_t atlas_access(const atlas_t *self);

// --- devices ---

// Where a device stands in a scene that it is registered to, as the device itself said.
struct bearing {
    uint64_t scene_id;
    uint64_t time_us;  // calendar
    struct rigid pose; // device to scene coordinates
    double sigma_t_m;
    double sigma_r_rad;
};

// Puts or replaces what a registration (struct device) says; `time_us`: when its device said where
// it stands, if it has a transform.
void atlas_put_device(atlas_t *self, uint64_t scene_id, const frozen_t *device, uint64_t time_us);
void atlas_remove_device(atlas_t *self, uint64_t scene_id, const struct text *device);
// Writes at most `count` of the device's bearings, the newest first. Returns how many.
size_t atlas_bearings(const atlas_t *self, const struct text *device, size_t count,
                      struct bearing *ret_bearings);
// Since when the device has been registered to any scene (calendar); 0 if it is not.
uint64_t atlas_session(const atlas_t *self, const struct text *device);

// --- the solution ---

// Takes the solution: *solution becomes NULL.
void atlas_publish(atlas_t *self, solution_t **solution, uint64_t epoch);
// One reference, yours; NULL if none was published yet. Writes its epoch unless `ret_epoch` is
// NULL.
solution_t *atlas_solution(const atlas_t *self, uint64_t *ret_epoch);
uint64_t atlas_epoch(const atlas_t *self);

#endif
