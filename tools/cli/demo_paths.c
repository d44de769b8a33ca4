// demo_paths.c - lanes have the same waves, so that they never meet; who walks in the same lane has
// the same speed. Their number follows from that of the people.
#include "tools/cli/demo_paths.h"

#include <math.h>

#define FIRST_LANE_M 4.0 // from the middle
#define LANE_M 1.15      // between two lanes
#define ROOM_M 3.0       // of each person on a lane
#define LEAST_LANES 4

struct lane {
    double radius_m;
    size_t people, number;
};

static double
wave(double angle)
{
    return 0.4 * sin(3 * angle + 0.6) + 0.15 * sin(5 * angle);
}

static double
wave_slope(double angle)
{
    return 1.2 * cos(3 * angle + 0.6) + 0.75 * cos(5 * angle);
}

static double
lane_radius(size_t number)
{
    return FIRST_LANE_M + LANE_M * (double)number;
}

// The circumference of the first `lanes` lanes together.
static double
length_of(size_t lanes)
{
    double count = (double)lanes;
    return 2 * M_PI * count * (FIRST_LANE_M + LANE_M * (count - 1) / 2);
}

static size_t
lanes_for(size_t people)
{
    size_t lanes = LEAST_LANES;
    while (length_of(lanes) < ROOM_M * (double)(people + lanes))
        lanes++;
    return lanes;
}

double
demo_walk_reach(size_t people)
{
    return lane_radius(lanes_for(people) - 1) + 0.55;
}

// The first person of a lane: lanes take people by their length.
static size_t
first_of(size_t people, size_t lane, size_t lanes)
{
    return (size_t)(length_of(lane) / length_of(lanes) * (double)people + 0.5);
}

static struct lane
lane_of(size_t people, size_t person, size_t *ret_place)
{
    size_t lanes = lanes_for(people), number = 0;
    while (first_of(people, number + 1, lanes) <= person)
        number++;
    size_t first = first_of(people, number, lanes);
    *ret_place = person - first;
    return (struct lane){.radius_m = lane_radius(number),
                         .people = first_of(people, number + 1, lanes) - first,
                         .number = number};
}

struct demo_place
demo_walk(size_t people, size_t person, double time_s)
{
    size_t place;
    struct lane lane = lane_of(people, person, &place);
    double way = lane.number % 2 ? -1 : 1, speed_m_s = 1.0 + 0.15 * (double)(lane.number % 3);
    double apart = 2 * M_PI / (double)lane.people;
    double uneven = 0.2 * sin(12.9898 * (double)(person + 1)); // nobody walks in step
    double angle = apart * ((double)place + uneven) + 0.9 * (double)lane.number +
                   way * speed_m_s / lane.radius_m * time_s;
    double radius = lane.radius_m + wave(angle), slope = wave_slope(angle);
    // The direction in which the lane goes on.
    double x = way * (slope * cos(angle) - radius * sin(angle));
    double z = way * (slope * sin(angle) + radius * cos(angle));
    return (struct demo_place){radius * cos(angle), radius * sin(angle), atan2(-x, -z)};
}

void
demo_place_matrix(const struct demo_place *place, double ret_matrix[16])
{
    double cosine = cos(place->turn_rad), sine = sin(place->turn_rad);
    const double matrix[16] = {cosine, 0, sine,   place->x, 0, 1, 0, 0,
                               -sine,  0, cosine, place->z, 0, 0, 0, 1};
    for (size_t i = 0; i < 16; i++)
        ret_matrix[i] = matrix[i];
}
