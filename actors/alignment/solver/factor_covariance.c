// factor_covariance.c - covariances by forward substitution (factor_covariance.h).
#include "actors/alignment/solver/factor_covariance.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/normal_equations.h"
#include "proto/base/memory.h"

// What a covariance is worked out with: each caller its own.
struct query {
    cholmod_common common;
    cholmod_dense *side, *answer, *work, *more_work;
    cholmod_sparse *side_rows, *answer_rows;
};

static void
put_row(const struct factor_view *self, struct query *query, uint32_t node, const double *row)
{
    int *count = (int *)query->side_rows->p + 1, *rows = query->side_rows->i;
    for (uint32_t i = 0; i < 6 && node != NORMAL_FIXED; i++) {
        int position = self->positions[node * 6 + i];
        ((double *)query->side->x)[position] = row[i];
        rows[(*count)++] = position;
    }
}

// y of L y = side. Only what the side reaches in the tree of elimination is touched.
static void
reduce(const struct factor_view *self, struct query *query)
{
    sparse_functions()->solve2(CHOLMOD_L, self->factor, query->side, query->side_rows,
                               &query->answer, &query->answer_rows, &query->work, &query->more_work,
                               &query->common);
}

static void
query_start(const struct factor_view *self, struct query *query)
{
    *query = (struct query){0};
    sparse_start(&query->common);
    size_t size = self->factor->n;
    query->side = sparse_functions()->zeros(size, 1, CHOLMOD_REAL, &query->common);
    query->side_rows = sparse_functions()->allocate_sparse(size, 1, 12, false, true, 0,
                                                           CHOLMOD_PATTERN, &query->common);
}

static void
query_finish(struct query *query)
{
    sparse_functions()->free_dense(&query->side, &query->common);
    sparse_functions()->free_dense(&query->answer, &query->common);
    sparse_functions()->free_dense(&query->work, &query->common);
    sparse_functions()->free_dense(&query->more_work, &query->common);
    sparse_functions()->free_sparse(&query->side_rows, &query->common);
    sparse_functions()->free_sparse(&query->answer_rows, &query->common);
    sparse_functions()->finish(&query->common);
}

// With M = L D L^T and J = [A B]: J M^-1 J^T = Y^T D^-1 Y, where L Y = J^T. The six columns of Y
// reach the same rows.
void
factor_covariance(const struct factor_view *self, uint32_t a, const double *jacobian_a, uint32_t b,
                  const double *jacobian_b, double *ret_covariance)
{
    memset(ret_covariance, 0, MATRIX6_SIZE * sizeof *ret_covariance);
    struct query query;
    query_start(self, &query);
    double *columns = NULL;
    size_t reached = 0;
    for (size_t column = 0; column < 6; column++) {
        ((int *)query.side_rows->p)[1] = 0;
        put_row(self, &query, a, jacobian_a + column * 6);
        put_row(self, &query, b, jacobian_b + column * 6);
        reduce(self, &query);
        const int *rows = query.answer_rows->i;
        if (!columns) {
            reached = (size_t)((const int *)query.answer_rows->p)[1];
            columns = memory_take(reached * 6 * sizeof *columns);
        }
        for (size_t i = 0; i < reached; i++)
            columns[i * 6 + column] = ((const double *)query.answer->x)[rows[i]];
    }
    const int *rows = query.answer_rows->i, *starts = self->factor->p;
    for (size_t i = 0; i < reached; i++) {
        double pivot = ((const double *)self->factor->x)[starts[rows[i]]];
        for (size_t row = 0; row < 6; row++)
            for (size_t column = 0; column < 6; column++)
                ret_covariance[row * 6 + column] +=
                    columns[i * 6 + row] * columns[i * 6 + column] / pivot;
    }
    free(columns);
    query_finish(&query);
}
