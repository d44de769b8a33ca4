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

// The six columns reach the same rows.
void
factor_columns_find(const struct factor_view *view, uint32_t a, const double *jacobian_a,
                    uint32_t b, const double *jacobian_b, struct factor_columns *ret_columns)
{
    struct query query;
    *ret_columns = (struct factor_columns){0};
    query_start(view, &query);
    for (size_t column = 0; column < 6; column++) {
        ((int *)query.side_rows->p)[1] = 0;
        put_row(view, &query, a, jacobian_a + column * 6);
        put_row(view, &query, b, jacobian_b + column * 6);
        reduce(view, &query);
        const int *rows = query.answer_rows->i;
        size_t reached = (size_t)((const int *)query.answer_rows->p)[1];
        if (!ret_columns->rows) {
            ret_columns->count = reached;
            ret_columns->rows = memory_take(reached * sizeof *rows + 1);
            ret_columns->values = memory_take(reached * 6 * sizeof *ret_columns->values + 1);
            memcpy(ret_columns->rows, rows, reached * sizeof *rows);
        }
        for (size_t i = 0; i < reached; i++)
            ret_columns->values[i * 6 + column] = ((const double *)query.answer->x)[rows[i]];
    }
    query_finish(&query);
}

void
factor_columns_finish(struct factor_columns *self)
{
    free(self->rows);
    free(self->values);
}

double
factor_pivot(const struct factor_view *view, int row)
{
    const int *starts = view->factor->p;
    return ((const double *)view->factor->x)[starts[row]];
}

void
factor_columns_covariance(const struct factor_columns *self, const struct factor_view *view,
                          double *ret_covariance)
{
    memset(ret_covariance, 0, MATRIX6_SIZE * sizeof *ret_covariance);
    for (size_t i = 0; i < self->count; i++) {
        double pivot = factor_pivot(view, self->rows[i]);
        for (size_t row = 0; row < 6; row++)
            for (size_t column = 0; column < 6; column++)
                ret_covariance[row * 6 + column] +=
                    self->values[i * 6 + row] * self->values[i * 6 + column] / pivot;
    }
}
