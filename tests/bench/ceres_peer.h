// ceres_peer.h - a pose graph solved by Ceres, a peer of the solver: plain least squares over all
// edges, or with the loss of Cauchy.
#ifndef DIORAMA_TESTS_BENCH_CERES_PEER_H
#define DIORAMA_TESTS_BENCH_CERES_PEER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ceres_edge {
    int from, to;
    double rotation[4], translation[3]; // of the motion, as in rigid.h
    double information[36];
};

struct ceres_pose {
    double rotation[4], translation[3];
};

// `poses` hold the start and get the solution. Each edge weighs 1 / `scale`. `loss` is the residual
// (in sigmas) from which the loss of Cauchy grows slower than squares; 0 = squares. One thread.
void ceres_peer_solve(const struct ceres_edge *edges, int edge_count, struct ceres_pose *poses,
                      double scale, double loss);

#ifdef __cplusplus
}
#endif

#endif
