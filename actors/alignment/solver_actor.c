// solver_actor.c - collects changes, waits for a short pause, solves, publishes (solver_actor.h).
// Nobody waits for its thread: while a solve takes a second, answers use the last solution. Only a
// start waits for the first one, two seconds at most.
#include "actors/alignment/solver_actor.h"

#include <stdlib.h>

#include "actors/alignment/background.h"
#include "actors/alignment/correction_log.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"
#include "proto/records/scene.h"

enum {
    FADE_MS = 60000,   // between two solves, if corrections fade
    QUIET_MS = 50,     // without changes before a solve
    PATIENCE_MS = 500, // the longest wait before a solve
};

struct solver_actor {
    actor_t base;
    struct solver_settings settings;
    evidence_t *evidence;
    struct correction_log log;
    solution_t *solution; // the newest, NULL before the first
    solution_t *next;     // of the solve that just ended; NULL = it was broken off
    told_links_t *told;   // what scenes were told of each link
    uint64_t epoch;
    uint64_t quiet_ms; // deadlines of the next solve; 0 = no changes
    uint64_t patience_ms;
    atomic_bool ends;             // no solution is wanted any more; set by another thread
    atomic_bool is_serving;       // requests are answered; set by another thread
    uint64_t unsolved;            // changes that no solution has
    uint64_t unsolved_since_us;   // of clock.h: when the first of them came
    uint64_t contrary_told;       // to the metrics
    uint64_t unsolved_told;       // to the metrics
    uint64_t fade_ms;             // deadline of the next solve, if corrections fade; 0 = none fades
    struct message_queue waiting; // PINGs, answered after the next solve
};

static solver_actor_t *
self_of(actor_t *actor)
{
    return (solver_actor_t *)(void *)actor;
}

// --- changes ---

static enum error
take_changes(actor_t *actor, struct message *message)
{
    solver_actor_t *self = self_of(actor);
    const struct correction_changes *changes = correction_changes_of(message);
    for (size_t i = 0; i < changes->count; i++)
        correction_log_apply(&self->log, &changes->items[i]);
    if (self->unsolved == 0)
        self->unsolved_since_us = clock_now_us();
    self->unsolved += changes->count;
    gauge_follow(GAUGE_UNSOLVED, &self->unsolved_told, self->unsolved);
    self->quiet_ms = clock_deadline_ms(QUIET_MS);
    if (!self->patience_ms)
        self->patience_ms = clock_deadline_ms(PATIENCE_MS);
    return OK;
}

// PING: answered when all changes before it are solved.
static enum error
wait_for_solution(actor_t *actor, struct message *message)
{
    message_queue_push(&self_of(actor)->waiting, &message);
    return PARKED;
}

// --- notices ---

static void
moved_release(struct parcel *parcel)
{
    free(parcel);
}

static bool
shard_of_scene(const solver_actor_t *self, uint64_t scene_id, unsigned *ret_shard)
{
    const packed_t *scene = atlas_scene(self->settings.atlas, scene_id);
    if (!scene)
        return false; // it was deleted
    *ret_shard = partition_of_scene(packed_key(scene)) % self->settings.shards;
    packed_unref(&scene);
    return true;
}

static void
tell_shard(solver_actor_t *self, unsigned shard, struct moved **moved)
{
    char name[MAILBOX_NAME_SIZE];
    mailbox_shard_name(shard, name);
    struct message *message = message_create(ALIGNMENT_MOVED);
    message->parcel = &(*moved)->base;
    *moved = NULL;
    if (mailbox_send_back(self->base.mailbox, name, &message) != OK)
        log_warning("alignment_untold", "actor=%s", name);
    message_destroy(&message);
}

// Tells each scene actor which of its scenes moved.
static void
tell_shards(solver_actor_t *self, const uint64_t *scene_ids, size_t count)
{
    for (unsigned shard = 0; shard < self->settings.shards; shard++) {
        struct moved *moved = memory_take(sizeof *moved + count * sizeof *scene_ids);
        *moved = (struct moved){.base.destroy = moved_release};
        for (size_t i = 0; i < count; i++) {
            unsigned owner;
            if (shard_of_scene(self, scene_ids[i], &owner) && owner == shard)
                moved->scene_ids[moved->count++] = scene_ids[i];
        }
        if (moved->count > 0)
            tell_shard(self, shard, &moved);
        free(moved);
    }
}

// --- solving ---

// Scenes are told of links that moved, but not of a first solution that was there before anybody
// was answered: they were told before the restart. Whether somebody was is asked after the
// solution can be read, so that nobody misses both.
static void
publish(solver_actor_t *self, solution_t **solution)
{
    uint64_t *scene_ids = NULL;
    bool is_first = !self->solution;
    size_t count = told_links_update(self->told, *solution, &scene_ids);
    self->epoch += count > 0 && !is_first;
    solution_unref(&self->solution);
    self->solution = solution_ref(*solution);
    atlas_publish(self->settings.atlas, solution, self->epoch);
    self->unsolved = 0; // before scenes are told: who hears of it finds it counted
    gauge_follow(GAUGE_UNSOLVED, &self->unsolved_told, self->unsolved);
    if (!is_first || atomic_load(&self->is_serving))
        tell_shards(self, scene_ids, count);
    free(scene_ids);
}

static void
evidence_work(void *argument)
{
    solver_actor_t *self = argument;
    self->next = evidence_solve(self->evidence, self->solution, clock_calendar_us());
}

// Threads that answer requests have priority over a solve, unless news has waited for long: on a
// busy machine there would be no solution at all.
static solution_t *
solve_beside(solver_actor_t *self)
{
    enum { OLD_US = 2000000 };
    bool has_old_news = self->unsolved > 0 && clock_now_us() - self->unsolved_since_us > OLD_US;
    background_run(!has_old_news, evidence_work, self);
    return self->next;
}

static void
tell_of(const solver_actor_t *self, const solution_t *solution)
{
    if (solution_given_up(solution) > 0)
        log_warning("alignment_given_up", "components=%zu", solution_given_up(solution));
    if (self->unsolved > 0)
        time_observe(HISTOGRAM_ALIGNMENT_LAG, clock_now_us() - self->unsolved_since_us);
}

// Returns false if it was broken off, because the server ends.
static bool
solve(solver_actor_t *self)
{
    uint64_t began_us = clock_now_us();
    correction_log_update(&self->log);
    solution_t *solution = solve_beside(self);
    if (!solution)
        return false;
    tell_of(self, solution);
    gauge_follow(GAUGE_CONTRARY, &self->contrary_told, solution_contrary_components(solution));
    publish(self, &solution);
    self->quiet_ms = self->patience_ms = 0;
    if (self->fade_ms)
        self->fade_ms = clock_deadline_ms(FADE_MS);
    time_observe(HISTOGRAM_SOLVE_TIME, clock_now_us() - began_us);
    return true;
}

static bool
is_due(const solver_actor_t *self)
{
    if (self->fade_ms && !clock_left_ms(self->fade_ms))
        return true;
    return self->quiet_ms && (self->waiting.count > 0 || !clock_left_ms(self->quiet_ms) ||
                              !clock_left_ms(self->patience_ms));
}

static void
drained(actor_t *actor)
{
    solver_actor_t *self = self_of(actor);
    if (actor->backlog || actor->stopping)
        return;
    bool is_wanted = is_due(self) || (!self->solution && self->waiting.count > 0);
    if (is_wanted && !solve(self))
        return;
    struct message *message;
    while ((message = message_queue_pop(&self->waiting)) != NULL)
        actor_answer(actor, &message, OK);
}

static int
timeout_ms(actor_t *actor)
{
    const solver_actor_t *self = self_of(actor);
    if (actor->backlog)
        return 0;
    const uint64_t deadlines[] = {self->quiet_ms, self->patience_ms, self->fade_ms};
    int left_ms = -1;
    for (size_t i = 0; i < sizeof deadlines / sizeof deadlines[0]; i++)
        if (deadlines[i] && (left_ms < 0 || clock_left_ms(deadlines[i]) < left_ms))
            left_ms = clock_left_ms(deadlines[i]);
    return left_ms;
}

static void
finish(actor_t *actor)
{
    solver_actor_t *self = self_of(actor);
    message_queue_finish(&self->waiting);
    correction_log_finish(&self->log);
    evidence_destroy(&self->evidence);
    solution_unref(&self->solution);
    told_links_destroy(&self->told);
}

static const struct actor_behaviour behaviour = {
    .operations =
        {
            [EVIDENCE] = {.handle = take_changes},
            [PING] = {.handle = wait_for_solution},
        },
    .drained = drained,
    .timeout_ms = timeout_ms,
    .close = finish,
    .may_be_slow = true,
};

fallible
solver_actor_create(const struct solver_settings *settings, solver_actor_t **ret_actor)
{
    solver_actor_t *self = memory_take_zeroed(sizeof *self);
    self->settings = *settings;
    self->epoch = settings->start;
    self->evidence = evidence_create();
    self->told = told_links_create();
    evidence_confirm_by(self->evidence, settings->confirm_users);
    evidence_stop_by(self->evidence, &self->ends);
    self->log.evidence = self->evidence;
    self->log.half_lives = settings->half_lives;
    if (settings->half_lives && *settings->half_lives)
        self->fade_ms = clock_deadline_ms(FADE_MS);
    TRY(actor_create(&self->base, &behaviour, actor_mailbox(SOLVER_ACTOR)));
    *ret_actor = self;
    return OK;
}

void
solver_actor_serve(solver_actor_t *self)
{
    atomic_store(&self->is_serving, true);
}

void
solver_actor_destroy(solver_actor_t **self, mailbox_t *from)
{
    if (*self) {
        atomic_store(&(*self)->ends, true);
        actor_destroy(&(*self)->base, from);
    }
    *self = NULL;
}
