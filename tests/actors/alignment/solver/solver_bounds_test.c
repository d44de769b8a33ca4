// solver_bounds_test.c - evidence that nobody can make sense of: ten thousand devices that all
// disagree. A solve of it ends, says that it found nothing, and can be broken off.
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

enum { DEVICES = 10000, SCENES = 10000, VISITS = 3, FAR = 1000000, HONEST = 3 };

// Also under a sanitizer; a solve without bounds takes hours.
#define ENOUGH_S 120

static evidence_t *evidence;

static void
begin(void)
{
    evidence = evidence_create();
}

static void
end(void)
{
    evidence_destroy(&evidence);
}

TestSuite(solver_bounds, .init = begin, .fini = end, .timeout = 600);

// Each stands in so many of the scenes, and nowhere as another one says.
static void
disagree(uint64_t devices, uint64_t scenes, int visits)
{
    struct random chance = {1};
    uint64_t number = FAR;
    for (uint64_t device = 0; device < devices; device++)
        for (int i = 0; i < visits; i++) {
            struct rigid pose = random_motion(&chance, 50);
            uint64_t scene = i ? random_below(&chance, scenes) : device % scenes;
            struct correction correction =
                correction_of(++number, FAR + scene, FAR + device, &pose);
            evidence_put(evidence, &correction);
        }
}

static double
seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum alignment_status
relate(const solution_t *solution, uint64_t from, uint64_t to)
{
    struct relation relation;
    solution_relate(solution, from, to, NULL, NULL, &relation);
    free(relation.path);
    return relation.status;
}

Test(solver_bounds, what_would_take_too_long_is_given_up_and_conflicting)
{
    disagree(DEVICES, SCENES, VISITS);
    double began_s = seconds(CLOCK_THREAD_CPUTIME_ID);
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    cr_assert_lt(seconds(CLOCK_THREAD_CPUTIME_ID) - began_s, ENOUGH_S);
    cr_assert_eq(solution_given_up(solution), 1);
    for (uint64_t to = 1; to < SCENES; to += SCENES / 7)
        cr_assert_eq(relate(solution, FAR, FAR + to), ALIGNMENT_CONFLICTING);
    solution_unref(&solution);
}

Test(solver_bounds, others_are_solved_beside_it)
{
    disagree(DEVICES, SCENES, VISITS);
    for (uint64_t device = 1; device <= HONEST; device++)
        evidence_put_pair(evidence, device, 1, 2, 3);
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    cr_assert_eq(relate(solution, 1, 2), ALIGNMENT_PREDICTED);
    solution_unref(&solution);
}

Test(solver_bounds, what_is_given_up_is_the_same_each_time)
{
    disagree(DEVICES, SCENES, VISITS);
    solution_t *one = evidence_solve(evidence, NULL, 1), *other = evidence_solve(evidence, NULL, 1);
    struct relation first, second;
    solution_relate(one, FAR, FAR + 7, NULL, NULL, &first);
    solution_relate(other, FAR, FAR + 7, NULL, NULL, &second);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(first.motion.translation[i], second.motion.translation[i]);
    cr_assert_eq(first.sigma_t_m, second.sigma_t_m);
    free(first.path);
    free(second.path);
    solution_unref(&one);
    solution_unref(&other);
}

// --- broken off ---

static atomic_bool stop;
static _Atomic double stopped_s; // processor time of the process

static void *
stop_later(void *ms)
{
    const struct timespec pause = {.tv_sec = *(const int *)ms / 1000,
                                   .tv_nsec = *(const int *)ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
    stopped_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store(&stop, true);
    return NULL;
}

// A second is what is promised. Of processor time, so that a busy machine does not matter.
#ifdef __SANITIZE_ADDRESS__
#define SECOND 5
#else
#define SECOND 1
#endif

// Solves, is told to stop after so long, and ends within a second.
static void
check_broken_off_after(int ms)
{
    pthread_t thread;
    atomic_store(&stop, false);
    cr_assert_eq(pthread_create(&thread, NULL, stop_later, &ms), 0);
    cr_assert_null(evidence_solve(evidence, NULL, 1));
    pthread_join(thread, NULL);
    cr_assert_lt(seconds(CLOCK_PROCESS_CPUTIME_ID) - stopped_s, SECOND);
}

// In the dense world a solve takes half a minute, most of it in factors.
Test(solver_bounds, a_solve_is_broken_off_wherever_it_is)
{
    disagree(DEVICES, SCENES / 10, 2);
    evidence_stop_by(evidence, &stop);
    for (int ms = 1; ms < 1000; ms = ms * 3 + 7)
        check_broken_off_after(ms);
}

enum { SIDE = 180 };

// A square of scenes, in each two neighbours a device. Its order of elimination takes longer than a
// second.
static void
make_square(void)
{
    struct random chance = {1};
    uint64_t number = 0;
    for (uint64_t i = 0; i < SIDE * SIDE; i++)
        for (uint64_t step = 1; step <= SIDE; step += SIDE - 1) {
            bool is_inside = step == 1 ? i % SIDE + 1 < SIDE : i + SIDE < SIDE * SIDE;
            for (uint64_t end = 0; end < 2 && is_inside; end++) {
                struct rigid pose = rigid_identity;
                for (int axis = 0; axis < 3; axis++)
                    pose.translation[axis] = random_normal(&chance, 0.03);
                pose.translation[step == 1 ? 0 : 1] += end ? 8 : 0;
                struct correction correction =
                    correction_of(++number, FAR + i + end * step, FAR + i * 2 + (step > 1), &pose);
                evidence_put(evidence, &correction);
            }
        }
}

Test(solver_bounds, a_large_solve_is_broken_off_within_a_second)
{
    make_square();
    evidence_stop_by(evidence, &stop);
    for (int ms = 900; ms < 4000; ms += 1000)
        check_broken_off_after(ms);
}

Test(solver_bounds, what_was_broken_off_is_solved_later)
{
    atomic_store(&stop, true);
    evidence_put_pair(evidence, 1, 1, 2, 3);
    evidence_put_pair(evidence, 2, 1, 2, 3);
    evidence_stop_by(evidence, &stop);
    cr_assert_null(evidence_solve(evidence, NULL, 1));
    atomic_store(&stop, false);
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    cr_assert_eq(relate(solution, 1, 2), ALIGNMENT_PREDICTED);
    solution_unref(&solution);
}
