// kept_factor.c - what is asked of the factor of another graph (kept_factor.h).
//
// Steps are twists on the right of poses. In the axes of all, on the left, an edge says how the
// steps of its two nodes differ, and nothing else. So where its poses have moved by a little, it
// says nearly the same, however long the way is on which errors add up: the factor is that of a
// matrix between 1 - e and 1 + e times the one of now, where e is as small as the movement beside
// what an edge can tell. On the right of poses that is not so: what a far node moves by there is
// the small difference of large numbers. So pulls and steps are carried from poses of now to those
// of before, on which the factor works, and back.
#include "actors/alignment/solver/kept_factor.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/factor_change.h"
#include "actors/alignment/solver/matrix6.h"
#include "proto/base/memory.h"

#define LARGE_OPERATIONS 1e7 // of a factor: a smaller one is made anew as quickly
#define LEAST_INFORMATION 1e-6
#define SAME_PAIR 0.01      // of what a pair says: a smaller difference is none
enum { MOST_CHANGES = 48 }; // pairs

// What does not change as long as anybody has it.
struct numbers {
    atomic_size_t references;
    normal_equations_t *normal;
    uint32_t node_count;
    struct rigid *poses;
    size_t pair_count;
    struct kept_pair *pairs; // by both nodes
    double turn_m;           // a pair tells a turn of one radian as well as a way of this length
};

struct kept_factor {
    struct numbers *numbers;
    double *shifts;          // from coordinates of the numbers to those of now; NULL = none
    factor_change_t *change; // NULL = none
};

static int
compare_pairs(const void *a, const void *b)
{
    const struct kept_pair *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return (left->to > right->to) - (left->to < right->to);
}

// Sorts them, and adds up those between the same nodes. Returns how many are left.
static size_t
sum_up(struct kept_pair *pairs, size_t count)
{
    size_t kept = 0;
    bool is_sorted = true;
    for (size_t i = 1; i < count; i++)
        is_sorted = is_sorted && compare_pairs(&pairs[i - 1], &pairs[i]) <= 0;
    if (!is_sorted)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++)
        if (kept && compare_pairs(&pairs[kept - 1], &pairs[i]) == 0)
            matrix6_add(pairs[kept - 1].information, 1, pairs[i].information);
        else
            pairs[kept++] = pairs[i];
    return kept;
}

// The longest way that any pair tells no better than a radian.
static double
find_turn_m(const struct kept_pair *pairs, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double *information = pairs[i].information;
        double place = fmax(information[0], fmax(information[7], information[14]));
        double turn = fmin(information[21], fmin(information[28], information[35]));
        largest = fmax(largest, place / fmax(turn, LEAST_INFORMATION));
    }
    return largest > 0 ? 1 / sqrt(largest) : 1;
}

// --- life ---

kept_factor_t *
kept_factor_create(normal_equations_t **normal, uint32_t node_count, const struct rigid *poses,
                   struct kept_pair **pairs, size_t pair_count)
{
    kept_factor_t *self = memory_take_zeroed(sizeof *self);
    self->numbers = memory_take_zeroed(sizeof *self->numbers);
    atomic_init(&self->numbers->references, 1);
    self->numbers->normal = *normal;
    self->numbers->node_count = node_count;
    self->numbers->poses = memory_take(node_count * sizeof *poses);
    memcpy(self->numbers->poses, poses, node_count * sizeof *poses);
    self->numbers->pair_count = sum_up(*pairs, pair_count);
    self->numbers->pairs = *pairs;
    self->numbers->turn_m = find_turn_m(*pairs, self->numbers->pair_count);
    *normal = NULL;
    *pairs = NULL;
    return self;
}

static void
numbers_unref(struct numbers *self)
{
    if (atomic_fetch_sub(&self->references, 1) > 1)
        return;
    normal_equations_destroy(&self->normal);
    free(self->poses);
    free(self->pairs);
    free(self);
}

void
kept_factor_destroy(kept_factor_t **self)
{
    if (!*self)
        return;
    numbers_unref((*self)->numbers);
    free((*self)->shifts);
    factor_change_destroy(&(*self)->change);
    free(*self);
    *self = NULL;
}

kept_factor_t *
kept_factor_copy(const kept_factor_t *self)
{
    kept_factor_t *copy = memory_take_zeroed(sizeof *copy);
    size_t size = self->numbers->node_count * 3 * sizeof *self->shifts;
    copy->numbers = self->numbers;
    atomic_fetch_add(&copy->numbers->references, 1);
    if (self->shifts) {
        copy->shifts = memory_take(size);
        memcpy(copy->shifts, self->shifts, size);
    }
    return copy;
}

kept_factor_t *
kept_factor_shift(const kept_factor_t *self, const double *shifts)
{
    size_t count = self->numbers->node_count * (size_t)3;
    kept_factor_t *copy = kept_factor_copy(self);
    if (!copy->shifts)
        copy->shifts = memory_take_zeroed(count * sizeof *shifts);
    for (size_t i = 0; i < count; i++)
        copy->shifts[i] += shifts[i];
    return copy;
}

// --- coordinates ---

static struct rigid
shift_of(const kept_factor_t *self, uint32_t node)
{
    struct rigid shift = rigid_identity;
    if (self->shifts)
        memcpy(shift.translation, self->shifts + node * 3, sizeof shift.translation);
    return shift;
}

// Where a node was when the factor was made, in its coordinates of now.
static struct rigid
pose_before(const kept_factor_t *self, uint32_t node)
{
    struct rigid shift = shift_of(self, node);
    return rigid_compose(&self->numbers->poses[node], &shift);
}

// What is to be done first so that node 0 is where it was.
static struct rigid
gauge_of(const kept_factor_t *self, const struct rigid *poses)
{
    struct rigid before = pose_before(self, 0);
    return rigid_between(&poses[0], &before);
}

// By what a node has moved since, on the right of its pose then, in its coordinates then.
static struct rigid
movement_of(const kept_factor_t *self, const struct rigid *gauge, const struct rigid *poses,
            uint32_t node)
{
    struct rigid back = rigid_invert(&self->numbers->poses[node]);
    struct rigid now = rigid_compose(gauge, &poses[node]);
    return rigid_compose(&back, &now);
}

// --- changes ---

static uint32_t
place_of(uint32_t node)
{
    return node ? node - 1 : NORMAL_FIXED;
}

// What a pair says, in coordinates of the numbers.
static void
carry_information(const kept_factor_t *self, const struct kept_pair *pair, double *ret_information)
{
    double adjoint[36];
    struct rigid shift = shift_of(self, pair->to), back = rigid_invert(&shift);
    rigid_adjoint(&back, adjoint);
    matrix6_pull(adjoint, pair->information, ret_information);
}

static bool
is_same(const double *information, const double *other)
{
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            if (fabs(information[row * 6 + column] - other[row * 6 + column]) >
                SAME_PAIR * sqrt(fabs(other[row * 7] * other[column * 7])))
                return false;
    return true;
}

// The pair now says `information` where it said `other` (either NULL = nothing).
static void
write_change(const kept_factor_t *self, const struct kept_pair *pair, const double *information,
             const double *other, struct factor_pair *ret_change)
{
    const struct rigid *poses = self->numbers->poses;
    struct rigid back = rigid_invert(&poses[pair->to]);
    struct rigid motion = rigid_compose(&back, &poses[pair->from]);
    *ret_change = (struct factor_pair){.a = place_of(pair->from), .b = place_of(pair->to)};
    rigid_adjoint(&motion, ret_change->jacobian_a);
    for (int i = 0; i < 6; i++)
        ret_change->jacobian_b[i * 7] = -1;
    if (information)
        matrix6_add(ret_change->weight, 1, information);
    if (other)
        matrix6_add(ret_change->weight, -1, other);
}

// Returns how many pairs say something else; beyond MOST_CHANGES they are not all written.
static size_t
list_changes(const kept_factor_t *self, const struct kept_pair *pairs, size_t count,
             struct factor_pair *ret_changes)
{
    const struct kept_pair *before = self->numbers->pairs;
    size_t changes = 0, i = 0, k = 0, before_count = self->numbers->pair_count;
    while ((i < count || k < before_count) && changes <= MOST_CHANGES) {
        int order = i == count ? 1 : k == before_count ? -1 : compare_pairs(&pairs[i], &before[k]);
        const struct kept_pair *pair = order <= 0 ? &pairs[i] : &before[k];
        double information[36];
        if (order <= 0)
            carry_information(self, pair, information);
        if (order != 0 || !is_same(information, before[k].information)) {
            if (changes < MOST_CHANGES)
                write_change(self, pair, order <= 0 ? information : NULL,
                             order >= 0 ? before[k].information : NULL, &ret_changes[changes]);
            changes++;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return changes;
}

kept_factor_t *
kept_factor_change(const kept_factor_t *self, struct kept_pair *pairs, size_t pair_count)
{
    struct factor_pair *changes = memory_take(MOST_CHANGES * sizeof *changes);
    size_t count = list_changes(self, pairs, sum_up(pairs, pair_count), changes);
    kept_factor_t *changed = count <= MOST_CHANGES ? kept_factor_copy(self) : NULL;
    struct factor_view view = normal_equations_view(self->numbers->normal);
    if (changed) {
        changed->change = factor_change_create(&view, changes, count);
        if (!changed->change)
            kept_factor_destroy(&changed);
    }
    free(changes);
    return changed;
}

bool
kept_factor_is_exact(const kept_factor_t *self)
{
    return !self->change && !self->shifts;
}

double
kept_factor_strain(const kept_factor_t *self, const struct rigid *poses)
{
    struct rigid gauge = gauge_of(self, poses);
    double largest = 0;
    for (uint32_t node = 0; node < self->numbers->node_count; node++) {
        struct rigid before = pose_before(self, node);
        struct rigid now = rigid_compose(&gauge, &poses[node]);
        double distance_m, angle_rad;
        rigid_difference(&before, &now, &distance_m, &angle_rad);
        largest = fmax(largest, distance_m / self->numbers->turn_m + angle_rad);
    }
    return largest;
}

bool
kept_factor_is_large(const kept_factor_t *self)
{
    return normal_equations_operations(self->numbers->normal) >= LARGE_OPERATIONS;
}

double
kept_factor_entries(const kept_factor_t *self)
{
    return normal_equations_entries(self->numbers->normal);
}

// --- steps ---

// The y of L y = side, or, with `is_back`, of D L^T y = side, in its place.
static void
half_solve(const struct factor_view *view, bool is_back, double *side, cholmod_common *common)
{
    size_t size = view->factor->n;
    cholmod_dense sides = {.nrow = size,
                           .ncol = 1,
                           .nzmax = size,
                           .d = size,
                           .x = side,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *answer =
        sparse_functions()->solve(is_back ? CHOLMOD_DLt : CHOLMOD_L, view->factor, &sides, common);
    memcpy(side, answer->x, size * sizeof *side);
    sparse_functions()->free_dense(&answer, common);
}

// Solves for a side in the order of the factor, in its place.
static void
solve_changed(const kept_factor_t *self, const struct factor_view *view, double *side)
{
    cholmod_common common;
    sparse_start(&common);
    half_solve(view, false, side, &common);
    if (self->change)
        factor_change_apply(self->change, side);
    half_solve(view, true, side, &common);
    sparse_functions()->finish(&common);
}

void
kept_factor_step(const kept_factor_t *self, const struct rigid *poses, const double *pulls,
                 double *ret_steps)
{
    struct factor_view view = normal_equations_view(self->numbers->normal);
    uint32_t node_count = self->numbers->node_count - 1;
    double *side = memory_take(node_count * 6 * sizeof *side + 1);
    double(*carriers)[36] = memory_take(node_count * sizeof *carriers + 1);
    struct rigid gauge = gauge_of(self, poses);
    for (uint32_t node = 0; node < node_count; node++) {
        struct rigid movement = movement_of(self, &gauge, poses, node + 1);
        struct rigid back = rigid_invert(&movement);
        rigid_adjoint(&back, carriers[node]);
        for (uint32_t i = 0; i < 6; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < 6; k++)
                sum += carriers[node][k * 6 + i] * pulls[node * 6 + k];
            side[view.positions[node * 6 + i]] = sum;
        }
    }
    solve_changed(self, &view, side);
    for (uint32_t node = 0; node < node_count; node++) {
        double step[6];
        for (uint32_t i = 0; i < 6; i++)
            step[i] = side[view.positions[node * 6 + i]];
        matrix6_apply(carriers[node], step, ret_steps + node * 6);
    }
    free(carriers);
    free(side);
}

// --- covariances ---

// With x on the right of poses, to^-1 * from moves on its left by Ad x_from - x_to.
void
kept_factor_covariance(const kept_factor_t *self, const struct rigid *poses, uint32_t from,
                       uint32_t to, double *ret_covariance)
{
    struct factor_view view = normal_equations_view(self->numbers->normal);
    double adjoint[36], minus[36] = {0};
    bool is_exact = kept_factor_is_exact(self);
    struct rigid start = is_exact ? poses[from] : self->numbers->poses[from];
    struct rigid back = rigid_invert(is_exact ? &poses[to] : &self->numbers->poses[to]);
    struct rigid motion = rigid_compose(&back, &start);
    rigid_adjoint(&motion, adjoint);
    for (int i = 0; i < 6; i++)
        minus[i * 7] = -1;
    memset(ret_covariance, 0, MATRIX6_SIZE * sizeof *ret_covariance);
    if (from == to || self->numbers->node_count < 2)
        return;
    struct factor_columns columns;
    factor_columns_find(&view, place_of(from), adjoint, place_of(to), minus, &columns);
    factor_columns_covariance(&columns, &view, ret_covariance);
    if (self->change)
        factor_change_covariance(self->change, &columns, ret_covariance);
    factor_columns_finish(&columns);
    struct rigid shift = shift_of(self, to), inwards = rigid_invert(&shift);
    if (self->shifts)
        rigid_carry_covariance(&inwards, ret_covariance, ret_covariance);
}
