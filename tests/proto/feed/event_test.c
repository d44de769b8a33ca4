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

static struct events *
some_events(uint64_t count)
{
    struct events *events = NULL;
    for (uint64_t seq = 1; seq <= count; seq++)
        events_add(&events, &(struct event){.seq = seq,
                                            .scene = frozen(&scene_schema),
                                            .record = frozen(&object_schema)});
    return events;
}

static void
check(const struct events *events, uint64_t first, uint64_t last)
{
    cr_assert_eq(events->taken, 0);
    cr_assert_eq(events->count, last - first + 1);
    for (uint64_t seq = first; seq <= last; seq++)
        cr_assert_eq(events->items[seq - first].seq, seq);
}

Test(event, a_list_is_taken_in_parts)
{
    struct events *events = some_events(10), *part = events_take(&events, 4);
    check(part, 1, 4);
    events_destroy(&part);
    part = events_take(&events, 4);
    check(part, 5, 8);
    events_destroy(&part);
    part = events_take(&events, 4);
    check(part, 9, 10);
    events_destroy(&part);
    cr_assert_null(events);
    cr_assert_null(events_take(&events, 4));
}

Test(event, a_part_that_is_put_back_is_taken_again)
{
    struct events *events = some_events(10), *part = events_take(&events, 8);
    events_put_back(&events, &part);
    cr_assert_null(part);
    events_add(&events, &(struct event){.seq = 11,
                                        .scene = frozen(&scene_schema),
                                        .record = frozen(&object_schema)});
    part = events_take(&events, 8);
    check(part, 1, 8);
    events_destroy(&part);
    part = events_take(&events, 8);
    check(part, 9, 11);
    events_put_back(&events, &part);
    part = events_take(&events, 8);
    check(part, 9, 11);
    events_destroy(&part);
    cr_assert_null(events);
}

Test(event, a_list_that_never_becomes_empty_keeps_no_place_of_what_was_taken)
{
    enum { WAITING = 100 };
    struct events *events = some_events(WAITING), *part;
    for (uint64_t seq = WAITING + 1; seq <= 100 * WAITING; seq++) {
        part = events_take(&events, 1);
        check(part, seq - WAITING, seq - WAITING);
        events_destroy(&part);
        events_add(&events, &(struct event){.seq = seq,
                                            .scene = frozen(&scene_schema),
                                            .record = frozen(&object_schema)});
    }
    cr_assert_leq(events->capacity, 4 * WAITING);
    events_destroy(&events);
}

Test(event, what_is_not_taken_goes_with_its_list)
{
    struct events *events = some_events(10), *part = events_take(&events, 4);
    events_destroy(&events); // the leak check counts the references
    events_destroy(&part);
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
