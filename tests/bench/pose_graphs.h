// pose_graphs.h - pose graphs for the benchmark: read from g2o files, or made up.
#ifndef DIORAMA_TESTS_BENCH_POSE_GRAPHS_H
#define DIORAMA_TESTS_BENCH_POSE_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/rigid.h"

struct edge {
    uint32_t from, to;
    struct rigid motion;    // maps coordinates of `from` to those of `to`
    double information[36]; // inverse covariance of twists on its left
    bool is_false, is_odometry;
};

struct graph {
    uint32_t node_count;
    size_t edge_count, edge_room, genuine_count;
    struct edge *edges;
    struct rigid *clean; // as solved without false edges
    double extent_m;
    size_t left_out; // lines of the file that are no 3-D pose and no 3-D edge
};

// Reads a g2o file (VERTEX_SE3:QUAT, EDGE_SE3:QUAT), or makes the graph that `name` says:
// "sphere:N" and "torus:N" (rings around a surface, each beside the one before) or "grid:N" (a cube
// whose poses are passed row by row), with about N poses. Noise is 5 cm and 0.02 rad. False if
// there is no such file.
bool graph_open(struct graph *self, const char *name);
void graph_finish(struct graph *self);

// Adds an edge, all zero.
struct edge *graph_add(struct graph *self);

#endif
