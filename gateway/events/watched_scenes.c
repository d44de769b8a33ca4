// watched_scenes.c - reads the scenes of a stream from the parameters.
#include "gateway/events/watched_scenes.h"

#include "gateway/events/delta_state.h"
#include "gateway/http/percent.h"
#include "proto/feed/topic.h"

enum {
    ID_BYTES = 8192,  // most of an event's id, which a browser sends back in a header
    PLACE_BYTES = 44, // of one scene in it, beside its name: two numbers and four marks
};

static unsigned
add_scene(const struct text *scene, struct sse_place *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (text_equal(places[i].scene, scene))
            return count;
    places[count].scene = scene;
    return count + 1;
}

// Checks that an id can name all scenes.
static fallible
check_id(const struct sse_place *places, unsigned count)
{
    struct buffer names = {0};
    for (unsigned i = 0; i < count; i++)
        percent_encode(&names, places[i].scene);
    size_t size = names.size + count * PLACE_BYTES;
    buffer_finish(&names);
    if (size > ID_BYTES)
        return fail(ERR_INVALID, "", "the keys of the scenes are too long for one stream");
    return OK;
}

static fallible
check_topic(const struct text *name)
{
    if (topic_named(name))
        return OK;
    return fail(ERR_INVALID, "", "a topic is scenes, assets, collections, projects or users");
}

// The catalogue is told in one form.
static fallible
read_topics(const struct params *params, struct sse_place *places, unsigned *ret_count)
{
    const uint64_t others = FIELD_BIT(PARAMS_SCENES) | FIELD_BIT(PARAMS_SCENE) |
                            FIELD_BIT(PARAMS_RATE) | FIELD_BIT(PARAMS_FORM) |
                            FIELD_BIT(PARAMS_PARTS) | FIELD_BIT(PARAMS_PRECISION);
    unsigned count = 0;
    if (params->base.present & others)
        return fail(ERR_INVALID, "", "scene, rate, form, parts and precision do not go with topic");
    for (uint32_t i = 0; i < params->topics->count; i++) {
        TRY(check_topic(params->topics->items[i]));
        count = add_scene(params->topics->items[i], places, count);
    }
    *ret_count = count;
    return OK;
}

fallible
watched_scenes_read(const struct params *params, struct sse_place ret_places[LIMIT_WATCHED_SCENES],
                    unsigned *ret_count)
{
    unsigned count = 0;
    if (watches_catalogue(params))
        return read_topics(params, ret_places, ret_count);
    if (!delta_parts_read(params->parts))
        return fail(ERR_INVALID, "", "parts are objects, devices and properties");
    if (record_has(&params->base, PARAMS_SCENE))
        count = add_scene(params->scene, ret_places, count);
    else if (record_has(&params->base, PARAMS_SCENES))
        for (uint32_t i = 0; i < params->scenes->count; i++)
            count = add_scene(params->scenes->items[i], ret_places, count);
    if (count == 0)
        return fail(ERR_MISSING, "", "the query parameter scene (or topic) is missing");
    if (params_want_czml(params) && !record_has(&params->base, PARAMS_SCENE))
        return fail(ERR_INVALID, "", "CZML is told of one scene, which the path names");
    *ret_count = count;
    return check_id(ret_places, count);
}
