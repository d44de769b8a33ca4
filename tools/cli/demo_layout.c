// demo_layout.c - rings of things around the pavilion; they are wider for more people.
#include "tools/cli/demo_layout.h"

#include <math.h>
#include <stdio.h>

#include "tools/cli/demo_models.h"

#define EYES_M 1.66
#define ROOM_M 1.1 // between the outer lane and the rim

// Where the origin of STAGE_PAVILION is on the plaza: at its door, and it looks elsewhere.
#define DOOR_X 2.7
#define DOOR_Y 0.3
#define DOOR_TURN 0.6

// Things of one sort on a circle, or on the part of it that lies between two angles: the rest is
// where one looks from. `radius` is that of a plaza of DEMO_PLAZA_M.
struct circle {
    const char *name;
    int model;
    size_t count;
    double radius, from_rad, to_rad;
    double uneven; // how much sizes differ
};

struct primitive {
    const char *name, *subtype;
    double along, across, size, high, turn_rad; // beside `corner`
};

// clang-format off
static const struct circle circles[] = {
    {"tree",    MODEL_TREE,    10,           10.6, 1.75, 6.95, 0.22},
    {"lamp",    MODEL_LAMP,    6,            8.75, 0.25, 6.53, 0},
    {"bench",   MODEL_BENCH,   6,            8.65, 0.77, 7.05, 0},
    {"visitor", MODEL_VISITOR, DEMO_DEVICES, 8.5,  0.45, 6.73, 0},
};
static const struct primitive primitives[] = {
    {"crate 1", "Cube",     0.0,  0.0,  0.9,  0.9,  0.3},
    {"crate 2", "Cube",     1.1, -0.2,  0.7,  0.7, -0.4},
    {"crate 3", "Cube",     0.1,  0.0,  0.55, 0.55, 0.9},
    {"ball",    "Sphere",   0.9,  0.9,  0.6,  0.6,  0},
    {"cone",    "Cone",    -0.5,  1.1,  0.5,  0.9,  0},
    {"drum",    "Cylinder",-1.0, -0.1,  0.6,  0.8,  0},
};
static const double primitive_heights[] = {0, 0, 0.9, 0, 0, 0};
// clang-format on

enum { PRIMITIVES = sizeof primitives / sizeof primitives[0], STACK_ANGLE_DEGREES = 62 };

static double
wideness(size_t people)
{
    return fmax(1, (demo_walk_reach(people) + ROOM_M) / DEMO_PLAZA_M);
}

// Looks at the middle.
static struct demo_place
on_circle(const struct circle *circle, size_t number, double wide)
{
    double step = (circle->to_rad - circle->from_rad) / (double)circle->count;
    double angle = circle->from_rad + step * (double)number;
    double x = circle->radius * wide * cos(angle), z = circle->radius * wide * sin(angle);
    return (struct demo_place){x, z, atan2(x, z)};
}

static struct demo_thing
thing_at(int model, const struct demo_place *place, double y, double wide, double high)
{
    struct demo_thing thing = {.type = "Mesh", .subtype = "", .model = model};
    demo_place_matrix(place, thing.matrix);
    for (size_t row = 0; row < 3; row++) {
        thing.matrix[row * 4] *= wide;
        thing.matrix[row * 4 + 1] *= high;
        thing.matrix[row * 4 + 2] *= wide;
    }
    thing.matrix[7] = y;
    return thing;
}

static size_t
put_circles(double wide, struct demo_thing *things)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof circles / sizeof circles[0]; i++)
        for (size_t number = 0; number < circles[i].count; number++) {
            const struct circle *circle = &circles[i];
            struct demo_place place = on_circle(circle, number, wide);
            double size = 1 + circle->uneven * sin(4.1 * (double)(number + 1));
            things[count] = thing_at(circle->model, &place, 0, size, size);
            snprintf(things[count++].name, DEMO_NAME_BYTES, "%s %zu", circle->name, number + 1);
        }
    return count;
}

// Some things without a model of their own, beside the plaza.
static size_t
put_primitives(double wide, struct demo_thing *things)
{
    double angle = STACK_ANGLE_DEGREES * M_PI / 180, away = (DEMO_PLAZA_M + 1.6) * wide;
    for (size_t i = 0; i < PRIMITIVES; i++) {
        const struct primitive *row = &primitives[i];
        struct demo_place place = {away * cos(angle) + row->along, away * sin(angle) + row->across,
                                   row->turn_rad};
        things[i] =
            thing_at(-1, &place, primitive_heights[i] + row->high / 2, row->size, row->high);
        things[i].subtype = row->subtype;
        snprintf(things[i].name, DEMO_NAME_BYTES, "%s", row->name);
    }
    return PRIMITIVES;
}

// The place of a plaza's point in the coordinates of the stage.
static struct demo_place
seen_from(enum demo_stage stage, struct demo_place place)
{
    if (stage == STAGE_PLAZA)
        return place;
    double x = place.x - DOOR_X, z = place.z;
    return (struct demo_place){cos(DOOR_TURN) * x - sin(DOOR_TURN) * z,
                               sin(DOOR_TURN) * x + cos(DOOR_TURN) * z, place.turn_rad - DOOR_TURN};
}

static double
ground_of(enum demo_stage stage)
{
    return stage == STAGE_PLAZA ? 0 : -DOOR_Y;
}

size_t
demo_things(enum demo_stage stage, size_t people, struct demo_thing ret_things[DEMO_THINGS_MAX])
{
    double wide = wideness(people);
    struct demo_place middle = seen_from(stage, (struct demo_place){0, 0, 0});
    ret_things[0] = thing_at(MODEL_PLAZA, &middle, ground_of(stage), wide, 1);
    snprintf(ret_things[0].name, DEMO_NAME_BYTES, "plaza");
    ret_things[1] = thing_at(MODEL_PAVILION, &middle, ground_of(stage), 1, 1);
    snprintf(ret_things[1].name, DEMO_NAME_BYTES, "pavilion");
    if (stage == STAGE_PAVILION)
        return 2;
    size_t count = 2;
    count += put_circles(wide, ret_things + count);
    return count + put_primitives(wide, ret_things + count);
}

struct demo_thing
demo_walker(size_t people, size_t person, double time_s)
{
    struct demo_place place = demo_walk(people, person, time_s);
    struct demo_thing walker =
        thing_at(MODEL_WALKER + (int)(person % DEMO_OUTFITS), &place, 0, 1, 1);
    walker.subtype = "Person";
    snprintf(walker.name, DEMO_NAME_BYTES, "walker %zu", person + 1);
    return walker;
}

struct demo_stand
demo_device(enum demo_stage stage, size_t people, size_t device)
{
    const struct circle *visitors = &circles[sizeof circles / sizeof circles[0] - 1];
    struct demo_place place = seen_from(stage, on_circle(visitors, device, wideness(people)));
    return (struct demo_stand){{place.x, EYES_M + ground_of(stage), place.z},
                               {0, place.turn_rad, 0}};
}
