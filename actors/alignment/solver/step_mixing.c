// step_mixing.c - Anderson's mixing of the last steps (step_mixing.h). Where a way was taken, what
// the next step asked for was another than before: such differences are combined to what is nearest
// to the present step, and the ways that led to them are taken back by as much.
#include "actors/alignment/solver/step_mixing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum { DEPTH = 4 };
#define LEAST_PIVOT 1e-10 // of the largest: differences beyond it say nothing new

struct step_mixing {
    size_t size, count;                // count: of steps so far
    double *asked;                     // the last step as it came
    double *taken;                     // and as it left
    double *asks[DEPTH], *ways[DEPTH]; // differences of what was asked; what was taken before
};

step_mixing_t *
step_mixing_create(size_t size)
{
    step_mixing_t *self = memory_take_zeroed(sizeof *self);
    self->size = size;
    self->asked = memory_take(size * sizeof *self->asked + 1);
    self->taken = memory_take(size * sizeof *self->taken + 1);
    for (int i = 0; i < DEPTH; i++) {
        self->asks[i] = memory_take(size * sizeof *self->asked + 1);
        self->ways[i] = memory_take(size * sizeof *self->taken + 1);
    }
    return self;
}

void
step_mixing_destroy(step_mixing_t **self)
{
    for (int i = 0; i < DEPTH; i++) {
        free((*self)->asks[i]);
        free((*self)->ways[i]);
    }
    free((*self)->asked);
    free((*self)->taken);
    free(*self);
    *self = NULL;
}

static double
product_of(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

// Shares of the differences, by elimination of their normal equations; 0 of what says nothing new.
static void
find_shares(const step_mixing_t *self, size_t count, const double *step, double *ret_shares)
{
    double matrix[DEPTH][DEPTH + 1];
    for (size_t row = 0; row < count; row++) {
        for (size_t column = 0; column < count; column++)
            matrix[row][column] = product_of(self->asks[row], self->asks[column], self->size);
        matrix[row][count] = product_of(self->asks[row], step, self->size);
    }
    for (size_t pivot = 0; pivot < count; pivot++) {
        double scale = product_of(self->asks[pivot], self->asks[pivot], self->size);
        for (size_t row = pivot + 1; row < count; row++) {
            double factor = matrix[pivot][pivot] > LEAST_PIVOT * scale
                                ? matrix[row][pivot] / matrix[pivot][pivot]
                                : 0;
            for (size_t column = pivot; column <= count; column++)
                matrix[row][column] -= factor * matrix[pivot][column];
        }
    }
    for (size_t row = count; row-- > 0;) {
        double scale = product_of(self->asks[row], self->asks[row], self->size);
        double sum = matrix[row][count];
        for (size_t column = row + 1; column < count; column++)
            sum -= matrix[row][column] * ret_shares[column];
        ret_shares[row] = matrix[row][row] > LEAST_PIVOT * scale ? sum / matrix[row][row] : 0;
    }
}

void
step_mixing_improve(step_mixing_t *self, double *step)
{
    double shares[DEPTH];
    if (self->count) {
        double *asks = self->asks[(self->count - 1) % DEPTH];
        double *ways = self->ways[(self->count - 1) % DEPTH];
        for (size_t i = 0; i < self->size; i++) {
            asks[i] = step[i] - self->asked[i];
            ways[i] = self->taken[i];
        }
    }
    size_t known = self->count < DEPTH ? self->count : DEPTH;
    memcpy(self->asked, step, self->size * sizeof *step);
    find_shares(self, known, step, shares);
    for (size_t k = 0; k < known; k++)
        for (size_t i = 0; i < self->size; i++)
            step[i] -= shares[k] * (self->ways[k][i] + self->asks[k][i]);
    memcpy(self->taken, step, self->size * sizeof *step);
    self->count++;
}
