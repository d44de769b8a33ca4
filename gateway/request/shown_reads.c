// shown_reads.c - see shown_reads.h. A row for each operation that reads one record.
#include "gateway/request/shown_reads.h"

#include "proto/message/metrics.h"
#include "proto/records/asset.h"
#include "proto/records/object.h"
#include "proto/records/project.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"

struct shown_row {
    enum operation operation;
    unsigned param; // which has the key
    const struct schema *schema;
};

// clang-format off
static const struct shown_row rows[] = {
    {OBJECT_GET,     PARAMS_OBJECT,     &object_schema},
    {PROPERTY_GET,   PARAMS_PROPERTY,   &property_schema},
    {SCENE_GET,      PARAMS_SCENE,      &scene_schema},
    {ASSET_GET,      PARAMS_ASSET,      &asset_schema},
    {PROJECT_GET,    PARAMS_PROJECT,    &project_schema},
    {COLLECTION_GET, PARAMS_COLLECTION, &collection_schema},
};
// clang-format on

static const struct shown_row *
row_of(const struct message *message)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].operation == message->operation)
            return &rows[i];
    return NULL;
}

// The table of the actor that the message would go to.
static const shown_t *
table_of(const struct shown_tables *shown, const struct message *message)
{
    uint16_t partition;
    if (operation_rows[message->operation].actor == ASSET_ACTOR)
        return shown->library;
    return message_partition(message, &partition) ? shown->scenes[partition % shown->shards] : NULL;
}

// A scene is answered with its devices, of which this one has none, and where its events stand.
static void
answer_scene(const struct shown_tables *shown, struct message *message,
             const struct shown_reading *reading)
{
    struct parcel *none = NULL;
    struct arena *arena = &message->arena;
    const struct scene *scene =
        scene_with_devices(arena, frozen_record(reading->record), records_new(arena, 0));
    struct record *envelope = &reply_envelope(message)->base;
    record_set_integer(envelope, ENVELOPE_EPOCH, (int64_t)shown->epoch);
    record_set_integer(envelope, ENVELOPE_SEQ, (int64_t)reading->place);
    reply_begin_loose(message, &scene->base, &none);
}

static bool
answer(const struct shown_tables *shown, struct message *message, const struct shown_row *row)
{
    struct shown_reading reading;
    const struct text *key = record_text(&message->params->base, row->param);
    if (!shown_read(table_of(shown, message), message, row->schema, key, &reading))
        return false;
    bool is_scene = row->schema == &scene_schema;
    bool is_all = !is_scene || reading.place != SHOWN_IN_PART;
    if (is_scene && is_all)
        answer_scene(shown, message, &reading);
    else if (is_all)
        reply_add(message, reading.record);
    record_unref(&reading.record);
    return is_all;
}

bool
shown_reads_answer(const struct shown_tables *shown, struct message *message)
{
    const struct shown_row *row = shown ? row_of(message) : NULL;
    // Places on Earth are worked out by the actor; what may be a repeat, it knows.
    if (!row || params_want_geopose(message->params) || message->params->repeat_key)
        return false;
    bool is_hit = answer(shown, message, row);
    counter_add(is_hit ? COUNT_SHOWN_HIT : COUNT_SHOWN_MISS, 1);
    return is_hit;
}
