// session_weights.c - precisions of the pairs of a session (session_weights.h). The corrections are
// y_k = x_k + noise, where x walks at random. With R the variances of the noise and T = R^-1 + Q,
// Q the Laplacian of the walk, what y says without x is the form y^T (R^-1 - R^-1 T^-1 R^-1) y. Its
// rows add up to zero, so it is the sum of w_ij (y_i - y_j)^2 over pairs with
// w_ij = (T^-1)_ij / (R_i R_j). T^-1 is the covariance of x given y: filtered forwards, smoothed
// backwards (Rauch, Tung and Striebel 1965), which needs no division by a drift that may be zero.
#include "actors/alignment/solver/session_weights.h"

// What is known of the place after a step, if `precision` was known before it.
static double
after_step(double precision, double drift)
{
    return precision / (1 + precision * drift);
}

void
session_weights_find(const struct session_noise *items, size_t count, size_t index,
                     double *ret_precisions)
{
    double filtered = 0, kept = 1;
    for (size_t i = 0; i < index; i++)
        filtered = after_step(filtered + 1 / items[i].noise, items[i].drift);
    // From the last one backwards, into the places of the answers: the precision that is known at
    // each place from those behind it.
    double behind = 0;
    for (size_t i = count - 1; i > index; i--) {
        ret_precisions[i - index - 1] = behind;
        behind = after_step(behind + 1 / items[i].noise, items[i - 1].drift);
    }
    for (size_t i = index; i + 1 < count; i++) {
        double known = filtered + 1 / items[i].noise;
        kept /= 1 + known * items[i].drift; // of x_index, in x_(i + 1)
        filtered = after_step(known, items[i].drift);
        double smoothed = filtered + 1 / items[i + 1].noise + ret_precisions[i - index];
        ret_precisions[i - index] = kept / (smoothed * items[index].noise * items[i + 1].noise);
    }
}
