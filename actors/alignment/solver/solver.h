// solver.h - how the coordinate systems of scenes relate, solved from corrections. Pure and
// deterministic: the same corrections give the same solution, in whatever order they came. Evidence
// is used by one thread. A solution never changes, so any thread may read it.
//
// A correction says where a device stands in a scene. Two corrections of one device session are an
// observation of the link between their scenes. Scenes that links connect are a component; each
// component is solved by itself.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLVER_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/rigid.h"

enum {
    ALIGNMENT_ID_SIZE = 25, // of a correction: 24 hex characters and NUL
};

// Where a device stands in a scene, and how sure that is.
struct correction {
    char id[ALIGNMENT_ID_SIZE];
    uint64_t scene_id; // internal
    uint64_t device;   // hash of the device's key
    uint64_t session;  // of the device: corrections of one session are paired
    uint64_t user;     // hash of the user's id; 0 = nobody is logged in
    struct rigid pose; // maps device coordinates to scene coordinates
    double sigma_t_m;
    double sigma_r_rad;
    uint64_t method;    // hash of how it was measured; 0 = the device did not say
    double half_life_s; // of its weight; 0 = it does not fade
    uint64_t time_us;   // calendar
    bool is_pinned;     // an administrator confirmed it: never rejected
};

typedef struct evidence evidence_t; // all corrections that count now
typedef struct solution solution_t; // how scenes relate by them

evidence_t *evidence_create(void);
// Accepts NULL.
void evidence_destroy(evidence_t **self);

// With users: so many users must agree before a relation is PREDICTED. 0, as at first: two devices
// are enough.
void evidence_confirm_by(evidence_t *self, uint32_t users);

// Another thread sets `stop` (borrowed) to break off a solve that runs, and any later one.
void evidence_stop_by(evidence_t *self, const atomic_bool *stop);

// Adds a correction, or replaces the one with the same id. It supersedes older ones of the same
// session in the same scene: they do not count while it is there. At most LIMIT_SUPERSEDED
// corrections are kept, the newest included.
void evidence_put(evidence_t *self, const struct correction *correction);
void evidence_remove(evidence_t *self, const char *id);
void evidence_remove_scene(evidence_t *self, uint64_t scene_id);

// Solves the components that changed since `previous` was made from this evidence, and shares the
// others with it. `previous` NULL = all are solved. Corrections fade with `now_us` (calendar).
// Yours, one reference; NULL if it was broken off. A component that would take too much work is
// given up: its scenes relate by the best supported links alone, and all of it is CONFLICTING.
solution_t *evidence_solve(evidence_t *self, const solution_t *previous, uint64_t now_us);

solution_t *solution_ref(const solution_t *self);
void solution_unref(solution_t **self);

// How many components were given up.
size_t solution_given_up(const solution_t *self);

// Until when the corrections came that it is made from (`now_us` of evidence_solve).
uint64_t solution_as_of_us(const solution_t *self);

// The share of the evidence about the scene, and about all that it is connected with, which
// disagrees with the rest: 0 to 1. Beyond ALIGNMENT_CONTRARY what devices claim of their accuracy
// is wrong, or many of them lie.
#define ALIGNMENT_CONTRARY 0.2
double solution_contrary_share(const solution_t *self, uint64_t scene_id);
// How many components have more of it.
size_t solution_contrary_components(const solution_t *self);

// "certified" if the poses of the scene and of all that it is connected with are proven to be the
// best that there are for the evidence which is not rejected (certificate.h); else "local": the
// best nearby. NULL for a scene that no evidence connects.
const char *solution_confidence(const solution_t *self, uint64_t scene_id);

enum alignment_status {
    ALIGNMENT_NONE,        // not connected: the motion is the identity
    ALIGNMENT_UNVERIFIED,  // some link of the path depends on a single device
    ALIGNMENT_PREDICTED,   // several devices confirm it, directly or by cycles (verification.h)
    ALIGNMENT_CONFLICTING, // the evidence disagrees beyond its noise
};
const char *alignment_status_name(enum alignment_status status);

// How two scenes of a component relate.
struct relation {
    enum alignment_status status;
    struct rigid motion; // maps coordinates of the first scene to those of the second
    double
        covariance[36]; // of twists on its left: in the axes of the second scene, about its origin
    double sigma_t_m;   // of where the first scene's origin is: root of the mean variance
    double sigma_r_rad; // of the three coordinates; and of the three angles
    const char *confidence; // solution_confidence; NULL if the status is NONE
    uint32_t observations;  // along the path, rejected ones left out
    uint32_t devices;
    uint32_t path_count;
    uint64_t *path; // ids of scenes, both ends included; free() it
};

// Whether `scene_id` may be shown to the caller.
typedef bool alignment_is_visible(uint64_t scene_id, const void *context);

// The relation from one scene to another along a path of visible scenes (`is_visible` NULL: all).
// NONE if there is no such path. From a scene to itself: the identity, PREDICTED. It takes a few
// hundred microseconds in a large component, because it computes the covariance of the pair.
void solution_relate(const solution_t *self, uint64_t from, uint64_t to,
                     alignment_is_visible *is_visible, const void *context,
                     struct relation *ret_relation);

// Why a correction does not count: no observation of it does.
enum rejection {
    NOT_REJECTED,
    REJECTED_FAR,      // the device stands implausibly far from all others
    REJECTED_PAST,     // a scene that it tells of has moved since
    REJECTED_CONTRARY, // it disagrees with the others beyond its noise
    REJECTED_UNCLEAR,  // it or what its device said of other scenes does: nothing tells which
};
const char *rejection_name(enum rejection rejection);

// How the solution judges one correction.
struct verdict {
    char id[ALIGNMENT_ID_SIZE];
    double weight; // 0 to 1, of its best observation; 0: rejected or faded; 1: it has none yet
    enum rejection rejection;
    double residual_t_m; // against the solution
    double residual_r_rad;
    double noise_factor; // how many times larger its sigmas are than claimed; 1 or more
};

// A link of a scene with another one.
struct link_state {
    uint64_t scene_id;   // the other one
    struct rigid motion; // maps to the other one, as solved
    enum alignment_status status;
    double sigma_t_m;
    double sigma_r_rad;
    double residual_t_m; // of its own observations together, against the solution
    double residual_r_rad;
    uint32_t observations;
    uint32_t rejected;
    uint32_t devices;
};

// The links of a scene, ordered by the id of the other scene, and the verdicts on its corrections,
// ordered by id (superseded corrections have none). Both belong to the solution. Return how many.
// The first call for a scene computes the sigmas: a fraction of a millisecond a link.
size_t solution_links(const solution_t *self, uint64_t scene_id,
                      const struct link_state **ret_links);
size_t solution_verdicts(const solution_t *self, uint64_t scene_id,
                         const struct verdict **ret_verdicts);

// --- what scenes were told ---

// The motion of each link, in both directions, that scenes were told last. One thread.
typedef struct told_links told_links_t;

told_links_t *told_links_create(void);
// Accepts NULL.
void told_links_destroy(told_links_t **self);

// Lists the ids, ascending, of the scenes that are to be told of the solution: a link of theirs
// moved beyond the dead band (1 cm, 0.2 degrees) since they were told of *this link*, is new or is
// gone. From now on these links count as told; small steps of the others add up. Returns how many;
// free() the list.
size_t told_links_update(told_links_t *self, const solution_t *solution, uint64_t **ret_scene_ids);

#endif
