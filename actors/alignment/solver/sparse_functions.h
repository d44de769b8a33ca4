// sparse_functions.h - what is called of CHOLMOD: each member `x` is cholmod_x.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SPARSE_FUNCTIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SPARSE_FUNCTIONS_H

#include <suitesparse/cholmod.h>

// clang-format off
#define SPARSE_FUNCTIONS(X)                                                                        \
    X(start) X(finish) X(allocate_sparse) X(free_sparse) X(free_factor) X(free_dense)              \
    X(free_work) X(zeros) X(amd) X(analyze_p) X(ptranspose) X(rowfac) X(solve) X(solve2)
// clang-format on

struct sparse_functions {
#define X(name) __typeof__(cholmod_##name) *name;
    SPARSE_FUNCTIONS(X)
#undef X
};

// The first call opens the library (late_library.h). Any thread.
const struct sparse_functions *sparse_functions(void);

// Begins what a caller works with, each thread its own: simplicial factors, never supernodal ones
// (that module is not under the LGPL), in the order that is given. cholmod_finish ends it.
void sparse_start(cholmod_common *common);

#endif
