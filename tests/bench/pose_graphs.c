// pose_graphs.c - reads and makes pose graphs (pose_graphs.h).
#include "tests/bench/pose_graphs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "proto/base/memory.h"
#include "tests/support/worlds.h"

#define PI 3.14159265358979323846
#define SIGMA_T 0.05
#define SIGMA_R 0.02

enum { EDGE_NUMBERS = 30 }; // two ids, a pose of seven numbers, the upper triangle of a 6x6 matrix

struct edge *
graph_add(struct graph *self)
{
    if (self->edge_count == self->edge_room) {
        self->edge_room = self->edge_room ? self->edge_room * 2 : 1024;
        self->edges = realloc(self->edges, self->edge_room * sizeof *self->edges);
        if (!self->edges)
            abort();
    }
    struct edge *edge = &self->edges[self->edge_count++];
    memset(edge, 0, sizeof *edge);
    return edge;
}

// --- files ---

// Edge i, j: pose, upper triangle of an information about x, y, z and the vector of the quaternion,
// half of the rotation in radians, on the right of the motion from j to i.
static void
read_edge(struct graph *self, const double *numbers)
{
    struct edge *edge = graph_add(self);
    double information[36], adjoint[36];
    struct rigid motion = {.rotation = {numbers[8], numbers[5], numbers[6], numbers[7]},
                           .translation = {numbers[2], numbers[3], numbers[4]}};
    const double *next = numbers + 9;
    for (int row = 0; row < 6; row++)
        for (int column = row; column < 6; column++)
            information[row * 6 + column] = information[column * 6 + row] =
                *next++ * (row < 3 ? 1 : 0.5) * (column < 3 ? 1 : 0.5);
    edge->from = (uint32_t)numbers[1];
    edge->to = (uint32_t)numbers[0];
    edge->is_odometry = edge->from == edge->to + 1;
    edge->motion = rigid_compose(&motion, &rigid_identity);
    struct rigid back = rigid_invert(&edge->motion);
    rigid_adjoint(&back, adjoint);
    matrix6_pull(adjoint, information, edge->information);
}

static void
read_line(struct graph *self, const char *line)
{
    double numbers[EDGE_NUMBERS];
    int count = 0;
    const char *rest = line + strcspn(line, " ");
    for (char *end; count < EDGE_NUMBERS; rest = end, count++) {
        numbers[count] = strtod(rest, &end);
        if (end == rest)
            break;
    }
    if (strncmp(line, "VERTEX_SE3:QUAT ", 16) == 0)
        self->node_count++;
    else if (strncmp(line, "EDGE_SE3:QUAT ", 14) == 0 && count == EDGE_NUMBERS)
        read_edge(self, numbers);
    else
        self->left_out++;
}

static bool
read_file(struct graph *self, const char *path)
{
    static char line[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file))
        read_line(self, line);
    fclose(file);
    return self->node_count > 0;
}

// --- made up ---

// Poses that are passed one after the other; `width` of them are a ring, or a row.
struct shape {
    const char *name;
    struct rigid (*pose)(uint32_t index, uint32_t width);
    bool is_cube;
};

static struct rigid
placed(double x, double y, double z, double heading)
{
    return (struct rigid){.rotation = {cos(heading / 2), 0, 0, sin(heading / 2)},
                          .translation = {x, y, z}};
}

static struct rigid
on_sphere(uint32_t index, uint32_t width)
{
    double around = 2 * PI * index / width, down = PI * (index / width + 0.5) / width;
    double radius = width / 2.0;
    return placed(radius * sin(down) * cos(around), radius * sin(down) * sin(around),
                  radius * cos(down), around);
}

static struct rigid
on_torus(uint32_t index, uint32_t width)
{
    double around = 2 * PI * index / width, along = 2 * PI * (index / width) / width;
    double radius = width / 6.0, centre = width / 2.0;
    return placed((centre + radius * cos(around)) * cos(along),
                  (centre + radius * cos(around)) * sin(along), radius * sin(around), along);
}

static struct rigid
in_cube(uint32_t index, uint32_t width)
{
    uint32_t row = index / width, x = index % width;
    return placed(row % 2 ? width - 1 - x : x, row % width, row / width, row % 2 ? PI : 0);
}

static void
add_made(struct graph *self, struct random *chance, const struct rigid *poses, uint32_t from,
         uint32_t to)
{
    struct edge *edge = graph_add(self);
    double twist[6];
    struct rigid back = rigid_invert(&poses[to]), motion = rigid_compose(&back, &poses[from]);
    for (int i = 0; i < 6; i++) {
        twist[i] = random_normal(chance, i < 3 ? SIGMA_T : SIGMA_R);
        edge->information[i * 7] = 1 / (i < 3 ? SIGMA_T * SIGMA_T : SIGMA_R * SIGMA_R);
    }
    struct rigid noise = rigid_exp(twist);
    edge->from = from;
    edge->to = to;
    edge->is_odometry = from + 1 == to || to + 1 == from;
    edge->motion = rigid_compose(&noise, &motion);
}

static void
make(struct graph *self, const struct shape *shape, uint32_t width, uint32_t count)
{
    struct random chance = {7};
    struct rigid *poses = memory_take(count * sizeof *poses);
    for (uint32_t i = 0; i < count; i++)
        poses[i] = shape->pose(i, width);
    self->node_count = count;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t layer = width * width, mirrored = i / width * width - 1 - i % width;
        add_made(self, &chance, poses, i - 1, i);
        if (!shape->is_cube && i >= width)
            add_made(self, &chance, poses, i - width, i);
        if (shape->is_cube && i >= width && mirrored != i - 1) // rows go there and back
            add_made(self, &chance, poses, mirrored, i);
        if (shape->is_cube && i >= layer)
            add_made(self, &chance, poses, i - layer, i);
    }
    free(poses);
}

static bool
make_named(struct graph *self, const char *name)
{
    static const struct shape shapes[] = {
        {"sphere:", on_sphere, false}, {"torus:", on_torus, false}, {"grid:", in_cube, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t size = strlen(shapes[i].name);
        if (strncmp(name, shapes[i].name, size) != 0)
            continue;
        double wanted = strtod(name + size, NULL);
        uint32_t width = (uint32_t)lround(shapes[i].is_cube ? cbrt(wanted) : sqrt(wanted));
        width += shapes[i].is_cube && width % 2; // then a layer begins as the one below it
        make(self, &shapes[i], width, shapes[i].is_cube ? width * width * width : width * width);
        return true;
    }
    return false;
}

bool
graph_open(struct graph *self, const char *name)
{
    *self = (struct graph){0};
    if (!make_named(self, name) && !read_file(self, name))
        return false;
    self->genuine_count = self->edge_count;
    self->clean = memory_take(self->node_count * sizeof *self->clean);
    return true;
}

void
graph_finish(struct graph *self)
{
    free(self->edges);
    free(self->clean);
    *self = (struct graph){0};
}
