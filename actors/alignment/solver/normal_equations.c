// normal_equations.c - the normal equations by CHOLMOD (normal_equations.h).
#include "actors/alignment/solver/normal_equations.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/sparse_functions.h"
#include "proto/base/memory.h"

enum { MOST_ENTRIES = 25000000 }; // of a factor that is bounded: 12 bytes each

// The place of a pair's block in the lower triangle: that of (b, a) if a comes before b.
struct place {
    uint32_t column, slot; // slot: among the blocks of the column
    bool is_transposed;
};

struct normal_equations {
    uint32_t node_count;
    size_t pair_count;
    struct normal_pair *pairs;
    struct place *places; // by pair; of two free nodes
    uint32_t *starts;     // by column: its first block among all, the diagonal one; node_count + 1
    double *pulls;        // 6 a node
    int *positions;       // by row: where it stands in the factor
    cholmod_sparse *matrix;
    cholmod_factor *factor;
    double entries, operations; // that the factor will have, that it takes
    cholmod_common common;
};

// --- the pattern ---

static int
compare_keys(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static uint64_t
key_of(const struct normal_pair *pair)
{
    bool is_ordered = pair->a < pair->b;
    return (uint64_t)(is_ordered ? pair->a : pair->b) << 32 | (is_ordered ? pair->b : pair->a);
}

static bool
is_free(const struct normal_pair *pair)
{
    return pair->a != NORMAL_FIXED && pair->b != NORMAL_FIXED;
}

// Column and row of each block in order, the diagonal ones too. Returns how many.
static size_t
list_blocks(const normal_equations_t *self, uint64_t *keys)
{
    size_t count = 0, kept = 0;
    for (uint64_t node = 0; node < self->node_count; node++)
        keys[count++] = node << 32 | node;
    for (size_t i = 0; i < self->pair_count; i++)
        if (is_free(&self->pairs[i]))
            keys[count++] = key_of(&self->pairs[i]);
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        if (!kept || keys[kept - 1] != keys[i])
            keys[kept++] = keys[i];
    return kept;
}

static void
find_places(normal_equations_t *self, const uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < self->pair_count; i++) {
        const struct normal_pair *pair = &self->pairs[i];
        if (!is_free(pair))
            continue;
        uint64_t key = key_of(pair);
        const uint64_t *found = bsearch(&key, keys, count, sizeof *keys, compare_keys);
        uint32_t column = (uint32_t)(key >> 32);
        self->places[i] = (struct place){.column = column,
                                         .slot = (uint32_t)(found - keys) - self->starts[column],
                                         .is_transposed = pair->a < pair->b};
    }
}

// The order of elimination of nodes, spread to the six rows of each.
static void
order_rows(const struct normal_blocks *blocks, struct normal_order *last, struct effort *effort,
           int *ret_order)
{
    int *order = memory_take(blocks->node_count * sizeof *order);
    normal_order_find(blocks, last, effort, order);
    for (uint32_t node = 0; node < blocks->node_count; node++)
        for (int i = 0; i < 6; i++)
            ret_order[node * 6 + (uint32_t)i] = order[node] * 6 + i;
    free(order);
}

static void
lay_out_matrix(normal_equations_t *self, const struct normal_blocks *blocks)
{
    size_t size = (size_t)self->node_count * 6;
    self->matrix = sparse_functions()->allocate_sparse(size, size, blocks->count * MATRIX6_SIZE,
                                                       true, true, -1, CHOLMOD_REAL, &self->common);
    int *columns = self->matrix->p, *rows = self->matrix->i, filled = 0;
    for (uint32_t node = 0; node < self->node_count; node++)
        for (int column = 0; column < 6; column++) {
            columns[node * 6 + (uint32_t)column] = filled;
            for (uint32_t block = self->starts[node]; block < self->starts[node + 1]; block++)
                for (int row = 0; row < 6; row++)
                    rows[filled++] = (int)(uint32_t)blocks->keys[block] * 6 + row;
        }
    columns[size] = filled;
}

static void
analyse(normal_equations_t *self, const struct normal_blocks *blocks, struct normal_order *last,
        struct effort *effort)
{
    int size = (int)self->node_count * 6, *order = memory_take((size_t)size * sizeof *order + 1);
    order_rows(blocks, last, effort, order);
    lay_out_matrix(self, blocks);
    self->factor = sparse_functions()->analyze_p(self->matrix, order, NULL, 0, &self->common);
    assert(self->factor);
    self->entries = self->common.lnz;
    self->operations = self->common.fl;
    self->positions = memory_take((size_t)size * sizeof *order + 1);
    for (int i = 0; i < size; i++)
        self->positions[((int *)self->factor->Perm)[i]] = i;
    free(order);
}

normal_equations_t *
normal_equations_create(uint32_t node_count, const struct normal_pair *pairs, size_t pair_count,
                        struct normal_order *last, struct effort *effort)
{
    normal_equations_t *self = memory_take_zeroed(sizeof *self);
    sparse_start(&self->common);
    self->node_count = node_count;
    self->pair_count = pair_count;
    self->pairs = memory_take(pair_count * sizeof *pairs + 1);
    memcpy(self->pairs, pairs, pair_count * sizeof *pairs);
    self->places = memory_take_zeroed(pair_count * sizeof *self->places + 1);
    self->pulls = memory_take_zeroed(node_count * 6 * sizeof *self->pulls + 1);
    self->starts = memory_take_zeroed((node_count + 1) * sizeof *self->starts);
    uint64_t *keys = memory_take((node_count + pair_count) * sizeof *keys + 1);
    size_t count = list_blocks(self, keys);
    for (size_t i = 0; i < count; i++)
        self->starts[(keys[i] >> 32) + 1]++;
    for (uint32_t node = 0; node < node_count; node++)
        self->starts[node + 1] += self->starts[node];
    find_places(self, keys, count);
    if (node_count)
        analyse(self, &(struct normal_blocks){node_count, count, keys, self->starts}, last, effort);
    free(keys);
    normal_equations_clear(self, true);
    return self;
}

void
normal_equations_freeze(normal_equations_t *self)
{
    sparse_functions()->free_sparse(&self->matrix, &self->common);
    free(self->pairs);
    free(self->places);
    free(self->pulls);
    free(self->starts);
    self->pairs = NULL;
    self->places = NULL;
    self->pulls = NULL;
    self->starts = NULL;
    sparse_functions()->free_work(&self->common);
}

void
normal_equations_destroy(normal_equations_t **self)
{
    if (!*self)
        return;
    normal_equations_freeze(*self);
    sparse_functions()->free_factor(&(*self)->factor, &(*self)->common);
    sparse_functions()->finish(&(*self)->common);
    free((*self)->positions);
    free(*self);
    *self = NULL;
}

// --- the numbers ---

void
normal_equations_clear(normal_equations_t *self, bool with_matrix)
{
    memset(self->pulls, 0, self->node_count * 6 * sizeof *self->pulls);
    if (self->matrix && with_matrix)
        memset(self->matrix->x, 0, self->matrix->nzmax * sizeof(double));
}

static void
add_block(normal_equations_t *self, uint32_t column, uint32_t slot, const double *block,
          bool is_transposed)
{
    uint32_t start = self->starts[column];
    size_t height = (size_t)(self->starts[column + 1] - start) * 6;
    double *values = (double *)self->matrix->x + (size_t)start * MATRIX6_SIZE + slot * 6;
    for (size_t i = 0; i < 6; i++)
        for (size_t row = 0; row < 6; row++)
            values[i * height + row] += is_transposed ? block[i * 6 + row] : block[row * 6 + i];
}

void
normal_equations_add(normal_equations_t *self, size_t index, const double *block_aa,
                     const double *block_ab, const double *block_bb)
{
    const struct normal_pair *pair = &self->pairs[index];
    const struct place *place = &self->places[index];
    if (pair->a != NORMAL_FIXED)
        add_block(self, pair->a, 0, block_aa, false);
    if (pair->b != NORMAL_FIXED)
        add_block(self, pair->b, 0, block_bb, false);
    if (is_free(pair))
        add_block(self, place->column, place->slot, block_ab, place->is_transposed);
}

void
normal_equations_pull(normal_equations_t *self, size_t index, const double *pull_a,
                      const double *pull_b)
{
    const struct normal_pair *pair = &self->pairs[index];
    for (uint32_t i = 0; i < 6; i++) {
        if (pair->a != NORMAL_FIXED)
            self->pulls[pair->a * 6 + i] += pull_a[i];
        if (pair->b != NORMAL_FIXED)
            self->pulls[pair->b * 6 + i] += pull_b[i];
    }
}

// Multiplies the diagonal. The first entry of a column's diagonal block is not its diagonal one.
static void
scale_diagonal(normal_equations_t *self, double factor)
{
    const int *columns = self->matrix->p;
    double *values = self->matrix->x;
    for (uint32_t i = 0; i < self->node_count * 6; i++)
        values[(uint32_t)columns[i] + i % 6] *= factor;
}

// Makes the factor the identity, from which rows are factored one after another.
static void
begin_factor(normal_equations_t *self)
{
    int *counts = self->factor->nz;
    self->factor->minor = self->factor->n;
    for (size_t i = 0; counts && i < self->factor->n; i++)
        counts[i] = 1;
}

// Factors row by row, as cholmod_factorize does, but may end after each node.
static bool
factor_rows(normal_equations_t *self, cholmod_sparse *upper, struct effort *effort)
{
    double no_shift[2] = {0, 0};
    begin_factor(self);
    for (size_t row = 0; row < self->factor->n; row += 6)
        if (!sparse_functions()->rowfac(upper, NULL, no_shift, row, row + 6, self->factor,
                                        &self->common) ||
            self->common.status != CHOLMOD_OK || !effort_spend(effort, self->common.rowfacfl))
            return false;
    return true;
}

bool
normal_equations_factor(normal_equations_t *self, double damping, struct effort *effort)
{
    if (!self->node_count)
        return true;
    if (effort && (self->entries > MOST_ENTRIES || self->operations > effort->left))
        effort_exhaust(effort);
    if (effort_is_over(effort))
        return false;
    if (damping > 0)
        scale_diagonal(self, 1 + damping);
    cholmod_sparse *upper =
        sparse_functions()->ptranspose(self->matrix, 2, self->factor->Perm, NULL, 0, &self->common);
    bool is_done = factor_rows(self, upper, effort);
    sparse_functions()->free_sparse(&upper, &self->common);
    if (damping > 0)
        scale_diagonal(self, 1 / (1 + damping));
    return is_done;
}

bool
normal_equations_is_positive(const normal_equations_t *self)
{
    if (!self->node_count)
        return true;
    const int *starts = self->factor->p;
    const double *values = self->factor->x;
    for (size_t i = 0; i < self->factor->n; i++)
        if (!(values[starts[i]] > 0)) // NaN is no pivot either
            return false;
    return true;
}

void
normal_equations_solve(normal_equations_t *self, double *ret_steps)
{
    if (!self->node_count)
        return;
    size_t size = (size_t)self->node_count * 6;
    cholmod_dense pulls = {.nrow = size,
                           .ncol = 1,
                           .nzmax = size,
                           .d = size,
                           .x = self->pulls,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *steps =
        sparse_functions()->solve(CHOLMOD_A, self->factor, &pulls, &self->common);
    memcpy(ret_steps, steps->x, size * sizeof *ret_steps);
    sparse_functions()->free_dense(&steps, &self->common);
}

double *
normal_equations_pulls(normal_equations_t *self)
{
    return self->pulls;
}

struct factor_view
normal_equations_view(const normal_equations_t *self)
{
    return (struct factor_view){self->factor, self->positions};
}

double
normal_equations_operations(const normal_equations_t *self)
{
    return self->operations;
}

double
normal_equations_entries(const normal_equations_t *self)
{
    return self->entries;
}

void
normal_equations_covariance(const normal_equations_t *self, uint32_t a, const double *jacobian_a,
                            uint32_t b, const double *jacobian_b, double *ret_covariance)
{
    if (!self->node_count || (a == NORMAL_FIXED && b == NORMAL_FIXED)) {
        memset(ret_covariance, 0, MATRIX6_SIZE * sizeof *ret_covariance);
        return;
    }
    const struct factor_view view = normal_equations_view(self);
    struct factor_columns columns;
    factor_columns_find(&view, a, jacobian_a, b, jacobian_b, &columns);
    factor_columns_covariance(&columns, &view, ret_covariance);
    factor_columns_finish(&columns);
}
