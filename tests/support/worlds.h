// worlds.h - made-up scenes and devices for tests and the benchmark of alignment: a grid of scenes,
// devices that were in two neighbours each, some of them wrong. The same seed gives the same world.
#ifndef DIORAMA_TESTS_SUPPORT_WORLDS_H
#define DIORAMA_TESTS_SUPPORT_WORLDS_H

#include "actors/alignment/solver/solver.h"
#include "tests/support/samples.h"

// A number from low to high; one of the normal distribution with this deviation.
double random_between(struct random *self, double low, double high);
double random_normal(struct random *self, double sigma);
struct rigid random_motion(struct random *self, double extent_m);

enum {
    WORLD_COLUMNS = 10,
    WORLD_ROWS = 6,
    WORLD_SCENES = WORLD_COLUMNS * WORLD_ROWS,
    WORLD_LINKS = (WORLD_COLUMNS - 1) * WORLD_ROWS + WORLD_COLUMNS * (WORLD_ROWS - 1),
    WORLD_MOST = WORLD_LINKS * 8, // observations
};

// One device that was in two scenes: what it saw of their link, and whether that is wrong.
struct sighting {
    uint32_t a, b;
    bool is_wrong;
    struct correction corrections[2];
};

// The world of the table in issue 6: 60 scenes, 8 m grid, 104 links, random yaw; what a device says
// of a link is off by 5 cm and 1 degree, or, where it is wrong, by 2 m and 40 degrees per axis.
struct world {
    struct rigid scenes[WORLD_SCENES]; // maps coordinates of a scene to those of the world
    size_t count;
    struct sighting sightings[WORLD_MOST];
};

void world_make(struct world *self, uint64_t seed, int per_link, double wrong_share);

// Scene ids are places in the grid + 1.
void world_put(const struct world *self, evidence_t *evidence);

// How coordinates of one scene really map to those of another, by their places in the grid.
struct rigid world_truth(const struct world *self, uint32_t from, uint32_t to);

// A correction with sigmas of 5 cm and 1 degree; the id is made from `number`.
struct correction correction_of(uint64_t number, uint64_t scene_id, uint64_t device,
                                const struct rigid *pose);

// The device stands at 0 in one scene and at x m in the other; said again, the newest counts.
void evidence_put_pair(evidence_t *evidence, uint64_t device, uint64_t from, uint64_t to, double x);

#endif
