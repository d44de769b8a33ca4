// motion.c - computes steps in order of time from a formula or a file.
#include "tools/cli/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "tools/cli/bvh.h"

#define CIRCLE_M 2.0     // radius
#define CIRCLE_TURNS 0.2 // a second
#define APART_M 5.0      // copies and circles

enum { CIRCLES_A_ROW = 32 };

struct motion {
    struct trajectory trajectory; // without rows: circles
    double frames_a_second;       // of the trajectory, speed included; 0 = all at once
    double rate;                  // of circles: steps of each a second
    uint32_t copies;
    uint32_t objects;
    uint64_t next;          // step
    double (*positions)[3]; // by object
    char name[300];
};

static motion_t *
motion_create(uint32_t objects)
{
    motion_t *self = memory_take_zeroed(sizeof *self);
    self->objects = objects;
    self->positions = memory_take_zeroed(objects * sizeof *self->positions);
    return self;
}

motion_t *
motion_create_circles(uint32_t objects, double rate)
{
    motion_t *self = motion_create(objects);
    self->rate = rate;
    return self;
}

static fallible
read_file(const char *path, double scale, double *rate, struct trajectory *ret_trajectory)
{
    const char *end = strrchr(path, '.');
    if (end && strcmp(end, ".bvh") == 0)
        return bvh_read(path, scale, ret_trajectory, rate);
    TRY(trajectory_read(path, scale, ret_trajectory));
    if (!ret_trajectory->is_y_up)
        trajectory_raise(ret_trajectory);
    return OK;
}

fallible
motion_create_recorded(const char *path, double scale, double rate, double speed, uint32_t copies,
                       motion_t **ret_motion)
{
    struct trajectory trajectory = {0};
    TRY(read_file(path, scale, &rate, &trajectory));
    motion_t *self = motion_create((uint32_t)trajectory.id_count * copies);
    self->trajectory = trajectory;
    self->frames_a_second = rate * speed;
    self->copies = copies;
    *ret_motion = self;
    return OK;
}

void
motion_destroy(motion_t **self)
{
    motion_t *motion = *self;
    if (!motion)
        return;
    trajectory_finish(&motion->trajectory);
    free(motion->positions);
    free(motion);
    *self = NULL;
}

uint32_t
motion_objects(const motion_t *self)
{
    return self->objects;
}

// Copies stand side by side, the objects of each together.
static const double *
place_copy(motion_t *self, uint32_t copy, const struct trajectory_row *row)
{
    double *position = self->positions[copy * self->trajectory.id_count + row->object];
    memcpy(position, row->position, sizeof row->position);
    position[0] += copy * APART_M;
    return position;
}

static const double *
place_on_circle(motion_t *self, uint32_t object, double time_s)
{
    double *position = self->positions[object], angle = 2 * M_PI * CIRCLE_TURNS * time_s + object;
    uint32_t column = object % CIRCLES_A_ROW, row = object / CIRCLES_A_ROW;
    position[0] = column * APART_M + CIRCLE_M * cos(angle);
    position[2] = row * APART_M + CIRCLE_M * sin(angle);
    return position;
}

const double *
motion_first(motion_t *self, uint32_t object)
{
    const struct trajectory *trajectory = &self->trajectory;
    if (!trajectory->rows)
        return place_on_circle(self, object, 0);
    uint32_t one = object % (uint32_t)trajectory->id_count;
    size_t row = 0;
    while (trajectory->rows[row].object != one)
        row++;
    return place_copy(self, object / (uint32_t)trajectory->id_count, &trajectory->rows[row]);
}

const char *
motion_name(motion_t *self, uint32_t object)
{
    size_t ids = self->trajectory.id_count;
    if (ids)
        snprintf(self->name, sizeof self->name, "%s %u", self->trajectory.ids[object % ids],
                 (unsigned)(object / ids));
    else
        snprintf(self->name, sizeof self->name, "circle %u", object);
    return self->name;
}

static bool
next_row(motion_t *self, struct motion_step *ret_step)
{
    const struct trajectory *trajectory = &self->trajectory;
    size_t row = self->next / self->copies;
    if (row == trajectory->row_count)
        return false;
    uint32_t copy = (uint32_t)(self->next++ % self->copies);
    double frames = trajectory->rows[row].frame - trajectory->rows[0].frame;
    *ret_step = (struct motion_step){
        .time_s = self->frames_a_second > 0 ? frames / self->frames_a_second : 0,
        .object = copy * (uint32_t)trajectory->id_count + trajectory->rows[row].object,
        .position = place_copy(self, copy, &trajectory->rows[row]),
    };
    return true;
}

bool
motion_next(motion_t *self, struct motion_step *ret_step)
{
    if (self->trajectory.rows)
        return next_row(self, ret_step);
    double time_s = (double)self->next / (self->rate * self->objects);
    uint32_t object = (uint32_t)(self->next++ % self->objects);
    *ret_step = (struct motion_step){time_s, object, place_on_circle(self, object, time_s)};
    return true;
}
