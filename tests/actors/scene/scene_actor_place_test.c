// scene_actor_place_test.c - what an answer says of the event that its state stands behind: who
// joins a scene drops what it hears up to there.
#include <criterion/criterion.h>

#include "actors/scene/scene_actor.h"
#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

enum { EPOCH = 7 };

static struct service *
service_of_epoch(struct service *service)
{
    service_stop(service);
    service->settings.epoch = EPOCH;
    service_start(service);
    return service;
}

static void
assert_place(const struct message *answer, int64_t seq)
{
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    const struct envelope *envelope = (const struct envelope *)(const void *)answer->reply.envelope;
    cr_assert_not_null(envelope);
    cr_assert_eq(envelope->epoch, EPOCH);
    cr_assert_eq(envelope->seq, seq, "%lld", (long long)envelope->seq);
}

// Events of the scene: 1 its creation, 2 an object, 3 another.
SHARDED_TEST(scene_actor_place, reads_of_a_scene_stand_behind_its_newest_event)
{
    service_of_epoch(service);
    service_create_object(service, "s", "{'name':'a'}");
    service_create_object(service, "s", "{'name':'b'}");
    owned(message_destroy) struct message *scene = ASK(service, SCENE_GET, .scene = "s");
    owned(message_destroy) struct message *objects = ASK(service, OBJECT_QUERY, .scene = "s");
    owned(message_destroy) struct message *properties = ASK(service, PROPERTY_QUERY, .scene = "s");
    assert_place(scene, 3);
    assert_place(objects, 3);
    assert_place(properties, 3);
}

// Events of the scene: 1 its creation, 2 and 3 the devices.
SHARDED_TEST(scene_actor_place, a_registration_stands_behind_its_own_events)
{
    service_of_epoch(service);
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = "s", .records = "{'devices':[{'key':'d1'},{'key':'d2'}]}");
    assert_place(answer, 3);
}
