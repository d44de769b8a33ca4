// event_test.c - lists of events on their way to the streamer.
#include "proto/feed/event.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

static const frozen_t *
frozen(const struct schema *schema)
{
    struct arena arena = {0};
    const frozen_t *record = record_freeze(schema, record_new(&arena, schema));
    arena_finish(&arena);
    return record;
}

Test(event, a_list_keeps_the_order_and_owns_one_reference_of_each_record)
{
    owned(record_unref) const frozen_t *scene = frozen(&scene_schema);
    struct events *events = NULL;
    for (uint64_t seq = 1; seq <= 1000; seq++)
        events_add(&events, &(struct event){.seq = seq,
                                            .scene = record_ref(scene),
                                            .record = frozen(&object_schema),
                                            .msg_type = EVENT_OBJECT_UPDATED});
    cr_assert_eq(events->count, 1000);
    for (uint32_t i = 0; i < events->count; i++)
        cr_assert_eq(events->items[i].seq, i + 1);
    events_destroy(&events); // the leak check counts the references
    cr_assert_null(events);
    events_destroy(&events);
}

Test(event, a_list_is_the_parcel_of_its_message_and_goes_with_it)
{
    struct message *message = message_create(EVENTS);
    struct events *events = NULL;
    events_add(&events, &(struct event){.seq = 1,
                                        .scene = frozen(&scene_schema),
                                        .record = frozen(&object_schema)});
    message->parcel = &events->base;
    cr_assert_eq(events_of(message), events);
    message_destroy(&message);
}

Test(event, every_type_has_its_noun)
{
    // clang-format off
    static const struct { uint8_t msg_type; const char *noun; } rows[] = {
        {0, "object"},     {1, "object"},     {3, "object"},
        {8, "property"},   {9, "property"},   {11, "property"},
        {40, "scene"},     {41, "scene"},     {42, "scene"},
        {43, "device"},    {44, "device"},    {200, "device"},
        {45, "alignment"}, {46, "lock"},      {47, "lock"},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_str_eq(event_noun(rows[i].msg_type), rows[i].noun, "%u", rows[i].msg_type);
}
