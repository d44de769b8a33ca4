// scene_query.c - finding scenes by name, place and the like, over all scenes of one scene actor.
// Filters with a point search the map, the others walk the catalogue; what they find is collected
// and answered nearest first.

#include "actors/scene/scene_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/runtime/access.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/records/scene.h"

enum { DEFAULT_NUM_RECORDS = 10, LEAST_ROOM = 64, AT_ONCE = 64 };

// A scene that a filter found.
struct found {
    double distance_km; // infinite where the filter has no point
    const frozen_t *record;
};

// What was found so far: all of the first `wanted` in the order of the answer, perhaps others, and
// scenes that several filters found several times.
struct findings {
    struct parcel base;          // the work of a request in slices
    const struct caller *caller; // what they may not read is not found
    size_t wanted;               // at least 1
    bool has_doubles;            // several filters search
    struct found *items;
    size_t count, capacity;
    double limit_km; // whatever is further away comes after the first `wanted`
    // Between two slices:
    struct records *plain;  // the filters without a point, in the arena of the message
    size_t next_filter;     // that has not searched yet, of all
    bool has_walked;        // the plain filters have seen all scenes that count
    bool has_paused;        // scenes may have changed: their keys tell which are the same
    const frozen_t *passed; // the scene that the plain filters saw last, one reference
    const frozen_t **held;  // what was found before, one reference each
    size_t held_count;
};

// Whether latitude, longitude and distance come together or not at all.
static fallible
check_filter(struct message *message, size_t index)
{
    const struct record *filter = message->records->items[index];
    int given = record_has(filter, SCENE_LATITUDE) + record_has(filter, SCENE_LONGITUDE) +
                record_has(filter, SCENE_DISTANCE);
    if (given != 0 && given != 3)
        return fail(ERR_MISSING, message_pointer(message, index, ""),
                    "latitude, longitude and distance come together or not at all");
    return OK;
}

static bool
asks_near(const struct record *filter)
{
    return record_has(filter, SCENE_DISTANCE);
}

// --- the order of the answer ---

// Nearest first, then in the order of keys what filters without a point found.
static bool
comes_before(const struct found *one, const struct found *other)
{
    if (one->distance_km != other->distance_km)
        return one->distance_km < other->distance_km;
    return text_compare(frozen_key(one->record), frozen_key(other->record)) < 0;
}

static void
sort_few(struct found *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct found moved = items[i];
        size_t place = i;
        for (; place > 0 && comes_before(&moved, &items[place - 1]); place--)
            items[place] = items[place - 1];
        items[place] = moved;
    }
}

// Merge sort; `spare` has room for half of the items. qsort() takes three times as long, a call for
// each comparison, which was a tenth of a large answer.
static void
sort_by_order(struct found *items, size_t count, struct found *spare)
{
    enum { FEW = 8 };
    if (count <= FEW) {
        sort_few(items, count);
        return;
    }
    size_t half = count / 2, left = 0, right = half, to = 0;
    sort_by_order(items, half, spare);
    sort_by_order(items + half, count - half, spare);
    memcpy(spare, items, half * sizeof items[0]);
    while (left < half && right < count) { // without a branch that the processor mispredicts
        size_t is_right = comes_before(&items[right], &spare[left]);
        items[to++] = *(is_right ? &items[right] : &spare[left]);
        right += is_right;
        left += 1 - is_right;
    }
    memcpy(items + to, spare + left, (half - left) * sizeof items[0]);
}

// Puts the same scenes together, the shortest distance first.
static int
compare_scenes(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    if (one->record != other->record)
        return (uintptr_t)one->record < (uintptr_t)other->record ? -1 : 1;
    return (one->distance_km > other->distance_km) - (one->distance_km < other->distance_km);
}

// The same by their keys: of a scene that has changed there are several records.
static int
compare_keys(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    int order = text_compare(frozen_key(one->record), frozen_key(other->record));
    return order ? order : compare_scenes(a, b);
}

static bool
is_same(const struct findings *self, const frozen_t *one, const frozen_t *other)
{
    return one == other || (self->has_paused && text_equal(frozen_key(one), frozen_key(other)));
}

static void
drop_doubles(struct findings *self)
{
    size_t kept = 0;
    qsort(self->items, self->count, sizeof self->items[0],
          self->has_paused ? compare_keys : compare_scenes);
    for (size_t i = 0; i < self->count; i++)
        if (kept == 0 || !is_same(self, self->items[i].record, self->items[kept - 1].record))
            self->items[kept++] = self->items[i];
    self->count = kept;
}

// Leaves the first `wanted`, each once and in order.
static void
settle(struct findings *self)
{
    if (self->count == 0)
        return;
    if (self->has_doubles)
        drop_doubles(self);
    struct found *spare = memory_take((self->count / 2 + 1) * sizeof *spare);
    sort_by_order(self->items, self->count, spare);
    free(spare);
    if (self->count >= self->wanted) {
        self->count = self->wanted;
        self->limit_km = self->items[self->count - 1].distance_km;
    }
}

// Keeps room for twice what is wanted, so that settling costs little per scene.
static void
make_room(struct findings *self)
{
    size_t most = self->wanted * 2 + LEAST_ROOM;
    if (self->items && self->count < self->capacity)
        return;
    if (self->items && self->capacity >= most) {
        settle(self);
        return;
    }
    size_t doubled = self->capacity ? self->capacity * 2 : LEAST_ROOM;
    self->capacity = doubled < most ? doubled : most;
    self->items = memory_resize(self->items, self->capacity * sizeof self->items[0]);
}

static void
add(struct findings *self, const frozen_t *record, double distance_km)
{
    make_room(self);
    self->items[self->count++] = (struct found){distance_km, record};
}

// --- finding ---

// One filter with a point at work.
struct nearby {
    struct findings *findings;
    const struct record *filter;
    bool looks; // at the records, which is slow (they lie anywhere in memory): only where needed
};

// Whether the filter asks for more than nearness.
static bool
asks_more(const struct record *filter)
{
    for (uint32_t i = 0; i < filter->schema->count; i++) {
        const struct field *field = &filter->schema->fields[i];
        if ((field->flags & FIELD_FILTER) && record_has(filter, field->id))
            return true;
    }
    return false;
}

static double
visit_nearby(void *context, const void *value, double distance_km)
{
    struct nearby *self = context;
    if (!self->looks ||
        (record_matches(value, self->filter) && scene_is_seen(self->findings->caller, value)))
        add(self->findings, value, distance_km);
    return self->findings->limit_km;
}

static void
find_nearby(struct shard *self, const struct record *filter, struct findings *findings)
{
    const struct scene *at = scene_of(filter);
    bool looks = asks_more(filter) || !access_sees_all(findings->caller);
    struct nearby nearby = {findings, filter, looks};
    geo_index_find(&self->map, at->latitude, at->longitude, fmin(at->distance, findings->limit_km),
                   visit_nearby, &nearby);
}

// --- slices ---

static void
let_go(struct findings *self)
{
    for (size_t i = 0; i < self->held_count; i++)
        record_unref(&self->held[i]);
    free(self->held);
}

static void
findings_release(struct parcel *parcel)
{
    struct findings *self = (struct findings *)(void *)parcel;
    let_go(self);
    record_unref(&self->passed);
    free(self->items);
    free(self);
}

// What was found so far, and the scene that was seen last, stay as they are until the next slice.
static enum error
pause(actor_t *actor, struct message *message, struct findings *self, const frozen_t *passed)
{
    const frozen_t **held = memory_take((self->count + 1) * sizeof *held);
    for (size_t i = 0; i < self->count; i++)
        held[i] = record_ref(self->items[i].record);
    let_go(self);
    self->held = held;
    self->held_count = self->count;
    if (passed) {
        record_ref(passed);
        record_unref(&self->passed);
        self->passed = passed;
    }
    self->has_paused = true;
    return actor_pause(actor, message);
}

static struct findings *
findings_begin(struct message *message, uint64_t wanted)
{
    struct findings *self = memory_take_zeroed(sizeof *self);
    const struct records *filters = message->records;
    size_t count = filters ? filters->count : 0;
    self->base.destroy = findings_release;
    self->caller = &message->caller;
    self->wanted = wanted;
    self->limit_km = INFINITY;
    self->has_doubles = count > 1;
    self->plain = records_new(&message->arena, count);
    for (size_t i = 0; i < count; i++)
        if (!asks_near(filters->items[i]))
            self->plain->items[self->plain->count++] = filters->items[i];
    self->has_walked = count > 0 && self->plain->count == 0;
    message->work = &self->base;
    return self;
}

// Finds the first `wanted` by key. Those after them cannot be in the answer, whatever else is
// found. No filter at all finds every scene.
static enum error
find_by_key(actor_t *actor, struct message *message, struct findings *self)
{
    enum { WATCHED_COST = 64 }; // so many comparisons cost more than a look at the clock
    struct record_set *catalogue = &shard_of(actor)->catalogue;
    size_t count, cost = 0, filters = self->plain->count;
    size_t i = self->passed ? record_set_place_after(catalogue, frozen_key(self->passed)) : 0;
    const frozen_t *const *scenes = record_set_items(catalogue, &count);
    for (; i < count && self->count < self->wanted; i++) {
        const struct record *scene = frozen_record(scenes[i]);
        if ((filters == 0 || record_matches_any(scene, self->plain)) &&
            scene_is_seen(self->caller, scene))
            add(self, scenes[i], INFINITY);
        cost += 1 + filters;
        if (cost >= WATCHED_COST && actor_must_pause(actor))
            return pause(actor, message, self, scenes[i]);
        cost = cost >= WATCHED_COST ? 0 : cost;
    }
    self->has_walked = true;
    return OK;
}

// One filter with a point after another, each in one piece.
static enum error
find_by_place(actor_t *actor, struct message *message, struct findings *self)
{
    const struct records *filters = message->records;
    size_t count = filters ? filters->count : 0;
    while (self->next_filter < count) {
        const struct record *filter = filters->items[self->next_filter++];
        if (!asks_near(filter))
            continue;
        find_nearby(shard_of(actor), filter, self);
        if (self->next_filter < count && actor_must_pause(actor))
            return pause(actor, message, self, NULL);
    }
    if (self->plain->count < count)
        settle(self); // else it is in order already
    return OK;
}

// --- answering ---

// The records lie anywhere in memory: fetches one ahead, so that reading it does not wait.
static void
fetch(const frozen_t *record)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < sizeof(struct scene); at += LINE)
        __builtin_prefetch((const char *)record + at);
}

// Scenes as the answer shows them, with their distances from the query point.
static void
add_with_distance(struct message *message, const struct found *found, size_t count)
{
    const frozen_t *records[AT_ONCE];
    frozen_t *placed[AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        records[i] = found[i].record;
        fetch(records[i]);
    }
    record_thaw_many(records, count, placed);
    for (size_t i = 0; i < count; i++) {
        struct record *scene = frozen_edit(placed[i]);
        ((struct scene *)(void *)scene)->distance = found[i].distance_km;
        record_mark(scene, SCENE_DISTANCE);
        const frozen_t *frozen = placed[i];
        reply_add(message, frozen);
        record_unref(&frozen);
    }
}

static void
answer(struct message *message, const struct found *found, size_t count)
{
    size_t placed = count; // that have a distance: they come first
    while (placed > 0 && isinf(found[placed - 1].distance_km))
        placed--;
    for (size_t i = 0; i < placed; i += AT_ONCE)
        add_with_distance(message, found + i, placed - i < AT_ONCE ? placed - i : AT_ONCE);
    for (size_t i = placed; i < count; i++)
        reply_add(message, found[i].record);
}

// Answers the first start + num records of this shard, by distance or by key. The gateway asked all
// shards: it merges the answers and cuts the page out.
enum error
scene_query(actor_t *actor, struct message *message)
{
    const struct params *params = message->params;
    for (size_t i = 0; message->records && i < message->records->count; i++)
        TRY(check_filter(message, i));
    uint64_t num = (uint64_t)(params->num_records ? params->num_records : DEFAULT_NUM_RECORDS);
    uint64_t wanted = (uint64_t)params->start_record + num;
    struct findings *findings = (struct findings *)(void *)message->work;
    if (!findings)
        findings = findings_begin(message, wanted + 1); // is there more?
    if (!findings->has_walked)
        TRY(find_by_key(actor, message, findings));
    TRY(find_by_place(actor, message, findings));
    answer(message, findings->items, findings->count < wanted ? findings->count : wanted);
    message->reply.more = findings->count > wanted;
    return OK;
}
