// scene_query.c - finding scenes by name, place and the like, over all scenes of one scene actor
// (interface 4.3, decisions 7).

#include <math.h>
#include <stdlib.h>
#include "actors/geodesy.h"
#include "actors/shard.h"

enum { DEFAULT_NUM_RECORDS = 10 };

static const struct scene *
as_scene(const struct record *record)
{
    return (const struct scene *)(const void *)record;
}

// Whether latitude, longitude and distance come together or not at all (interface 4.3, rule 1).
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

// How far the scene lies from the filter's point; infinite where it is on no map.
static double
distance_km(const struct scene *scene, const struct scene *filter)
{
    bool has_place =
        record_has(&scene->base, SCENE_LATITUDE) && record_has(&scene->base, SCENE_LONGITUDE);
    if (!has_place || !geodesy_is_on_map(scene->latitude, scene->longitude))
        return INFINITY;
    return geodesy_distance_km(scene->latitude, scene->longitude, filter->latitude,
                               filter->longitude);
}

// Whether a filter of the request finds the scene. `ret_distance_km` is the shortest distance from
// the points of those that do, infinite where none of them has a point.
static bool
scene_is_wanted(const struct message *message, const struct record *scene, double *ret_distance_km)
{
    *ret_distance_km = INFINITY;
    bool is_wanted = !message->records || message->records->count == 0;
    for (size_t i = 0; message->records && i < message->records->count; i++) {
        const struct record *filter = message->records->items[i];
        if (!record_matches(scene, filter))
            continue;
        double away_km = asks_near(filter) ? distance_km(as_scene(scene), as_scene(filter)) : 0;
        if (asks_near(filter) && away_km > as_scene(filter)->distance)
            continue;
        is_wanted = true;
        if (asks_near(filter))
            *ret_distance_km = fmin(*ret_distance_km, away_km);
    }
    return is_wanted;
}

// A scene as the answer shows it, with its distance from the query point where there is one.
static void
add_found(struct message *message, const struct record *scene, double away_km)
{
    if (isinf(away_km)) {
        reply_add(message, scene);
        return;
    }
    struct record *placed = record_thaw_numbers(scene);
    ((struct scene *)(void *)placed)->distance = away_km;
    record_mark(placed, SCENE_DISTANCE);
    const struct record *frozen = placed;
    reply_add(message, frozen);
    record_unref(&frozen);
}

static double
found_distance_km(const struct record *found)
{
    return record_has(found, SCENE_DISTANCE) ? as_scene(found)->distance : INFINITY;
}

// Nearest first, then what no point found, in the order of keys.
static int
compare_found(const void *a, const void *b)
{
    const struct record *one = *(const struct record *const *)a;
    const struct record *other = *(const struct record *const *)b;
    double one_km = found_distance_km(one), other_km = found_distance_km(other);
    if (one_km != other_km)
        return one_km < other_km ? -1 : 1;
    return text_compare(record_key(one), record_key(other));
}

static bool
any_asks_near(const struct message *message)
{
    for (size_t i = 0; message->records && i < message->records->count; i++)
        if (asks_near(message->records->items[i]))
            return true;
    return false;
}

// Leaves the first `wanted` of all that were found.
static void
cut_page(struct message *message, uint64_t wanted)
{
    struct reply *reply = &message->reply;
    if (reply->count > 1 && any_asks_near(message))
        qsort(reply->records, reply->count, sizeof reply->records[0], compare_found);
    if (reply->count > wanted) {
        reply_truncate(message, (uint32_t)wanted);
        reply->more = 1;
    }
}

// Answers the first start + num records of this shard, by distance or by key; whoever asked all
// shards merges them and cuts the page out.
enum error
scene_query(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct params *params = message->params;
    for (size_t i = 0; message->records && i < message->records->count; i++)
        TRY(check_filter(message, i));
    uint64_t num = (uint64_t)(params->num_records ? params->num_records : DEFAULT_NUM_RECORDS);
    uint64_t wanted = (uint64_t)params->start_record + num;
    bool is_by_key = !any_asks_near(message);
    size_t count;
    const struct record *const *scenes = record_set_items(&self->catalogue, &count);
    for (size_t i = 0; i < count && !(is_by_key && message->reply.count > wanted); i++) {
        double away_km;
        if (scene_is_wanted(message, scenes[i], &away_km))
            add_found(message, scenes[i], away_km);
    }
    cut_page(message, wanted);
    return OK;
}
