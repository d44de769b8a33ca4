// component_report.c - links and verdicts of a solved component (component_report.h).
#include "actors/alignment/solver/component_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/observation_fusion.h"
#include "actors/alignment/solver/scene_moves.h"
#include "proto/base/memory.h"

enum { MOST_SEARCHES = 512 }; // for detours: each may visit the whole component

// --- conflicts ---

// The largest number of devices that agree about something that was rejected at a link, without
// past observations.
static uint32_t
dissenters(const struct component *self, const struct link *link)
{
    const struct observation *items = self->observations.items + link->first;
    bool *is_counted = memory_take(link->count * sizeof *is_counted);
    uint32_t most = 0;
    for (uint32_t mode = 0; mode < FUSION_MODES; mode++) {
        bool is_any = false;
        for (uint32_t i = 0; i < link->count; i++) {
            is_counted[i] = !items[i].is_accepted && !items[i].is_past && items[i].mode == mode;
            is_any = is_any || is_counted[i];
        }
        uint32_t devices =
            is_any ? fusion_devices(items, link->count, is_counted, FUSION_USER_DEVICES) : 0;
        most = devices > most ? devices : most;
    }
    free(is_counted);
    return most;
}

struct tally {
    uint32_t accepted, past, rejected, devices; // past: of the accepted ones
    bool is_pinned;
};

static struct tally
tally_of(const struct component *self, const struct link *link)
{
    struct tally tally = {0};
    const struct observation *items = self->observations.items + link->first;
    bool *is_counted = memory_take(link->count * sizeof *is_counted);
    for (uint32_t i = 0; i < link->count; i++) {
        is_counted[i] = items[i].is_accepted;
        tally.accepted += items[i].is_accepted;
        tally.past += items[i].is_accepted && items[i].is_past;
        tally.rejected += !items[i].is_accepted;
        tally.is_pinned = tally.is_pinned || items[i].is_pinned;
    }
    tally.devices =
        tally.accepted ? fusion_devices(items, link->count, is_counted, FUSION_USER_DEVICES) : 0;
    free(is_counted);
    return tally;
}

// Whether as many devices contradict the solution at a link as support it. If the region confirms
// the link, that counts as two devices, unless more devices support it themselves. A link is
// conflicting too if one of its scenes may have moved, or has, and nothing newer is known, or if
// what contradicts it was not weighed, because that would have taken too long.
static bool
is_conflicting(const struct component *self, const struct link *link, const struct tally *tally)
{
    bool is_confirmed = self->regions[link->a] == self->regions[link->b];
    uint32_t support = tally->devices;
    if (!tally->devices)
        support = is_confirmed ? 2 : 1;
    else if (tally->devices == 1 && is_confirmed)
        support = 2;
    if (tally->is_pinned)
        return false;
    if (self->is_given_up)
        return true;
    bool is_outdated = self->is_doubtful[link - self->observations.links] ||
                       (tally->past && tally->past == tally->accepted);
    return is_outdated || (tally->rejected && dissenters(self, link) >= support);
}

// --- links ---

// The state of a link that both its ends share, without sigmas: those of all links would take
// longer than the solve.
static struct link_state
describe(const struct component *self, const struct link *link)
{
    struct tally tally = tally_of(self, link);
    struct mode fused;
    struct link_state state = {
        .status = self->regions[link->a] == self->regions[link->b] ? ALIGNMENT_PREDICTED
                                                                   : ALIGNMENT_UNVERIFIED,
        .observations = tally.accepted,
        .rejected = tally.rejected,
        .devices = tally.devices,
    };
    if (is_conflicting(self, link, &tally))
        state.status = ALIGNMENT_CONFLICTING;
    struct rigid back = rigid_invert(&self->poses[link->b]);
    struct rigid motion = rigid_compose(&back, &self->poses[link->a]);
    if (fusion_accepted(self->observations.items + link->first, link->count, &motion, &fused))
        rigid_difference(&fused.motion, &motion, &state.residual_t_m, &state.residual_r_rad);
    return state;
}

static void
start_states(struct component *self)
{
    const struct observations *observations = &self->observations;
    uint32_t *starts = memory_take_zeroed((self->scene_count + 1) * sizeof *starts);
    for (size_t i = 0; i < observations->link_count; i++) {
        starts[observations->links[i].a + 1]++;
        starts[observations->links[i].b + 1]++;
    }
    for (uint32_t scene = 0; scene < self->scene_count; scene++)
        starts[scene + 1] += starts[scene];
    free(self->state_starts);
    free(self->state_links);
    free(self->states);
    self->state_starts = starts;
    self->state_links = memory_take(observations->link_count * 2 * sizeof *self->state_links + 1);
    self->states = memory_take(observations->link_count * 2 * sizeof *self->states + 1);
}

// Links are ordered by their two scenes. So the links of a scene to earlier scenes come first, then
// those to later ones, each in the order of the other scene.
static void
list_states(struct component *self)
{
    const struct observations *observations = &self->observations;
    start_states(self);
    uint32_t *ends = memory_take((self->scene_count + 1) * sizeof *ends);
    memcpy(ends, self->state_starts, self->scene_count * sizeof *ends);
    struct link_state *described = memory_take(observations->link_count * sizeof *described + 1);
    for (size_t i = 0; i < observations->link_count && !effort_is_stopped(self->effort); i++)
        described[i] = describe(self, &observations->links[i]);
    for (int pass = 0; pass < 2 && !effort_is_stopped(self->effort); pass++)
        for (uint32_t i = 0; i < observations->link_count; i++) {
            const struct link *link = &observations->links[i];
            uint32_t from = pass ? link->a : link->b, to = pass ? link->b : link->a;
            struct link_state *state = &self->states[ends[from]];
            self->state_links[ends[from]++] = i;
            *state = described[i];
            state->scene_id = self->scenes[to];
            state->motion = component_motion(self, from, to);
        }
    free(described);
    free(ends);
}

// --- suspicion ---

// A search for the detour between the ends of a link, along the fewest links with accepted
// observations.
struct detour {
    uint32_t *before; // of a scene: the state that it was reached by; UINT32_MAX = not reached
    uint32_t *queue;
};

static bool
find_detour(const struct component *self, struct detour *detour, uint32_t from, uint32_t to)
{
    uint32_t first = 0, last = 0;
    memset(detour->before, 0xff, self->scene_count * sizeof *detour->before);
    detour->queue[last++] = from;
    while (first < last && detour->before[to] == UINT32_MAX) {
        uint32_t scene = detour->queue[first++];
        for (uint32_t i = self->state_starts[scene]; i < self->state_starts[scene + 1]; i++) {
            const struct link *link = &self->observations.links[self->state_links[i]];
            uint32_t other = link->a == scene ? link->b : link->a;
            if (!self->states[i].observations || other == from ||
                detour->before[other] != UINT32_MAX)
                continue;
            detour->before[other] = i;
            detour->queue[last++] = other;
        }
    }
    return detour->before[to] != UINT32_MAX;
}

static void
suspect(struct component *self, uint32_t link)
{
    for (int end = 0; end < 2; end++) {
        uint32_t scene = end ? self->observations.links[link].b : self->observations.links[link].a;
        for (uint32_t i = self->state_starts[scene]; i < self->state_starts[scene + 1]; i++)
            if (self->state_links[i] == link)
                self->states[i].status = ALIGNMENT_CONFLICTING;
    }
}

static void
suspect_unverified(struct component *self, uint32_t link)
{
    const struct link *way = &self->observations.links[link];
    if (self->regions[way->a] != self->regions[way->b])
        suspect(self, link);
}

// When the first of the devices that contradict a link stood in the scene.
static uint64_t
first_time(const struct component *self, const struct link *link, uint32_t scene)
{
    uint64_t first_us = UINT64_MAX;
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const struct observation *item = &self->observations.items[i];
        uint64_t time_us = item->a == scene ? item->time_a_us : item->time_b_us;
        if (!item->is_accepted && !item->is_past && time_us < first_us)
            first_us = time_us;
    }
    return first_us;
}

// Whether the scene was seen where it is solved to be, after a time.
static bool
is_steady(const struct component *self, uint32_t scene, uint64_t since_us)
{
    uint32_t seen = 0;
    for (uint32_t i = self->state_starts[scene]; i < self->state_starts[scene + 1]; i++) {
        const struct link *link = &self->observations.links[self->state_links[i]];
        for (uint32_t k = link->first; k < link->first + link->count; k++) {
            const struct observation *item = &self->observations.items[k];
            uint64_t time_us = item->a == scene ? item->time_a_us : item->time_b_us;
            seen += item->is_accepted && time_us >= since_us;
        }
    }
    return seen >= SCENE_MOVES_STEADY;
}

// Many devices contradict what a link is solved to be. One of its scenes may have moved, if
// nobody saw it where it is solved to be since: then its links are conflicting.
static void
doubt_ends(struct component *self, const struct link *link)
{
    if (dissenters(self, link) < SCENE_MOVES_DEVICES)
        return;
    for (int end = 0; end < 2; end++) {
        uint32_t scene = end ? link->b : link->a;
        if (is_steady(self, scene, first_time(self, link, scene)))
            continue;
        for (uint32_t i = self->state_starts[scene]; i < self->state_starts[scene + 1]; i++)
            suspect(self, self->state_links[i]);
    }
}

// If all observations of a link were rejected and nothing confirms the detour, the detour may be
// the wrong one: its links are conflicting too.
static void
spread_conflicts(struct component *self)
{
    size_t size = self->scene_count * sizeof(uint32_t);
    struct detour detour = {memory_take(size), memory_take(size)};
    int searches = 0;
    for (uint32_t i = 0; i < self->observations.link_count && searches < MOST_SEARCHES &&
                         !effort_is_over(self->effort);
         i++) {
        const struct link *link = &self->observations.links[i];
        if (self->regions[link->a] == self->regions[link->b] || component_link_is_alive(self, link))
            continue;
        searches++;
        if (!find_detour(self, &detour, link->a, link->b))
            continue;
        for (uint32_t scene = link->b; scene != link->a;) {
            const struct link *way =
                &self->observations.links[self->state_links[detour.before[scene]]];
            suspect_unverified(self, self->state_links[detour.before[scene]]);
            scene = way->a == scene ? way->b : way->a;
        }
    }
    for (uint32_t i = 0; i < self->observations.link_count && !effort_is_over(self->effort); i++)
        doubt_ends(self, &self->observations.links[i]);
    free(detour.before);
    free(detour.queue);
}

// --- verdicts ---

// A correction is judged by its best observation. An accepted one is better than a rejected one.
struct best {
    bool is_any, is_accepted;
    bool is_past;  // one of its observations is
    bool is_alone; // it disagrees with one of its session that agrees with others: it is wrong
    double weight, residual_t_m, residual_r_rad, chi_square;
};

static void
consider(struct best *best, const struct observation *item, const struct rigid *motion)
{
    double chi_square = fusion_chi_square(item, motion);
    bool is_better = !best->is_any || item->is_accepted > best->is_accepted ||
                     (item->is_accepted == best->is_accepted && chi_square < best->chi_square);
    double weight = item->is_accepted ? fmax(item->weight, best->weight) : best->weight;
    bool is_past = best->is_past || item->is_past;
    if (is_better) {
        *best = (struct best){
            .is_any = true, .is_accepted = item->is_accepted, .chi_square = chi_square};
        rigid_difference(&item->motion, motion, &best->residual_t_m, &best->residual_r_rad);
    }
    best->weight = weight;
    best->is_past = is_past;
}

static enum rejection
rejection_of(const struct component_correction *item, const struct best *best)
{
    if (item->correction.is_pinned || (item->is_left_out && item->fade >= FADE_END))
        return NOT_REJECTED;
    if (item->is_left_out)
        return REJECTED_FAR;
    if (!best->is_any || best->is_accepted)
        return NOT_REJECTED;
    if (best->is_past)
        return REJECTED_PAST;
    return best->is_alone ? REJECTED_CONTRARY : REJECTED_UNCLEAR;
}

// The coordinates of a device are its own, so two corrections that disagree tell only that one of
// them is wrong. Which one it is, a third one tells that agrees with the other.
static void
find_alone(const struct observations *observations, struct best *best)
{
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *item = &observations->items[i];
        struct best *a = &best[item->correction_a], *b = &best[item->correction_b];
        a->is_alone = a->is_alone || (!a->is_accepted && b->is_accepted);
        b->is_alone = b->is_alone || (!b->is_accepted && a->is_accepted);
    }
}

static void
write_verdict(const struct component_correction *item, const struct best *best, double noise_factor,
              struct verdict *ret_verdict)
{
    *ret_verdict = (struct verdict){
        .weight = best->is_any ? fmin(best->weight, 1) : !item->is_left_out,
        .rejection = rejection_of(item, best),
        .residual_t_m = best->residual_t_m,
        .residual_r_rad = best->residual_r_rad,
        .noise_factor = noise_factor,
    };
    memcpy(ret_verdict->id, item->correction.id, sizeof ret_verdict->id);
}

static void
list_verdicts(struct component *self)
{
    struct best *best = memory_take_zeroed(self->correction_count * sizeof *best + 1);
    for (size_t i = 0; i < self->observations.count && !effort_is_stopped(self->effort); i++) {
        const struct observation *item = &self->observations.items[i];
        struct rigid back = rigid_invert(&self->poses[item->b]);
        struct rigid motion = rigid_compose(&back, &self->poses[item->a]);
        consider(&best[item->correction_a], item, &motion);
        consider(&best[item->correction_b], item, &motion);
    }
    find_alone(&self->observations, best);
    free(self->verdicts);
    free(self->verdict_starts);
    self->verdicts = memory_take(self->correction_count * sizeof *self->verdicts + 1);
    self->verdict_starts =
        memory_take_zeroed((self->scene_count + 1) * sizeof *self->verdict_starts);
    for (size_t i = 0; i < self->correction_count; i++) {
        write_verdict(&self->corrections[i], &best[i],
                      noise_model_factor(&self->noise, self->corrections[i].correction.method),
                      &self->verdicts[i]);
        self->verdict_starts[self->corrections[i].scene + 1]++;
    }
    for (uint32_t scene = 0; scene < self->scene_count; scene++)
        self->verdict_starts[scene + 1] += self->verdict_starts[scene];
    free(best);
}

void
component_report_make(struct component *self)
{
    list_states(self);
    if (effort_is_stopped(self->effort))
        return;
    spread_conflicts(self);
    list_verdicts(self);
    self->contrary_share = noise_model_contrary_share(&self->observations);
}
