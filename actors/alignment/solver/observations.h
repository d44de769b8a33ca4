// observations.h - observations of links: two corrections of one device session in two scenes say
// how the coordinates of these scenes relate. Pure. Scenes and corrections are numbers here: their
// places in a component's lists. Each scene is described from a centre near its devices instead of
// its origin, because equations with levers of kilometres would lose all digits.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATIONS_H

#include "actors/alignment/solver/effort.h"
#include "actors/alignment/solver/solver.h"

enum {
    OBSERVATIONS_ALL_PAIRS = 17, // up to so many corrections of a session are all paired
    OBSERVATIONS_NEAR_PAIRS =
        8, // if there are more, each is paired with so many that follow in time, and counts as if
           // there were OBSERVATIONS_ALL_PAIRS around it
    OBSERVATIONS_LARGEST_RATIO = 4, // of a device's weight to the median weight at a link
    FADE_STEPS = 8,                 // of a half-life: weights fade in steps
    FADE_END = FADE_STEPS * 8,      // a correction that has faded so far does not count any more
};

// The order in which a session is walked: its corrections next to each other, by time.
int correction_compare(const struct correction *one, const struct correction *other);

struct observation {
    uint32_t a, b; // scenes, a < b
    uint32_t correction_a, correction_b;
    struct rigid motion;    // maps a to b, between their centres
    double information[36]; // inverse covariance of twists on the left of `motion`
    struct rigid stand;     // of the device in b, from its centre
    double claimed[2];      // variances of its translation and its rotation, m^2 and rad^2
    double variances[2];    // the same, as the noise model corrects them
    uint64_t method;        // of both corrections
    uint32_t lag;           // how many steps of the session lie between them, superseded ones too
    double weight;          // of the information, 0 to 1
    double more[2]; // translation and rotation count 1 + `more` times as much: where coordinates
                    // drift, near corrections tell more of each other than distant ones
    uint64_t device;
    uint64_t user;
    uint64_t time_a_us, time_b_us; // when the device said where it stands in each
    uint64_t time_us;              // of the later one
    uint32_t mode;                 // of its link (observation_fusion.h)
    bool is_pinned;                // one of the two is
    bool is_accepted;
    bool is_past; // one of its scenes moved after it
};

// The observations of one link are consecutive.
struct link {
    uint32_t a, b; // scenes, a < b
    uint32_t first, count;
};

// The part of a correction that observations are made from.
struct standing {
    const struct correction *correction;
    uint32_t scene;
    uint32_t fade; // in steps
    uint32_t step; // of its session; 0 for all: that of its order in time
};

struct noise_model; // noise_model.h

struct observations {
    size_t count;
    struct observation *items; // by link, then from the oldest to the newest
    size_t link_count;
    struct link *links; // by their scenes
};

// Pairs the corrections at `standings`; `centres` are those of scenes, three numbers each. Their
// noise is as they claim, corrected by `noise`. Where the effort (NULL = without bounds) was broken
// off, some are missing.
void observations_init(struct observations *self, const struct standing *standings, size_t count,
                       const double *centres, const struct noise_model *noise,
                       const struct effort *effort);
void observations_finish(struct observations *self);

// The information of an observation as it counts beside the others of its session, but for its
// weight (6x6).
void observations_inform(const struct observation *self, double *ret_information);

// Sorts the items and lists their links again; the items may have come in any order.
void observations_index(struct observations *self);

#endif
