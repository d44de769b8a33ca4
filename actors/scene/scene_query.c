// scene_query.c - finding scenes by name, place and the like, over all scenes of one scene actor.
// Filters with a point search the map, the others walk the catalogue; what they find is collected
// and answered nearest first.

#include "actors/scene/scene_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/scene/found_scenes.h"
#include "actors/scene/geo_search.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_keeper.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/message/access_item.h"
#include "proto/records/scene.h"

enum { DEFAULT_NUM_RECORDS = 10, AT_ONCE = 64 };

// The work of a request in slices.
struct findings {
    struct parcel base;
    const struct caller *caller; // what they may not read is not found
    struct found_scenes found;
    struct records *plain;    // the filters without a point, in the arena of the message
    bool has_walked;          // they have seen all scenes that count
    const packed_t *passed;   // the scene that they saw last
    size_t next_filter;       // that has not searched the map to the end, of all
    bool is_searching;        // it has begun
    struct geo_search search; // its search
    const struct record *filter;
    bool looks; // at the records, which is slow (they lie anywhere in memory): only where needed
    bool is_settled;   // nothing more is found
    size_t answered;   // of what was found
    double *distances; // of these; in the arena of the message
    const actor_t *actor;
    struct scene_keeper keeper; // what it borrows stays
    size_t looked_back;         // at what the keeper has
};

// --- filters ---

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

// --- slices ---

static void
findings_release(struct parcel *parcel)
{
    struct findings *self = (struct findings *)(void *)parcel;
    scene_keeper_finish(&self->keeper);
    found_scenes_finish(&self->found);
    free(self);
}

// What it has found stays until the next slice.
static enum error
pause(actor_t *actor, struct message *message, struct findings *self)
{
    scene_keeper_begin(&self->keeper, shard_of(actor));
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
    self->found =
        (struct found_scenes){.wanted = wanted, .limit_km = INFINITY, .has_doubles = count > 1};
    self->plain = records_new(&message->arena, count);
    for (size_t i = 0; i < count; i++)
        if (!asks_near(filters->items[i]))
            self->plain->items[self->plain->count++] = filters->items[i];
    self->has_walked = count > 0 && self->plain->count == 0;
    message->work = &self->base;
    return self;
}

// --- finding ---

// Finds the first `wanted` by key. Those after them cannot be in the answer, whatever else is
// found. No filter at all finds every scene.
static enum error
find_by_key(actor_t *actor, struct message *message, struct findings *self)
{
    enum {
        WATCHED_COST = 64, // so many comparisons cost more than a look at the clock
        FETCHED_AHEAD = 8,
    };
    struct record_set *catalogue = &shard_of(actor)->catalogue;
    size_t count, cost = 0, filters = self->plain->count;
    size_t i = self->passed ? record_set_place_after(catalogue, packed_key(self->passed)) : 0;
    const frozen_t *const *scenes = record_set_items(catalogue, &count);
    for (; i < count && self->found.count < self->found.wanted; i++) {
        struct opened room;
        if (i + FETCHED_AHEAD < count)
            packed_fetch(scenes[i + FETCHED_AHEAD]);
        const packed_t *record = frozen_packed(scenes[i]);
        const struct record *scene = packed_open(record, &room);
        if ((filters == 0 || record_matches_any(scene, self->plain)) &&
            scene_is_seen(self->caller, scene))
            found_scenes_add(&self->found, record, INFINITY);
        cost += 1 + filters;
        if (cost >= WATCHED_COST && actor_must_pause(actor)) {
            self->passed = record;
            return pause(actor, message, self);
        }
        cost = cost >= WATCHED_COST ? 0 : cost;
    }
    self->has_walked = true;
    return OK;
}

// Whether the scene passes what its place does not decide.
static bool
is_found(const struct findings *self, const packed_t *record)
{
    struct opened room;
    const struct record *scene = packed_open(record, &room);
    return record_matches(scene, self->filter) && scene_is_seen(self->caller, scene);
}

static double
visit_nearby(void *context, const void *value, double distance_km)
{
    struct findings *self = context;
    if (!self->looks || is_found(self, value))
        found_scenes_add(&self->found, value, distance_km);
    return self->found.limit_km;
}

static bool
must_pause(void *context)
{
    const struct findings *self = context;
    return found_scenes_is_full(&self->found) || actor_must_pause(self->actor);
}

static void
begin_search(struct findings *self, const struct record *filter)
{
    const struct scene *at = scene_of(filter);
    self->filter = filter;
    self->looks = asks_more(filter) || !access_sees_all(self->caller);
    self->search = (struct geo_search){.latitude = at->latitude,
                                       .longitude = at->longitude,
                                       .radius_km = at->distance,
                                       .visit = visit_nearby,
                                       .must_pause = must_pause,
                                       .context = self,
                                       .reads_values = self->looks};
    self->looked_back = self->keeper.count;
    self->is_searching = true;
}

// What has left the map since the last slice, ahead of the search, is found as it was: else a scene
// that was moved behind the search would not be found at all.
static void
look_back(struct findings *self)
{
    for (; self->looked_back < self->keeper.count; self->looked_back++) {
        struct opened room;
        const packed_t *record = self->keeper.records[self->looked_back];
        const struct scene *scene = scene_of(packed_open(record, &room));
        if (scene_is_on_map(scene))
            geo_search_look_back(&self->search, scene->latitude, scene->longitude, record);
    }
}

// Whether the next filter has found all that it can.
static bool
search_on(const struct shard *shard, struct findings *self, const struct record *filter)
{
    if (!asks_near(filter))
        return true;
    if (!self->is_searching)
        begin_search(self, filter);
    self->search.radius_km = fmin(self->search.radius_km, self->found.limit_km);
    look_back(self);
    self->is_searching = !geo_search_go_on(&self->search, &shard->map);
    return !self->is_searching;
}

// One filter with a point after another.
static enum error
find_by_place(actor_t *actor, struct message *message, struct findings *self)
{
    const struct records *filters = message->records;
    size_t count = filters ? filters->count : 0;
    // A scene may be found in the record that it had, and in the one that took its place.
    self->found.has_doubles |= self->keeper.count > 0;
    while (self->next_filter < count) {
        if (found_scenes_is_full(&self->found) && !found_scenes_settle(&self->found, actor))
            return pause(actor, message, self);
        bool was_near = asks_near(filters->items[self->next_filter]);
        if (search_on(shard_of(actor), self, filters->items[self->next_filter]))
            self->next_filter++;
        if (was_near && self->next_filter < count && actor_must_pause(actor))
            return pause(actor, message, self);
    }
    // Else it is in order already.
    if (self->plain->count < count && !found_scenes_settle(&self->found, actor))
        return pause(actor, message, self);
    self->is_settled = true;
    return OK;
}

// --- answering ---

// Adds some of what was found, with the distances from the query point beside them. The records lie
// anywhere in memory: those that come soon are fetched, so that nobody waits for each.
static void
add_some(struct message *message, const struct found *found, size_t count, double *distances)
{
    enum { FETCHED_AHEAD = 16 };
    for (size_t i = 0; i < count && i < FETCHED_AHEAD; i++)
        packed_fetch(found[i].record);
    for (size_t i = 0; i < count; i++) {
        if (i + FETCHED_AHEAD < count)
            packed_fetch(found[i + FETCHED_AHEAD].record);
        reply_add_packed(message, found[i].record);
        distances[i] = found[i].distance_km;
    }
}

static enum error
answer(actor_t *actor, struct message *message, struct findings *self, size_t count)
{
    if (!self->distances) {
        self->distances = arena_alloc(&message->arena, (count + 1) * sizeof *self->distances);
        reply_reserve(&message->reply, (uint32_t)count);
    }
    while (self->answered < count) {
        size_t left = count - self->answered, some = left < AT_ONCE ? left : AT_ONCE;
        add_some(message, &self->found.items[self->answered], some,
                 self->distances + self->answered);
        self->answered += some;
        if (self->answered < count && actor_must_pause(actor))
            return pause(actor, message, self);
    }
    message->reply.distances = self->distances;
    return OK;
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
    findings->actor = actor;
    if (!findings->has_walked)
        TRY(find_by_key(actor, message, findings));
    if (!findings->is_settled)
        TRY(find_by_place(actor, message, findings));
    size_t count = findings->found.count;
    TRY(answer(actor, message, findings, count < wanted ? count : wanted));
    message->reply.more = count > wanted;
    return OK;
}
