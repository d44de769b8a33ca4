// scene_moves.c - finds the scenes that moved by what the links of each tell together
// (scene_moves.h).
#include "actors/alignment/solver/scene_moves.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/posegraph.h"
#include "proto/base/memory.h"

enum {
    MOST_CHANGES = 64, // links of a scene that are compared with each other
    MOST_LINKS = 256,  // of a scene that are asked whether it is where it was
};

// What changed at a link, as one of its scenes sees it: devices that stood in this scene later than
// all others agree on something else.
struct link_change {
    uint32_t link;
    uint32_t newer;        // mode
    uint32_t doubted;      // devices that agree on what was before
    uint64_t since_us;     // when the first of the newer ones stood in the scene
    struct rigid motion;   // of the scene's own coordinates, if it is the scene that moved
    double covariance[36]; // of twists on the left of it
};

struct scene_moves {
    uint32_t scene_count;
    struct observations *observations;
    const struct candidates *candidates;
    uint32_t *starts, *links;      // of scenes: the links of each
    uint64_t *since_us;            // when a scene moved; 0 = it did not
    struct observation *collected; // of several links
    bool *is_counted;              // of them
    struct link_change *changes;   // of one scene
};

static uint64_t
time_in(const struct observation *item, uint32_t scene)
{
    return item->a == scene ? item->time_a_us : item->time_b_us;
}

// --- one link ---

struct span {
    uint64_t first_us, last_us;
};

// When the devices of each mode stood in the scene.
static void
find_spans(const struct scene_moves *self, uint32_t index, uint32_t scene, struct span *ret_spans)
{
    const struct link *link = &self->observations->links[index];
    for (uint32_t mode = 0; mode < FUSION_MODES; mode++)
        ret_spans[mode] = (struct span){UINT64_MAX, 0};
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const struct observation *item = &self->observations->items[i];
        if (item->mode == FUSION_STRAY)
            continue;
        struct span *span = &ret_spans[item->mode];
        uint64_t time_us = time_in(item, scene);
        span->first_us = time_us < span->first_us ? time_us : span->first_us;
        span->last_us = time_us > span->last_us ? time_us : span->last_us;
    }
}

// The modes before and after a change as the scene sees it: all devices of `after` came later than
// those of `before`. Of several before it, the last one that more than one device made.
static bool
find_modes(const struct scene_moves *self, uint32_t link, uint32_t scene, uint32_t *ret_before,
           uint32_t *ret_after, uint64_t *ret_since_us)
{
    const struct candidates *candidates = &self->candidates[link];
    struct span spans[FUSION_MODES];
    uint32_t after = 0, before = UINT32_MAX;
    if (candidates->count < 2)
        return false;
    find_spans(self, link, scene, spans);
    for (uint32_t i = 1; i < candidates->count; i++)
        if (spans[i].last_us > spans[after].last_us)
            after = i;
    for (uint32_t i = 0; i < candidates->count; i++) {
        if (i == after || spans[i].last_us >= spans[after].first_us)
            continue;
        bool is_confirmed = candidates->modes[i].devices > 1;
        bool is_better = before == UINT32_MAX;
        if (!is_better && is_confirmed == (candidates->modes[before].devices > 1))
            is_better = spans[i].last_us > spans[before].last_us;
        else if (!is_better)
            is_better = is_confirmed;
        before = is_better ? i : before;
    }
    *ret_before = before;
    *ret_after = after;
    *ret_since_us = spans[after].first_us;
    return before != UINT32_MAX && !candidates->modes[before].is_pinned;
}

// The link maps a to b. If b moved by M, it says M * before now; if a did, before * M^-1.
static bool
find_change(const struct scene_moves *self, uint32_t index, uint32_t scene,
            struct link_change *ret_change)
{
    uint32_t before, after;
    uint64_t since_us;
    if (!find_modes(self, index, scene, &before, &after, &since_us))
        return false;
    const struct mode *old = &self->candidates[index].modes[before];
    const struct mode *new = &self->candidates[index].modes[after];
    *ret_change = (struct link_change){
        .link = index, .newer = after, .doubted = old->devices, .since_us = since_us};
    bool is_end = self->observations->links[index].b == scene;
    struct rigid back = rigid_invert(&new->motion);
    ret_change->motion =
        is_end ? rigid_between(&old->motion, &new->motion) : rigid_compose(&back, &old->motion);
    memcpy(ret_change->covariance, old->covariance, sizeof ret_change->covariance);
    if (is_end)
        rigid_carry_covariance(&ret_change->motion, old->covariance, ret_change->covariance);
    matrix6_add(ret_change->covariance, 1, new->covariance);
    if (!is_end)
        rigid_carry_covariance(&back, ret_change->covariance, ret_change->covariance);
    return true;
}

static bool
is_agreeing(const struct link_change *a, const struct link_change *b)
{
    double sum[36], twist[6], chi_square;
    struct rigid apart = rigid_between(&a->motion, &b->motion);
    rigid_log(&apart, twist);
    memcpy(sum, a->covariance, sizeof sum);
    matrix6_add(sum, 1, b->covariance);
    return matrix6_chi_square(sum, twist, &chi_square) && chi_square <= POSEGRAPH_GATE;
}

// --- one scene ---

// Adds the observations of a link. Those of a mode in the scene since a time count; the others tell
// which users disagree with them.
static size_t
collect(struct scene_moves *self, uint32_t index, uint32_t mode, uint32_t scene, uint64_t since_us,
        size_t count)
{
    const struct link *link = &self->observations->links[index];
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const struct observation *item = &self->observations->items[i];
        self->is_counted[count] = item->mode == mode && time_in(item, scene) >= since_us;
        self->collected[count++] = *item;
    }
    return count;
}

static uint32_t
devices_of(const struct scene_moves *self, size_t count)
{
    return fusion_devices(self->collected, count, self->is_counted, SCENE_MOVES_OF_USER);
}

// How many devices have found the scene as it was since a time: at links that did not change.
static uint32_t
steady_devices(struct scene_moves *self, uint32_t scene, uint64_t since_us, uint32_t but)
{
    size_t count = 0;
    uint32_t start = self->starts[scene], end = self->starts[scene + 1];
    for (uint32_t i = start; i < end && i < start + MOST_LINKS; i++) {
        struct link_change change;
        uint32_t link = self->links[i];
        if (link != but && !find_change(self, link, scene, &change))
            count = collect(self, link, 0, scene, since_us, count);
    }
    return devices_of(self, count);
}

// What links tell of a move together.
struct report {
    uint32_t links, doubted;
    uint64_t since_us;
    size_t collected;
    double information[36], pull[6]; // of the motion, seen from no motion at all
};

static void
hear(struct scene_moves *self, struct report *report, uint32_t scene,
     const struct link_change *change)
{
    double information[36], twist[6], pull[6];
    if (!matrix6_invert(change->covariance, information))
        return;
    rigid_log(&change->motion, twist);
    matrix6_apply(information, twist, pull);
    matrix6_add(report->information, 1, information);
    for (int i = 0; i < 6; i++)
        report->pull[i] += pull[i];
    report->links++;
    report->doubted += change->doubted;
    report->since_us = change->since_us < report->since_us ? change->since_us : report->since_us;
    report->collected = collect(self, change->link, change->newer, scene, 0, report->collected);
}

// Whether the motion that the links tell of together is more than noise.
static bool
is_significant(const struct report *report)
{
    double chi_square;
    return matrix6_chi_square(report->information, report->pull, &chi_square) &&
           chi_square > POSEGRAPH_GATE;
}

// Two links or more tell of the same motion, by enough devices, and more of them than find the
// scene as it was. What few devices said before is more likely wrong than past.
static bool
is_convincing(struct scene_moves *self, const struct report *report, uint32_t scene)
{
    if (report->links < 2 || report->doubted < SCENE_MOVES_DEVICES || !is_significant(report))
        return false;
    uint32_t devices = devices_of(self, report->collected);
    return devices >= SCENE_MOVES_DEVICES &&
           devices > steady_devices(self, scene, report->since_us, UINT32_MAX);
}

static void
judge_scene(struct scene_moves *self, uint32_t scene)
{
    struct link_change *changes = self->changes;
    uint32_t count = 0;
    for (uint32_t i = self->starts[scene]; i < self->starts[scene + 1] && count < MOST_CHANGES; i++)
        count += find_change(self, self->links[i], scene, &changes[count]);
    for (uint32_t i = 0; i < count && count > 1; i++) {
        struct report report = {.since_us = UINT64_MAX};
        for (uint32_t k = 0; k < count; k++)
            if (k == i || is_agreeing(&changes[i], &changes[k]))
                hear(self, &report, scene, &changes[k]);
        if (!is_convincing(self, &report, scene))
            continue;
        self->since_us[scene] = report.since_us;
        return;
    }
}

// --- links that changed alone ---

static uint32_t
degree(const struct scene_moves *self, uint32_t scene)
{
    return self->starts[scene + 1] - self->starts[scene];
}

// A link changed at which neither scene is known to have moved. It is the one whose other end is
// steady, either of two scenes that have no other link, or nobody knows.
static void
judge_link(struct scene_moves *self, uint32_t index, bool *is_doubtful)
{
    const struct link *link = &self->observations->links[index];
    const uint32_t ends[] = {link->a, link->b};
    struct link_change changes[2];
    bool is_steady[2];
    for (int i = 0; i < 2; i++) {
        if (self->since_us[ends[i]] || !find_change(self, index, ends[i], &changes[i]) ||
            changes[i].doubted < 2)
            return;
        if (devices_of(self, collect(self, index, changes[i].newer, ends[i], 0, 0)) <
            SCENE_MOVES_DEVICES)
            return;
        is_steady[i] =
            steady_devices(self, ends[i], changes[i].since_us, index) >= SCENE_MOVES_STEADY;
    }
    bool is_alone = degree(self, ends[0]) == 1 && degree(self, ends[1]) == 1;
    if (is_alone || is_steady[0] != is_steady[1]) {
        int mover = !is_alone && is_steady[0];
        self->since_us[ends[mover]] = changes[mover].since_us;
        return;
    }
    for (int i = 0; i < 2 && !is_steady[0]; i++)
        for (uint32_t k = self->starts[ends[i]]; k < self->starts[ends[i] + 1]; k++)
            is_doubtful[self->links[k]] = true;
}

// --- all of it ---

static void
list_links(struct scene_moves *self)
{
    const struct observations *observations = self->observations;
    uint32_t *ends = memory_take_zeroed((self->scene_count + 1) * sizeof *ends);
    self->starts = memory_take_zeroed((self->scene_count + 1) * sizeof *self->starts);
    self->links = memory_take(observations->link_count * 2 * sizeof *self->links + 1);
    for (size_t i = 0; i < observations->link_count; i++) {
        self->starts[observations->links[i].a + 1]++;
        self->starts[observations->links[i].b + 1]++;
    }
    for (uint32_t scene = 0; scene < self->scene_count; scene++)
        self->starts[scene + 1] += self->starts[scene];
    memcpy(ends, self->starts, (self->scene_count + 1) * sizeof *ends);
    for (uint32_t i = 0; i < observations->link_count; i++) {
        self->links[ends[observations->links[i].a]++] = i;
        self->links[ends[observations->links[i].b]++] = i;
    }
    free(ends);
}

static bool
mark_past(struct scene_moves *self)
{
    bool is_any = false;
    for (size_t i = 0; i < self->observations->count; i++) {
        struct observation *item = &self->observations->items[i];
        item->is_past = !item->is_pinned && (item->time_a_us < self->since_us[item->a] ||
                                             item->time_b_us < self->since_us[item->b]);
        is_any = is_any || item->is_past;
    }
    return is_any;
}

bool
scene_moves_find(uint32_t scene_count, struct observations *observations,
                 const struct candidates *candidates, const struct effort *effort,
                 bool *ret_is_doubtful)
{
    struct scene_moves self = {
        .scene_count = scene_count, .observations = observations, .candidates = candidates};
    list_links(&self);
    self.since_us = memory_take_zeroed(scene_count * sizeof *self.since_us);
    self.collected = memory_take(observations->count * sizeof *self.collected + 1);
    self.is_counted = memory_take(observations->count * sizeof *self.is_counted + 1);
    self.changes = memory_take(MOST_CHANGES * sizeof *self.changes);
    memset(ret_is_doubtful, false, observations->link_count);
    for (uint32_t scene = 0; scene < scene_count && !effort_is_over(effort); scene++)
        judge_scene(&self, scene);
    for (uint32_t i = 0; i < observations->link_count && !effort_is_over(effort); i++)
        if (candidates[i].count > 1)
            judge_link(&self, i, ret_is_doubtful);
    bool is_any = mark_past(&self);
    free(self.collected);
    free(self.is_counted);
    free(self.changes);
    free(self.since_us);
    free(self.starts);
    free(self.links);
    return is_any;
}
