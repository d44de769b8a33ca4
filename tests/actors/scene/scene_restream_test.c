// scene_restream_test.c - after an update of a scene each of its objects is streamed once, in
// slices; updates that come meanwhile let it go round again, once for all of them.
#include "actors/scene/scene_restream.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

enum { OBJECTS_OF_HALL = 2500, MADE = 1 + OBJECTS_OF_HALL }; // events of the scene's beginning

static void
furnish(struct service *service)
{
    owned(buffer_finish) struct buffer bulk = {0};
    for (int i = 0; i < OBJECTS_OF_HALL; i++)
        buffer_put_format(&bulk, "%s{'frame':%d}", i ? "," : "[", i);
    buffer_put(&bulk, "]", 2);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "hall", .records = bulk.data), OK);
    service_event(service, "hall", MADE - 1);
}

static void
update(struct service *service, const char *record)
{
    cr_assert_eq(DO(service, SCENE_UPDATE, .scene = "hall", .records = record), OK);
}

// Waits until each object was streamed after the event at `place`; returns how many events there
// were of the scene since then.
static size_t
await_all_behind(struct service *service, size_t place)
{
    static bool seen[OBJECTS_OF_HALL];
    size_t found = 0, count = 0;
    memset(seen, 0, sizeof seen);
    for (; found < OBJECTS_OF_HALL; count++) {
        const struct event *event = service_event(service, "hall", place + 1 + count);
        if (event->msg_type != EVENT_OBJECT_UPDATED)
            continue;
        bool *is_seen = &seen[event_object(event)->rare->frame];
        found += !*is_seen;
        *is_seen = true;
    }
    return count;
}

SERVICE_TEST(scene_restream, each_object_is_streamed_once)
{
    furnish(service);
    update(service, "{'name':'one'}");
    cr_assert_eq(service_event(service, "hall", MADE)->msg_type, EVENT_SCENE_UPDATED);
    cr_assert_eq(await_all_behind(service, MADE), OBJECTS_OF_HALL);
    update(service, "{'name':'two'}");
    service_await_turn_end(service, "hall");
    cr_assert_eq(await_all_behind(service, MADE + OBJECTS_OF_HALL), OBJECTS_OF_HALL + 2);
}

// Place of the newest update of the scene among its events.
static size_t
last_update(struct service *service)
{
    size_t place = service_count_events(service, "hall");
    while (service_event(service, "hall", --place)->msg_type != EVENT_SCENE_UPDATED)
        ;
    return place;
}

SERVICE_TEST(scene_restream, updates_that_cross_are_merged)
{
    furnish(service);
    for (int i = 0; i < 20; i++) // the first slice waits at the streamer
        update(service, "{'name':'again'}");
    await_all_behind(service, last_update(service));
    service_await_turn_end(service, "hall");
    cr_assert_lt(service_count_events(service, "hall"), MADE + 20 + 3 * OBJECTS_OF_HALL);
}

SERVICE_TEST(scene_restream, ends_with_its_scene)
{
    furnish(service);
    update(service, "{'name':'one'}");
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall", .records = "{}"), OK);
    service_await_turn_end(service, "hall");
    service_count_events(service, "hall");
    service_await_turn_end(service, "hall");
    cr_assert_lt(service_count_events(service, "hall"), MADE + OBJECTS_OF_HALL);
}
