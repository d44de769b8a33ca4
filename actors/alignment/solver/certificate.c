// certificate.c - proves by duality that poses are the best ones (certificate.h), as SE-Sync does
// (Rosen et al. 2019).
//
// The sum of squares is a quadratic form of X = [R t, R t, ...], three rows and four columns a
// scene: a device at h_a in scene a and at h_b in scene b (homogeneous), which turns by M, adds
// place |X_a h_a - X_b h_b|^2 + turn |R_a M^T - R_b|^2. Devices are as exact in all directions, so
// the solve minimises the same, but that it takes the angle where this takes its chord: a relative
// difference of angle^2 / 12. With Q the matrix of the form and any symmetric L_i of each scene,
// each Y with rotations has Y Q Y^T = Y (Q - L) Y^T + sum of tr L_i. So where Q - L + margin on
// rotations has no negative eigenvalue, no Y is below sum of tr L_i - 3 n margin. The L_i are those
// of the least point nearby, where the gradient vanishes and the bound meets the form: a few steps
// lead there from the poses, since angle and chord do not have quite the same one.
#include "actors/alignment/solver/certificate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum {
    SIDE = 4, // columns of a scene in X: its rotation, then its translation
    BLOCK = SIDE * SIDE,
    ROW = 3 * SIDE,
    STEPS = 10, // to the least point nearby, at most; two or three are enough
};

#define EFFORT 5e9     // operations of its factors, at most: some seconds
#define CLOSE 1e-6     // of chi-square: a step that gains less is the last one
#define ROUNDING 1e-12 // of the largest entry: a margin below it proves nothing

// The blocks of a link in Q.
struct blocks {
    double aa[BLOCK], ab[BLOCK], bb[BLOCK];
};

struct proof {
    const struct component *component;
    size_t count; // of links with accepted observations
    struct normal_pair *pairs;
    struct blocks *blocks;
    double (*rows)[ROW];      // X of each scene, row-major
    double (*gradients)[ROW]; // X Q
    uint32_t *owners; // of a scene: the pair with which its own entries are added; or UINT32_MAX
    struct effort effort;
    double margin;
};

// --- the form ---

static void
add_observation(const struct observation *item, struct blocks *blocks)
{
    double motion[16], at_a[SIDE], at_b[SIDE];
    double place = item->weight * (1 + item->more[0]) / item->variances[0];
    double turn = item->weight * (1 + item->more[1]) / (2 * item->variances[1]);
    struct rigid back = rigid_invert(&item->motion);
    rigid_to_matrix(&item->motion, motion);
    rigid_apply(&back, item->stand.translation, at_a);
    memcpy(at_b, item->stand.translation, sizeof item->stand.translation);
    at_a[3] = at_b[3] = 1;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            bool is_rotation = i < 3 && k < 3;
            double own = is_rotation && i == k ? turn : 0;
            blocks->aa[i * SIDE + k] += place * at_a[i] * at_a[k] + own;
            blocks->bb[i * SIDE + k] += place * at_b[i] * at_b[k] + own;
            blocks->ab[i * SIDE + k] -=
                place * at_a[i] * at_b[k] + (is_rotation ? turn * motion[k * 4 + i] : 0);
        }
}

// row += X * block, or its transposed one.
static void
add_product(double *row, const double *x, const double *block, bool is_transposed)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < SIDE; k++)
            for (int m = 0; m < SIDE; m++)
                row[i * SIDE + k] +=
                    x[i * SIDE + m] * block[is_transposed ? k * SIDE + m : m * SIDE + k];
}

static void
add_link(struct proof *self, const struct link *link)
{
    const struct observations *observations = &self->component->observations;
    struct blocks *blocks = &self->blocks[self->count];
    *blocks = (struct blocks){0};
    for (uint32_t i = link->first; i < link->first + link->count; i++)
        if (observations->items[i].is_accepted)
            add_observation(&observations->items[i], blocks);
    for (int end = 0; end < 2; end++) {
        uint32_t *owner = &self->owners[end ? link->b : link->a];
        *owner = *owner == UINT32_MAX ? (uint32_t)self->count : *owner;
    }
    self->pairs[self->count++] = (struct normal_pair){link->a, link->b};
}

// Takes X to these poses, and finds its gradient. Returns the form there.
static double
move_to(struct proof *self, const struct rigid *poses)
{
    uint32_t scene_count = self->component->scene_count;
    double form = 0;
    memset(self->gradients, 0, scene_count * sizeof *self->gradients);
    for (uint32_t scene = 0; scene < scene_count; scene++) {
        double matrix[16];
        rigid_to_matrix(&poses[scene], matrix);
        memcpy(self->rows[scene], matrix, sizeof self->rows[scene]);
    }
    for (size_t i = 0; i < self->count; i++) {
        uint32_t a = self->pairs[i].a, b = self->pairs[i].b;
        add_product(self->gradients[a], self->rows[a], self->blocks[i].aa, false);
        add_product(self->gradients[a], self->rows[b], self->blocks[i].ab, true);
        add_product(self->gradients[b], self->rows[b], self->blocks[i].bb, false);
        add_product(self->gradients[b], self->rows[a], self->blocks[i].ab, false);
    }
    for (uint32_t scene = 0; scene < scene_count; scene++)
        for (int i = 0; i < ROW; i++)
            form += self->gradients[scene][i] * self->rows[scene][i];
    return form;
}

static void
proof_init(struct proof *self, const struct component *component)
{
    const struct observations *observations = &component->observations;
    uint32_t scene_count = component->scene_count;
    *self = (struct proof){
        .component = component,
        .pairs = memory_take(observations->link_count * sizeof *self->pairs + 1),
        .blocks = memory_take(observations->link_count * sizeof *self->blocks + 1),
        .rows = memory_take(scene_count * sizeof *self->rows),
        .gradients = memory_take(scene_count * sizeof *self->gradients),
        .owners = memory_take(scene_count * sizeof *self->owners),
        .effort = {.stop = component->effort ? component->effort->stop : NULL, .left = EFFORT},
        .margin = CERTIFICATE_GAP / 2 / (3 * (double)scene_count),
    };
    memset(self->owners, 0xff, scene_count * sizeof *self->owners);
    for (size_t i = 0; i < observations->link_count && !effort_is_stopped(&self->effort); i++)
        if (component_link_is_alive(component, &observations->links[i]))
            add_link(self, &observations->links[i]);
}

static void
proof_finish(struct proof *self)
{
    free(self->pairs);
    free(self->blocks);
    free(self->rows);
    free(self->gradients);
    free(self->owners);
}

static bool
has_all_scenes(const struct proof *self)
{
    for (uint32_t scene = 0; scene < self->component->scene_count; scene++)
        if (self->owners[scene] == UINT32_MAX)
            return false;
    return true;
}

// --- the least point nearby ---

// How a turn about an axis of the first scene changes the rotation of X, row-major (3x3).
static void
turn_about(const double *row, int axis, double *ret_columns)
{
    for (int k = 0; k < 3; k++) {
        ret_columns[axis * 3 + k] = 0;
        ret_columns[(axis + 1) % 3 * 3 + k] = -row[(axis + 2) % 3 * SIDE + k];
        ret_columns[(axis + 2) % 3 * 3 + k] = row[(axis + 1) % 3 * SIDE + k];
    }
}

// A step of a scene as changes of X: three translations, then three rotations about where it is.
static void
find_changes(const double *row, double (*ret_changes)[ROW])
{
    memset(ret_changes, 0, 6 * sizeof *ret_changes);
    for (int axis = 0; axis < 3; axis++) {
        double columns[9];
        turn_about(row, axis, columns);
        ret_changes[axis][axis * SIDE + 3] = 1;
        for (int i = 0; i < 3; i++)
            memcpy(&ret_changes[axis + 3][i * SIDE], &columns[i * 3], 3 * sizeof *columns);
    }
}

static double
product_of(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < ROW; i++)
        sum += a[i] * b[i];
    return sum;
}

// The block of Q between two scenes, in steps of them.
static void
pull_back(const double (*left)[ROW], const double *block, const double (*right)[ROW], double *ret)
{
    for (int k = 0; k < 6; k++) {
        double row[ROW] = {0};
        add_product(row, left[k], block, false);
        for (int m = 0; m < 6; m++)
            ret[k * 6 + m] = product_of(row, right[m]);
    }
}

// What the gradient pulls at a scene, added with the pair that owns it.
static void
find_pull(const struct proof *self, size_t pair, uint32_t scene, const double (*changes)[ROW],
          double *ret_pull)
{
    for (int k = 0; k < 6; k++)
        ret_pull[k] =
            self->owners[scene] == pair ? -product_of(changes[k], self->gradients[scene]) : 0;
}

// Writes the equations of a step; the matrix is that of the first step.
static void
fill_step(const struct proof *self, normal_equations_t *normal, bool with_matrix)
{
    normal_equations_clear(normal, with_matrix);
    for (size_t i = 0; i < self->count; i++) {
        uint32_t a = self->pairs[i].a, b = self->pairs[i].b;
        double changes_a[6][ROW], changes_b[6][ROW], aa[36], ab[36], bb[36], pull_a[6], pull_b[6];
        const double(*at_a)[ROW] = (const double(*)[ROW])changes_a;
        const double(*at_b)[ROW] = (const double(*)[ROW])changes_b;
        find_changes(self->rows[a], changes_a);
        find_changes(self->rows[b], changes_b);
        find_pull(self, i, a, at_a, pull_a);
        find_pull(self, i, b, at_b, pull_b);
        normal_equations_pull(normal, i, pull_a, pull_b);
        if (!with_matrix)
            continue;
        pull_back(at_a, self->blocks[i].aa, at_a, aa);
        pull_back(at_a, self->blocks[i].ab, at_b, ab);
        pull_back(at_b, self->blocks[i].bb, at_b, bb);
        normal_equations_add(normal, i, aa, ab, bb);
    }
}

// Moves the poses by a step. Returns what it gains.
static double
take_step(const struct proof *self, const double *steps, struct rigid *poses)
{
    double gain = 0;
    for (uint32_t scene = 1; scene < self->component->scene_count; scene++) {
        const double *step = steps + (size_t)(scene - 1) * 6;
        double changes[6][ROW], turn[6] = {0, 0, 0, step[3], step[4], step[5]};
        find_changes(self->rows[scene], changes);
        for (int k = 0; k < 6; k++)
            gain -= step[k] * product_of(changes[k], self->gradients[scene]);
        struct rigid by = rigid_exp(turn), at = {.rotation = {1, 0, 0, 0}};
        memcpy(at.rotation, poses[scene].rotation, sizeof at.rotation);
        at = rigid_compose(&by, &at);
        memcpy(poses[scene].rotation, at.rotation, sizeof at.rotation);
        for (int i = 0; i < 3; i++)
            poses[scene].translation[i] += step[i];
    }
    return gain;
}

// Places in the equations: the first scene stays where it is.
static normal_equations_t *
create_equations(struct proof *self)
{
    struct normal_pair *pairs = memory_take(self->count * sizeof *pairs + 1);
    for (size_t i = 0; i < self->count; i++)
        pairs[i] = (struct normal_pair){self->pairs[i].a ? self->pairs[i].a - 1 : NORMAL_FIXED,
                                        self->pairs[i].b ? self->pairs[i].b - 1 : NORMAL_FIXED};
    normal_equations_t *normal = normal_equations_create(self->component->scene_count - 1, pairs,
                                                         self->count, NULL, &self->effort);
    free(pairs);
    return normal;
}

// Moves X from where it is to the least point nearby. One factor serves all steps.
static bool
descend(struct proof *self)
{
    uint32_t scene_count = self->component->scene_count;
    struct rigid *poses = memory_take(scene_count * sizeof *poses);
    double *steps = memory_take(scene_count * 6 * sizeof *steps);
    memcpy(poses, self->component->poses, scene_count * sizeof *poses);
    normal_equations_t *normal = create_equations(self);
    bool is_there = false;
    for (int i = 0; i < STEPS && !is_there && !effort_is_over(&self->effort); i++) {
        fill_step(self, normal, i == 0);
        if (i == 0 && !normal_equations_factor(normal, 0, &self->effort))
            break;
        normal_equations_solve(normal, steps);
        is_there = take_step(self, steps, poses) < CLOSE;
        move_to(self, poses);
    }
    normal_equations_destroy(&normal);
    free(poses);
    free(steps);
    return is_there;
}

// --- the dual ---

// The sum of the traces of the multipliers.
static double
bound_of(const struct proof *self)
{
    double bound = 0;
    for (uint32_t scene = 0; scene < self->component->scene_count; scene++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                bound += self->gradients[scene][i * SIDE + k] * self->rows[scene][i * SIDE + k];
    return bound;
}

// Spreads a block of Q to the six rows that the equations have for a scene. All translations
// together are free, so that of the first scene is left out.
static void
spread(const struct normal_pair *pair, const double *block, bool is_a, bool is_to_a, double *ret)
{
    memset(ret, 0, 36 * sizeof *ret);
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            bool is_left_out =
                (i == 3 && is_a && pair->a == 0) || (k == 3 && is_to_a && pair->a == 0);
            ret[i * 6 + k] = is_left_out ? 0 : block[i * SIDE + k];
        }
}

// Adds what belongs to a scene alone: margin and multiplier, and ones for what is left out.
static void
add_scene(const struct proof *self, size_t pair, uint32_t scene, double *block)
{
    const double *row = self->rows[scene], *gradient = self->gradients[scene];
    if (self->owners[scene] != pair)
        return;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double multiplier = 0;
            for (int m = 0; m < 3; m++)
                multiplier += row[m * SIDE + i] * gradient[m * SIDE + k] +
                              row[m * SIDE + k] * gradient[m * SIDE + i];
            block[i * 6 + k] += (i == k ? self->margin : 0) - multiplier / 2;
        }
    for (int i = scene ? 4 : 3; i < 6; i++)
        block[i * 7] += 1;
}

// Writes Q - L + margin. Returns its largest entry on the diagonal.
static double
fill(const struct proof *self, normal_equations_t *normal)
{
    double largest = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct normal_pair *pair = &self->pairs[i];
        double aa[36], ab[36], bb[36];
        spread(pair, self->blocks[i].aa, true, true, aa);
        spread(pair, self->blocks[i].ab, true, false, ab);
        spread(pair, self->blocks[i].bb, false, false, bb);
        add_scene(self, i, pair->a, aa);
        add_scene(self, i, pair->b, bb);
        normal_equations_add(normal, i, aa, ab, bb);
        for (int k = 0; k < 6; k++)
            largest = fmax(largest, fmax(fabs(aa[k * 7]), fabs(bb[k * 7])));
    }
    return largest;
}

static bool
is_positive(struct proof *self)
{
    normal_equations_t *normal = normal_equations_create(self->component->scene_count, self->pairs,
                                                         self->count, NULL, &self->effort);
    bool is_exact = !effort_is_over(&self->effort) && fill(self, normal) * ROUNDING < self->margin;
    bool is_proven = is_exact && normal_equations_factor(normal, 0, &self->effort) &&
                     normal_equations_is_positive(normal);
    normal_equations_destroy(&normal);
    return is_proven;
}

bool
certificate_check(const struct component *self)
{
    struct proof proof;
    if (self->is_given_up || effort_is_stopped(self->effort))
        return false;
    proof_init(&proof, self);
    double form = move_to(&proof, self->poses);
    bool is_certified = has_all_scenes(&proof) && descend(&proof) &&
                        form - bound_of(&proof) <= CERTIFICATE_GAP / 2 && is_positive(&proof);
    proof_finish(&proof);
    return is_certified;
}
