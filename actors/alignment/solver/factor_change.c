// factor_change.c - the identity of Woodbury on half-solved columns (factor_change.h). With
// M0 = L D L^T, M = M0 + J^T W J and L Y = J^T:
//   M^-1 = L^-T D^-1 (1 - Y K Y^T D^-1) L^-1,   K = (1 + W C)^-1 W,   C = Y^T D^-1 Y.
// Columns of Y reach no rows but those on the way to the root of the tree of elimination.
#include "actors/alignment/solver/factor_change.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/late_library.h"
#include "actors/alignment/solver/matrix6.h"
#include "proto/base/memory.h"

struct factor_change {
    size_t size;     // columns of Y: six a pair
    size_t count;    // rows of the factor that any of them reaches
    int *rows;       // which these are
    int *places;     // of each row of the factor: among them, or below 0
    double *columns; // Y, row-major
    double *pivots;  // of the rows
    double *kernel;  // K
};

// LAPACK and, below it, BLAS, column-major: X of A X = B in the place of B; one triangle of A A^T.
typedef void solve_dense(const int *n, const int *sides, double *a, const int *lda, int *pivots,
                         double *b, const int *ldb, int *ret_info);
typedef void square_dense(const char *triangle, const char *transposed, const int *n, const int *k,
                          const double *alpha, const double *a, const int *lda, const double *beta,
                          double *c, const int *ldc, size_t, size_t);
static solve_dense *solve;
static square_dense *square;
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;

static void
look_up(void)
{
    solve = (solve_dense *)late_library_function(LAPACK_FILE, "dgesv_");
    square = (square_dense *)late_library_function(LAPACK_FILE, "dsyrk_");
}

// --- columns ---

static void
list_rows(factor_change_t *self, const struct factor_view *view, const struct factor_columns *found,
          size_t count)
{
    size_t all = view->factor->n;
    self->places = memory_take(all * sizeof *self->places);
    memset(self->places, 0xff, all * sizeof *self->places);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < found[i].count; k++)
            self->places[found[i].rows[k]] = 0;
    for (size_t row = 0; row < all; row++)
        if (self->places[row] == 0)
            self->places[row] = (int)self->count++;
    self->rows = memory_take(self->count * sizeof *self->rows + 1);
    self->pivots = memory_take(self->count * sizeof *self->pivots + 1);
    for (size_t row = 0; row < all; row++)
        if (self->places[row] >= 0) {
            self->rows[self->places[row]] = (int)row;
            self->pivots[self->places[row]] = factor_pivot(view, (int)row);
        }
}

static void
take_columns(factor_change_t *self, const struct factor_columns *found, size_t count)
{
    self->columns = memory_take_zeroed(self->count * self->size * sizeof *self->columns + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < found[i].count; k++)
            memcpy(self->columns + (size_t)self->places[found[i].rows[k]] * self->size + i * 6,
                   found[i].values + k * 6, 6 * sizeof *self->columns);
}

static void
find_columns(factor_change_t *self, const struct factor_view *view, const struct factor_pair *pairs,
             size_t count)
{
    struct factor_columns *found = memory_take(count * sizeof *found + 1);
    for (size_t i = 0; i < count; i++)
        factor_columns_find(view, pairs[i].a, pairs[i].jacobian_a, pairs[i].b, pairs[i].jacobian_b,
                            &found[i]);
    list_rows(self, view, found, count);
    take_columns(self, found, count);
    for (size_t i = 0; i < count; i++)
        factor_columns_finish(&found[i]);
    free(found);
}

// --- the kernel ---

// C = S S^T, where S is Y^T with each column over the root of its pivot. It is symmetric.
static double *
find_covariance(const factor_change_t *self)
{
    size_t size = self->size;
    int order = (int)size, count = (int)self->count;
    double one = 1, zero = 0, *covariance = memory_take(size * size * sizeof *covariance + 1);
    double *scaled = memory_take(self->count * size * sizeof *scaled + 1);
    for (size_t i = 0; i < self->count * size; i++)
        scaled[i] = self->columns[i] / sqrt(self->pivots[i / size]);
    if (size)
        square("U", "N", &order, &count, &one, scaled, &order, &zero, covariance, &order, 1, 1);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < i; k++)
            covariance[k * size + i] = covariance[i * size + k];
    free(scaled);
    return covariance;
}

// Writes W and 1 + W C, both column-major. W is symmetric, pair by pair.
static void
fill_system(const factor_change_t *self, const struct factor_pair *pairs, const double *covariance,
            double *ret_matrix)
{
    size_t size = self->size;
    for (size_t row = 0; row < size; row++) {
        const double *weight = pairs[row / 6].weight + row % 6 * 6;
        memcpy(self->kernel + row * size + row / 6 * 6, weight, 6 * sizeof *weight);
        for (size_t column = 0; column < size; column++) {
            double sum = row == column;
            for (size_t i = 0; i < 6; i++)
                sum += weight[i] * covariance[column * size + row / 6 * 6 + i];
            ret_matrix[column * size + row] = sum;
        }
    }
}

static bool
find_kernel(factor_change_t *self, const struct factor_pair *pairs)
{
    int size = (int)self->size, info = 0;
    double *covariance = find_covariance(self);
    double *matrix = memory_take(self->size * self->size * sizeof *matrix + 1);
    int *pivots = memory_take(self->size * sizeof *pivots + 1);
    self->kernel = memory_take_zeroed(self->size * self->size * sizeof *self->kernel + 1);
    fill_system(self, pairs, covariance, matrix);
    if (size)
        solve(&size, &size, matrix, &size, pivots, self->kernel, &size, &info);
    free(covariance);
    free(matrix);
    free(pivots);
    return info == 0;
}

factor_change_t *
factor_change_create(const struct factor_view *view, const struct factor_pair *pairs, size_t count)
{
    factor_change_t *self = memory_take_zeroed(sizeof *self);
    self->size = count * 6;
    pthread_once(&looked_up, look_up);
    find_columns(self, view, pairs, count);
    if (!find_kernel(self, pairs))
        factor_change_destroy(&self);
    return self;
}

void
factor_change_destroy(factor_change_t **self)
{
    if (!*self)
        return;
    free((*self)->rows);
    free((*self)->places);
    free((*self)->columns);
    free((*self)->pivots);
    free((*self)->kernel);
    free(*self);
    *self = NULL;
}

// --- answers ---

// K v; K is symmetric but for rounding.
static void
apply_kernel(const factor_change_t *self, const double *vector, double *ret_product)
{
    for (size_t i = 0; i < self->size; i++) {
        ret_product[i] = 0;
        for (size_t k = 0; k < self->size; k++)
            ret_product[i] += self->kernel[i * self->size + k] * vector[k];
    }
}

void
factor_change_apply(const factor_change_t *self, double *y)
{
    size_t size = self->size;
    double *seen = memory_take_zeroed(size * 2 * sizeof *seen + 1), *back = seen + size;
    for (size_t row = 0; row < self->count; row++) {
        double scaled = y[self->rows[row]] / self->pivots[row];
        for (size_t i = 0; i < size; i++)
            seen[i] += scaled * self->columns[row * size + i];
    }
    apply_kernel(self, seen, back);
    for (size_t row = 0; row < self->count; row++)
        for (size_t i = 0; i < size; i++)
            y[self->rows[row]] -= self->columns[row * size + i] * back[i];
    free(seen);
}

// P K P^T with P = asked^T D^-1 Y.
void
factor_change_covariance(const factor_change_t *self, const struct factor_columns *asked,
                         double *covariance)
{
    size_t size = self->size;
    double *seen = memory_take_zeroed(size * 7 * sizeof *seen + 1), *back = seen + size * 6;
    for (size_t k = 0; k < asked->count; k++) {
        int row = self->places[asked->rows[k]];
        for (size_t i = 0; i < 6 && row >= 0; i++) {
            double scaled = asked->values[k * 6 + i] / self->pivots[row];
            for (size_t m = 0; m < size; m++)
                seen[i * size + m] += scaled * self->columns[(size_t)row * size + m];
        }
    }
    for (size_t i = 0; i < 6; i++) {
        apply_kernel(self, seen + i * size, back);
        for (size_t k = 0; k < 6; k++)
            for (size_t m = 0; m < size; m++)
                covariance[k * 6 + i] -= seen[k * size + m] * back[m];
    }
    free(seen);
}
