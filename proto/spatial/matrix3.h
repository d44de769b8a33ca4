// matrix3.h - products of matrices of 3 × 3, which are 9 numbers row by row.
#ifndef DIORAMA_PROTO_SPATIAL_MATRIX3_H
#define DIORAMA_PROTO_SPATIAL_MATRIX3_H

// a · b: first `b`, then `a`. The product may be one of the two.
void matrix3_multiply(const double *a, const double *b, double *ret_product);

// The inverse, if the matrix is a rotation.
void matrix3_transpose(double *matrix);

// The matrix times a column of 3 numbers. The result may be that column.
void matrix3_rotate(const double *matrix, const double *vector, double *ret_vector);

#endif
