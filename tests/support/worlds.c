// worlds.c - made-up worlds (worlds.h).
#include "tests/support/worlds.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define SPACING 8.0

double
random_between(struct random *self, double low, double high)
{
    return low + (high - low) * ((double)(random_next(self) >> 11) / 9007199254740992.0);
}

double
random_normal(struct random *self, double sigma)
{
    double radius = sqrt(-2 * log(random_between(self, 1e-300, 1)));
    return sigma * radius * cos(random_between(self, 0, 2 * PI));
}

struct rigid
random_motion(struct random *self, double extent_m)
{
    double twist[6];
    for (int i = 0; i < 6; i++)
        twist[i] =
            i < 3 ? random_between(self, -extent_m, extent_m) : random_between(self, -1.7, 1.7);
    return rigid_exp(twist);
}

static struct rigid
yaw_at(double x, double y, double z, double yaw)
{
    return (struct rigid){.rotation = {cos(yaw / 2), 0, sin(yaw / 2), 0}, .translation = {x, y, z}};
}

struct correction
correction_of(uint64_t number, uint64_t scene_id, uint64_t device, const struct rigid *pose)
{
    struct correction correction = {.scene_id = scene_id,
                                    .device = device,
                                    .session = device,
                                    .pose = *pose,
                                    .sigma_t_m = 0.05,
                                    .sigma_r_rad = PI / 180,
                                    .time_us = number};
    snprintf(correction.id, sizeof correction.id, "%024llu", (unsigned long long)number);
    return correction;
}

void
evidence_put_pair(evidence_t *evidence, uint64_t device, uint64_t from, uint64_t to, double x)
{
    struct rigid pose = rigid_identity;
    struct correction correction = correction_of(device * 2, from, device, &pose);
    evidence_put(evidence, &correction);
    pose.translation[0] = x;
    correction = correction_of(device * 2 + 1, to, device, &pose);
    evidence_put(evidence, &correction);
}

// The pose with noise around the device: on its right.
static struct rigid
disturb(struct random *chance, const struct rigid *pose, double sigma_t_m, double sigma_r_rad)
{
    double twist[6];
    for (int i = 0; i < 6; i++)
        twist[i] = random_normal(chance, i < 3 ? sigma_t_m : sigma_r_rad);
    struct rigid noise = rigid_exp(twist);
    return rigid_compose(pose, &noise);
}

// The noise of a link is that of both poses together, half of its variance each.
static void
see(struct world *self, struct random *chance, uint32_t a, uint32_t b, bool is_wrong)
{
    struct sighting *sighting = &self->sightings[self->count++];
    double sigma_t = 0.05 / sqrt(2), sigma_r = PI / 180 / sqrt(2);
    struct rigid pose_a = yaw_at(random_between(chance, -1, 1), random_between(chance, -1, 1),
                                 random_between(chance, -1, 1), random_between(chance, 0, 2 * PI));
    struct rigid link = world_truth(self, a, b), pose_b = rigid_compose(&link, &pose_a);
    pose_a = disturb(chance, &pose_a, sigma_t, sigma_r);
    pose_b = is_wrong ? disturb(chance, &pose_b, 2, 40 * PI / 180)
                      : disturb(chance, &pose_b, sigma_t, sigma_r);
    *sighting = (struct sighting){.a = a, .b = b, .is_wrong = is_wrong};
    for (int i = 0; i < 2; i++) {
        struct correction *correction = &sighting->corrections[i];
        *correction = correction_of(self->count * 2 + (uint64_t)i, (i ? b : a) + 1,
                                    1000 + self->count, i ? &pose_b : &pose_a);
        correction->sigma_t_m = sigma_t;
        correction->sigma_r_rad = sigma_r;
    }
}

void
world_make(struct world *self, uint64_t seed, int per_link, double wrong_share)
{
    struct random chance = {seed};
    self->count = 0;
    for (uint32_t i = 0; i < WORLD_SCENES; i++)
        self->scenes[i] =
            yaw_at(SPACING * (i % WORLD_COLUMNS), 0, SPACING * (double)(i / WORLD_COLUMNS),
                   random_between(&chance, 0, 2 * PI));
    for (uint32_t i = 0; i < WORLD_SCENES; i++)
        for (uint32_t step = 1; step <= WORLD_COLUMNS; step += WORLD_COLUMNS - 1) {
            bool is_inside = step == 1 ? i % WORLD_COLUMNS + 1 < WORLD_COLUMNS
                                       : i + WORLD_COLUMNS < WORLD_SCENES;
            for (int k = 0; is_inside && k < per_link; k++)
                see(self, &chance, i, i + step, random_between(&chance, 0, 1) < wrong_share);
        }
}

void
world_put(const struct world *self, evidence_t *evidence)
{
    for (size_t i = 0; i < self->count; i++)
        for (int k = 0; k < 2; k++)
            evidence_put(evidence, &self->sightings[i].corrections[k]);
}

struct rigid
world_truth(const struct world *self, uint32_t from, uint32_t to)
{
    struct rigid back = rigid_invert(&self->scenes[to]);
    return rigid_compose(&back, &self->scenes[from]);
}
