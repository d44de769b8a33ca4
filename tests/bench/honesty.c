// honesty.c - whether answers of alignment are as good as they say: made-up worlds in which scenes
// move, devices drift, origins are far away and liars agree. Ten seeds each, of which the first
// five are printed one by one; --seeds=FIRST-LAST takes others.
//   bench_honesty [--seeds=FIRST-LAST] [WORLD...]
// "beyond" is the share of confident answers (predicted) that are off by more than 99 of 100 may
// be, "wrong" counts those that are off by more than a metre. NEES is the squared error over the
// variance that was claimed, of the position: 1 is honest, more is too sure; of all pairs, of
// neighbours, and of what a registration answers to a device that said where it stands in another
// scene. "running" is by how much (metres, radians) a solution that follows another one, when one
// more device has come, differs from one of nothing. "beside a wrong one"
// are right corrections that do not count since nothing tells which of the device's is wrong: all
// that a device says is said in its own coordinates, so two corrections have one observation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actors/alignment/solver/matrix6.h"
#include "tests/support/worlds.h"

#define PI 3.14159265358979323846
#define SIGMA_T 0.05
#define SIGMA_R (PI / 180)
#define BEYOND 11.345 // chi-square of three degrees of freedom, 1 %

enum {
    MOST_SEEDS = 100,
    SEEDS_PRINTED = 5,
    MOST_ERRORS = MOST_SEEDS * WORLD_SCENES * WORLD_SCENES / 2,
    MOVED = 25,
};

// How the devices of a world are, beside their noise.
struct habits {
    double drift;       // of what a device walks
    double understated; // times the noise that it claims
    double origin_m;    // how far the origin of a scene is from its room
    double wrong_share;
    int walk;    // rooms that a device comes through
    int devices; // at each link, on average
};

struct told_world {
    const char *name;
    void (*fill)(const struct told_world *self); // its devices come, after its rooms were made
    struct habits habits;
    int links, visitors; // of the scene that is moved: links that are told, and who tells each
};

static struct random chance, answers = {5};
static struct rigid rooms[WORLD_SCENES];   // room to world
static struct rigid origins[WORLD_SCENES]; // scene to world
static evidence_t *evidence;
static uint64_t number, device_number;
static struct {
    char id[ALIGNMENT_ID_SIZE];
    uint64_t scene_id;
    bool is_wrong;
} sent[40000];
static size_t sent_count;

// --- the world ---

static struct rigid
noise_of(double sigma_t, double sigma_r)
{
    double twist[6];
    for (int i = 0; i < 6; i++)
        twist[i] = random_normal(&chance, i < 3 ? sigma_t : sigma_r);
    return rigid_exp(twist);
}

static struct rigid
yaw_at(double x, double z)
{
    double yaw = random_between(&chance, 0, 2 * PI);
    return (struct rigid){.rotation = {cos(yaw / 2), 0, sin(yaw / 2), 0}, .translation = {x, 0, z}};
}

static void
make_rooms(uint64_t seed, const struct habits *habits)
{
    chance = (struct random){seed * 104729};
    number = device_number = sent_count = 0;
    evidence = evidence_create();
    for (uint32_t i = 0; i < WORLD_SCENES; i++) {
        struct rigid away = {.rotation = {1, 0, 0, 0}, .translation = {habits->origin_m, 0, 0}};
        rooms[i] = yaw_at(8.0 * (i % WORLD_COLUMNS), 8.0 * (double)(i / WORLD_COLUMNS));
        origins[i] = rigid_compose(&rooms[i], &away);
    }
}

static uint32_t
next_room(uint32_t room)
{
    for (;;) {
        uint64_t way = random_below(&chance, 4);
        uint32_t column = room % WORLD_COLUMNS;
        if (way == 0 && column + 1 < WORLD_COLUMNS)
            return room + 1;
        if (way == 1 && column > 0)
            return room - 1;
        if (way == 2 && room + WORLD_COLUMNS < WORLD_SCENES)
            return room + WORLD_COLUMNS;
        if (way == 3 && room >= WORLD_COLUMNS)
            return room - WORLD_COLUMNS;
    }
}

// A device says where its coordinates are in a scene.
static void
say(const struct habits *habits, uint64_t device, uint64_t user, uint32_t room,
    const struct rigid *frame, bool is_wrong)
{
    struct rigid back = rigid_invert(&origins[room]), pose = rigid_compose(&back, frame);
    struct rigid noise =
        is_wrong ? noise_of(2, 40 * PI / 180)
                 : noise_of(SIGMA_T * habits->understated, SIGMA_R * habits->understated);
    pose = rigid_compose(&pose, &noise);
    struct correction correction = correction_of(++number, room + 1, device, &pose);
    correction.user = user;
    evidence_put(evidence, &correction);
    memcpy(sent[sent_count].id, correction.id, sizeof correction.id);
    sent[sent_count].scene_id = room + 1;
    sent[sent_count++].is_wrong = is_wrong;
}

// A device comes through rooms; its coordinates drift on the way. They begin where it does.
static void
visit(const struct habits *habits, uint32_t room, uint32_t second, uint64_t user)
{
    uint64_t device = ++device_number;
    struct rigid frame = rooms[room], step = noise_of(1, 0.3);
    frame = rigid_compose(&frame, &step);
    for (int i = 0; i < habits->walk; i++) {
        bool is_wrong = i > 0 && random_between(&chance, 0, 1) < habits->wrong_share;
        say(habits, device, user, room, &frame, is_wrong);
        room = i == 0 ? second : next_room(room);
        struct rigid drift = noise_of(8 * habits->drift, habits->drift);
        frame = rigid_compose(&frame, &drift);
    }
}

static void
fill(const struct habits *habits)
{
    int visits = WORLD_LINKS * habits->devices / (habits->walk - 1);
    for (int i = 0; i < visits; i++) {
        uint32_t room = (uint32_t)random_below(&chance, WORLD_SCENES);
        visit(habits, room, next_room(room), 0);
    }
}

// --- what is measured ---

struct measure {
    size_t count, sure, certified, beyond, wrong, conflicting, unverified;
    size_t false_rejections, unclear, missed, wrong_sent;
    size_t sure_near;
    double nees, near_nees, answer_nees, running;
    double errors[MOST_ERRORS];
};

static struct measure one, all;

static int
compare_numbers(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// The squared error of a point over the covariance that was claimed for where it is.
static double
chi_square_at(const double *covariance, const double *found, const double *right)
{
    struct rigid shift = rigid_identity;
    double there[36], error[6] = {0}, chi = NAN;
    for (int i = 0; i < 3; i++) {
        shift.translation[i] = -found[i];
        error[i] = found[i] - right[i];
    }
    rigid_carry_covariance(&shift, covariance, there);
    for (int i = 0; i < 36; i++) // of the position alone
        if (i / 6 >= 3 || i % 6 >= 3)
            there[i] = i / 6 == i % 6;
    matrix6_chi_square(there, error, &chi);
    return chi;
}

static bool
is_neighbour(uint32_t a, uint32_t b)
{
    return b == a + WORLD_COLUMNS || (b == a + 1 && b % WORLD_COLUMNS > 0);
}

// A device has just said where it stands in `from`, with the noise that it claims, which is alike
// in all directions; the answer is where it is in the other scene.
static double
chi_square_of_answer(const struct relation *relation, const double *there, const double *right)
{
    double covariance[36], found[3], at[3];
    struct rigid shift = rigid_identity;
    for (int i = 0; i < 3; i++)
        at[i] = there[i] + random_normal(&answers, SIGMA_T);
    rigid_apply(&relation->motion, at, found);
    for (int i = 0; i < 3; i++)
        shift.translation[i] = -found[i];
    rigid_carry_covariance(&shift, relation->covariance, covariance);
    for (int i = 0; i < 3; i++) {
        covariance[i * 7] += SIGMA_T * SIGMA_T;
        shift.translation[i] = found[i];
    }
    rigid_carry_covariance(&shift, covariance, covariance);
    return chi_square_at(covariance, found, right);
}

static void
measure_pair(struct measure *self, const solution_t *solution, uint32_t from, uint32_t to)
{
    struct relation relation;
    struct rigid back = rigid_invert(&origins[to]);
    struct rigid truth = rigid_compose(&back, &origins[from]);
    // Of the point in the middle of the first room: the origin may be far away.
    struct rigid there = rigid_invert(&origins[from]);
    there = rigid_compose(&there, &rooms[from]);
    double right[3], found[3], error = 0;
    solution_relate(solution, from + 1, to + 1, NULL, NULL, &relation);
    rigid_apply(&truth, there.translation, right);
    rigid_apply(&relation.motion, there.translation, found);
    for (int i = 0; i < 3; i++)
        error += (found[i] - right[i]) * (found[i] - right[i]);
    self->conflicting += relation.status == ALIGNMENT_CONFLICTING;
    self->unverified += relation.status == ALIGNMENT_UNVERIFIED;
    self->certified += relation.confidence && strcmp(relation.confidence, "certified") == 0;
    free(relation.path);
    self->count++;
    if (relation.status != ALIGNMENT_PREDICTED)
        return;
    double chi = chi_square_at(relation.covariance, found, right);
    self->answer_nees += chi_square_of_answer(&relation, there.translation, right) / 3;
    self->near_nees += is_neighbour(from, to) ? chi / 3 : 0;
    self->sure_near += is_neighbour(from, to);
    self->errors[self->sure++] = sqrt(error);
    self->nees += chi / 3;
    self->beyond += chi > BEYOND;
    self->wrong += error > 1;
}

static void
measure_verdicts(struct measure *self, const solution_t *solution)
{
    for (size_t i = 0; i < sent_count; i++) {
        const struct verdict *verdicts;
        size_t count = solution_verdicts(solution, sent[i].scene_id, &verdicts);
        for (size_t k = 0; k < count; k++)
            if (strcmp(verdicts[k].id, sent[i].id) == 0) {
                self->wrong_sent += sent[i].is_wrong;
                self->missed += sent[i].is_wrong && !verdicts[k].rejection;
                self->unclear += !sent[i].is_wrong && verdicts[k].rejection == REJECTED_UNCLEAR;
                self->false_rejections += !sent[i].is_wrong && verdicts[k].rejection &&
                                          verdicts[k].rejection != REJECTED_UNCLEAR;
            }
    }
}

static void
print(const char *name, struct measure *self)
{
    double sure = self->sure ? (double)self->sure : NAN;
    qsort(self->errors, self->sure, sizeof *self->errors, compare_numbers);
    printf("  %-22s sure %5zu (unverified %zu, conflicting %zu), certified %3.0f %%, p50 %.3f p95 "
           "%.3f m, NEES %5.2f (neighbours %.2f, answers %.2f), running %.0e, "
           "beyond %4.1f %%, wrong %zu; rejected right %zu, beside a wrong one %zu, missed wrong "
           "%zu of %zu\n",
           name, self->sure, self->unverified, self->conflicting,
           100 * (double)self->certified / (double)self->count,
           self->sure ? self->errors[self->sure / 2] : NAN,
           self->sure ? self->errors[self->sure * 95 / 100] : NAN, self->nees / sure,
           self->near_nees / (double)self->sure_near, self->answer_nees / sure, self->running,
           100 * (double)self->beyond / sure, self->wrong, self->false_rejections, self->unclear,
           self->missed, self->wrong_sent);
}

static void
add(const struct measure *measure)
{
    memcpy(all.errors + all.sure, measure->errors, measure->sure * sizeof *measure->errors);
    all.count += measure->count;
    all.sure += measure->sure;
    all.certified += measure->certified;
    all.beyond += measure->beyond;
    all.wrong += measure->wrong;
    all.conflicting += measure->conflicting;
    all.unverified += measure->unverified;
    all.false_rejections += measure->false_rejections;
    all.unclear += measure->unclear;
    all.missed += measure->missed;
    all.wrong_sent += measure->wrong_sent;
    all.nees += measure->nees;
    all.near_nees += measure->near_nees;
    all.sure_near += measure->sure_near;
    all.answer_nees += measure->answer_nees;
    all.running = fmax(all.running, measure->running);
}

// One more device comes.
static void
measure_running(struct measure *self, const struct habits *habits, const solution_t *before)
{
    visit(habits, MOVED, MOVED + 1, 0);
    solution_t *running = evidence_solve(evidence, before, 1);
    solution_t *restarted = evidence_solve(evidence, NULL, 1);
    for (uint32_t to = 2; to <= WORLD_SCENES; to++) {
        struct relation left, right;
        double distance_m, angle_rad;
        solution_relate(running, 1, to, NULL, NULL, &left);
        solution_relate(restarted, 1, to, NULL, NULL, &right);
        rigid_difference(&left.motion, &right.motion, &distance_m, &angle_rad);
        self->running = fmax(self->running, fmax(distance_m, angle_rad));
        if (left.status != right.status)
            self->running = INFINITY;
        free(left.path);
        free(right.path);
    }
    solution_unref(&running);
    solution_unref(&restarted);
}

static void
measure_world(const char *name, const struct habits *habits, uint64_t seed)
{
    char title[64];
    one = (struct measure){0};
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    for (uint32_t from = 0; from < WORLD_SCENES; from++)
        for (uint32_t to = from + 1; to < WORLD_SCENES; to++)
            measure_pair(&one, solution, from, to);
    measure_verdicts(&one, solution);
    measure_running(&one, habits, solution);
    add(&one);
    snprintf(title, sizeof title, "%s, seed %d", name, (int)seed);
    if (seed <= SEEDS_PRINTED)
        print(title, &one);
    solution_unref(&solution);
    evidence_destroy(&evidence);
}

// --- worlds ---

static void
fill_as_usual(const struct told_world *world)
{
    fill(&world->habits);
}

// A scene in the middle is put 20 m away; then devices come to some of its links.
static void
fill_and_move(const struct told_world *world)
{
    const uint32_t neighbours[] = {MOVED + 1, MOVED - WORLD_COLUMNS, MOVED - 1,
                                   MOVED + WORLD_COLUMNS};
    struct rigid by = {.rotation = {1, 0, 0, 0}, .translation = {20, 0, 0}};
    fill(&world->habits);
    origins[MOVED] = rigid_compose(&origins[MOVED], &by);
    for (int i = 0; i < world->visitors; i++)
        for (int link = 0; link < world->links; link++)
            visit(&world->habits, MOVED, neighbours[link], 0);
}

// Two users are honest at a link; one with many devices has moved its second scene by 2.5 m.
static void
fill_beside_one_account(const struct told_world *world)
{
    struct rigid by = {.rotation = {1, 0, 0, 0}, .translation = {2.5, 0, 0}};
    for (int i = 0; i < WORLD_LINKS * world->habits.devices; i++) {
        uint32_t room = (uint32_t)random_below(&chance, WORLD_SCENES);
        visit(&world->habits, room, next_room(room), 1 + random_below(&chance, 40));
    }
    struct rigid honest = origins[MOVED];
    origins[MOVED] = rigid_compose(&origins[MOVED], &by);
    for (int i = 0; i < world->visitors; i++)
        visit(&world->habits, MOVED, MOVED + 1, 666);
    origins[MOVED] = honest;
}

// clang-format off
static const struct told_world worlds[] = {
    {"as claimed",          fill_as_usual,           {.devices = 5, .walk = 2, .understated = 1}, 0, 0},
    {"as claimed, walks",   fill_as_usual,           {.devices = 5, .walk = 6, .understated = 1}, 0, 0},
    {"a tenth wrong",       fill_as_usual,           {.devices = 5, .walk = 2, .understated = 1, .wrong_share = 0.1}, 0, 0},
    {"a tenth wrong, walks", fill_as_usual,          {.devices = 5, .walk = 6, .understated = 1, .wrong_share = 0.1}, 0, 0},
    {"drift 1 %",           fill_as_usual,           {.devices = 5, .walk = 6, .understated = 1, .drift = 0.01}, 0, 0},
    {"drift 3 %, long walks", fill_as_usual,         {.devices = 5, .walk = 14, .understated = 1, .drift = 0.03}, 0, 0},
    {"drift 1 %, a tenth wrong", fill_as_usual,      {.devices = 5, .walk = 6, .understated = 1, .drift = 0.01, .wrong_share = 0.1}, 0, 0},
    {"noise x 3",           fill_as_usual,           {.devices = 5, .walk = 2, .understated = 3}, 0, 0},
    {"moved, 1 link told",  fill_and_move,           {.devices = 5, .walk = 2, .understated = 1}, 1, 8},
    {"moved, 2 links told", fill_and_move,           {.devices = 5, .walk = 2, .understated = 1}, 2, 2},
    {"moved, all told",     fill_and_move,           {.devices = 5, .walk = 2, .understated = 1}, 4, 8},
    {"origins 100 m away",  fill_as_usual,           {.devices = 5, .walk = 2, .understated = 1, .origin_m = 100}, 0, 0},
    {"origins 100 km away", fill_as_usual,           {.devices = 5, .walk = 2, .understated = 1, .origin_m = 100000}, 0, 0},
    {"50 devices of one",   fill_beside_one_account, {.devices = 5, .walk = 2, .understated = 1}, 0, 50},
};
// clang-format on

static bool
is_asked(int argc, char **argv, const char *name)
{
    int names = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
        names += strncmp(argv[i], "--", 2) != 0;
    }
    return !names;
}

int
main(int argc, char **argv)
{
    unsigned first = 1, last = 10;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        sscanf(argv[i], "--seeds=%u-%u", &first, &last);
    if (last >= first + MOST_SEEDS)
        last = first + MOST_SEEDS - 1;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        if (!is_asked(argc, argv, worlds[i].name))
            continue;
        all = (struct measure){0};
        for (uint64_t seed = first; seed <= last; seed++) {
            make_rooms(seed, &worlds[i].habits);
            worlds[i].fill(&worlds[i]);
            measure_world(worlds[i].name, &worlds[i].habits, seed);
        }
        print(worlds[i].name, &all);
    }
}
