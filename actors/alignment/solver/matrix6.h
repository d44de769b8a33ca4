// matrix6.h - 6x6 matrices of twists, row-major: covariances and informations (their inverses).
// Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_MATRIX6_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_MATRIX6_H

#include <stdbool.h>

enum { MATRIX6_SIZE = 36 };

// a * b. `ret_product` may be neither.
void matrix6_multiply(const double *a, const double *b, double *ret_product);

// J^T M J.
void matrix6_pull(const double *jacobian, const double *matrix, double *ret_pulled);

// v^T M v.
double matrix6_form(const double *matrix, const double *vector);

// M v. `ret_product` may not be `vector`.
void matrix6_apply(const double *matrix, const double *vector, double *ret_product);

// self += factor * other.
void matrix6_add(double *self, double factor, const double *other);

// Solves M x = b for a symmetric positive definite M. If M is not, returns false and writes
// nothing.
bool matrix6_solve(const double *matrix, const double *vector, double *ret_solution);

// v^T M^-1 v: how far a vector is from nothing, where M is its covariance. If M is not symmetric
// positive definite, returns false and writes nothing.
bool matrix6_chi_square(const double *matrix, const double *vector, double *ret_chi_square);

// The inverse of a symmetric positive definite matrix, symmetric to the last bit. If the matrix is
// not positive definite, returns false and writes nothing.
bool matrix6_invert(const double *matrix, double *ret_inverse);

#endif
