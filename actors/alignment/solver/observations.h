// observations.h - what corrections say about links: two corrections of one device session in two
// scenes are an observation of how the coordinates of these scenes relate (alignment). Pure. Scenes
// and corrections are numbers here, their places in a component's lists. Each scene has a centre,
// near to where its devices are, that stands for its origin: equations whose levers are kilometres
// would lose all digits.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATIONS_H

#include "actors/alignment/solver/solver.h"

enum {
    OBSERVATIONS_ALL_PAIRS =
        17, // of a session: up to so many corrections are paired each with each
    OBSERVATIONS_NEAR_PAIRS = 8,    // of more, each with so many that follow in time
    OBSERVATIONS_USER_DEVICES = 2,  // so many devices of a user may count at one link
    OBSERVATIONS_LARGEST_RATIO = 4, // of a device's weight to that of the middle one of a link
    FADE_STEPS = 8,                 // of a half-life: weights fade in steps
    FADE_END = FADE_STEPS * 8,      // faded this far a correction counts no more
};

struct observation {
    uint32_t a, b; // scenes, a < b
    uint32_t correction_a, correction_b;
    struct rigid motion;    // maps a to b, between their centres
    double information[36]; // inverse covariance of twists on the left of `motion`
    double weight;          // of the information, 0 to 1
    uint64_t device;
    uint64_t user;
    uint64_t time_us; // of the later one
    uint32_t mode;    // what it agrees with among the observations of its link
    bool is_pinned;   // one of the two is
    bool is_accepted;
    bool is_past; // a new epoch of its link began after it
};

// The observations of one link stand in a row.
struct link {
    uint32_t a, b; // scenes, a < b
    uint32_t first, count;
};

// The part of a correction that observations are made from.
struct standing {
    const struct correction *correction;
    uint32_t scene;
    uint32_t fade; // in steps
};

struct observations {
    size_t count;
    struct observation *items; // by link, then from the oldest to the newest
    size_t link_count;
    struct link *links; // by their scenes
};

// Pairs the corrections at `standings`; `centres` are those of scenes, three numbers each.
void observations_init(struct observations *self, const struct standing *standings, size_t count,
                       const double *centres);
void observations_finish(struct observations *self);

// Sorts the items and lists their links again; the items may have come in any order.
void observations_index(struct observations *self);

#endif
