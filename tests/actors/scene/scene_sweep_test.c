// scene_sweep_test.c - what a deleted scene leaves on disk: after a while nothing, whatever happens
// meanwhile; and what is made under its key again has nothing of it.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

static uint64_t
scene_id(struct service *service, const char *key)
{
    owned(arena_finish) struct arena arena = {0};
    const struct scene *stored = service_stored_scene(service, &arena, key);
    cr_assert_not_null(stored);
    return (uint64_t)stored->id;
}

static void
create_objects(struct service *service, const char *scene, int count)
{
    owned(buffer_finish) struct buffer bulk = {0};
    buffer_put_chars(&bulk, "[");
    for (int i = 0; i < count; i++)
        buffer_put_format(&bulk, "%s{'frame':%d}", i ? "," : "", i);
    buffer_put(&bulk, "]", 2);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = scene, .records = bulk.data), OK);
}

// A scene with `objects` objects and two devices: its internal id.
static uint64_t
furnish(struct service *service, const char *scene, int objects)
{
    create_objects(service, scene, objects);
    cr_assert_eq(DO(service, REGISTER, .scene = scene,
                    .records = "{'devices':[{'key':'phone'},{'key':'tablet'}]}"),
                 OK);
    uint64_t id = scene_id(service, scene);
    // Of each object the record and the look-up of its key; of each device the record.
    cr_assert_eq(service_count_keys(service, id), 2 * (size_t)objects + 2);
    return id;
}

// Waits until the store holds no key of the scene, looking again after each commit.
static void
await_swept(struct service *service, uint64_t id)
{
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    while (service_count_keys(service, id) > 0)
        cr_assert(gate_await_ended(service->store, GATE_COMMITS, ++commits),
                  "the sweep stands still with %zu keys left", service_count_keys(service, id));
}

static uint32_t
count_objects(struct service *service, const char *scene)
{
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_QUERY, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, OK);
    return answer->reply.count;
}

SHARDED_TEST(scene_sweep, leaves_no_key_of_a_deleted_scene)
{
    uint64_t id = furnish(service, "hall", 5);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    await_swept(service, id); // nothing else happens: the sweep goes on by itself
}

SHARDED_TEST(scene_sweep, leaves_no_key_of_an_empty_scene)
{
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    uint64_t id = scene_id(service, "hall");
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    await_swept(service, id);
}

SHARDED_TEST(scene_sweep, goes_in_slices_through_a_large_scene)
{
    uint64_t id = furnish(service, "hall", 1100);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    await_swept(service, id);
}

SHARDED_TEST(scene_sweep, touches_no_other_scene)
{
    uint64_t hall = furnish(service, "hall", 450), yard = furnish(service, "yard", 3);
    struct object_key kept = service_create_object(service, "yard", "{'name':'kept'}");
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    await_swept(service, hall);
    cr_assert_eq(service_count_keys(service, yard), 2 * 4 + 2);
    service_restart(service);
    cr_assert_eq(count_objects(service, "yard"), 4);
    cr_assert(service_shows_name(service, kept, "kept"));
}

SHARDED_TEST(scene_sweep, sweeps_one_scene_after_the_other)
{
    enum { SCENES = 5 };
    uint64_t ids[SCENES];
    for (int i = 0; i < SCENES; i++) {
        char key[32];
        snprintf(key, sizeof key, "scene %d", i);
        ids[i] = furnish(service, key, 1 + 10 * i);
        SEND(service, SCENE_DELETE, .scene = key);
    }
    for (int i = 0; i < SCENES; i++)
        await_swept(service, ids[i]);
}

SHARDED_TEST(scene_sweep, a_scene_made_again_is_empty_and_stays_whole)
{
    uint64_t old = furnish(service, "hall", 500);
    gate_close(service->store, GATE_READS); // the sweep stands
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(DO(service, OBJECT_QUERY, .scene = "hall"), ERR_NOT_FOUND);
    struct object_key key = service_create_object(service, "hall", "{'name':'new'}");
    cr_assert_eq(count_objects(service, "hall"), 1);
    gate_open(service->store, GATE_READS);
    await_swept(service, old);
    cr_assert_neq(scene_id(service, "hall"), old);
    service_restart(service);
    cr_assert_eq(count_objects(service, "hall"), 1);
    cr_assert(service_shows_name(service, key, "new"));
    owned(message_destroy) struct message *scene = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert_eq(reply_scene(scene, 0)->devices ? reply_scene(scene, 0)->devices->count : 0, 0);
}

SHARDED_TEST(scene_sweep, what_was_deleted_and_made_again_in_one_commit_is_empty)
{
    uint64_t old = furnish(service, "hall", 3);
    gate_close(service->store, GATE_COMMITS);
    uint64_t first = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'old'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t removal = SEND(service, SCENE_DELETE, .scene = "hall");
    uint64_t again = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'region':'north'}");
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    cr_assert_eq(service_outcome(service, removal), OK);
    cr_assert_eq(service_outcome(service, again), OK);
    await_swept(service, old);
    owned(message_destroy) struct message *scene = ASK(service, SCENE_GET, .scene = "hall");
    cr_assert_eq(text_size(reply_scene(scene, 0)->name), 0);
    cr_assert(text_is(reply_scene(scene, 0)->region, "north"));
    cr_assert_eq(count_objects(service, "hall"), 0);
}

SHARDED_TEST(scene_sweep, goes_on_after_a_restart)
{
    uint64_t id = furnish(service, "hall", 900);
    gate_close(service->store, GATE_READS);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert(gate_await(service->store, GATE_READS)); // of the sweep
    service_restart(service);
    await_swept(service, id);
    cr_assert_eq(DO(service, OBJECT_QUERY, .scene = "hall"), ERR_NOT_FOUND);
}

SHARDED_TEST(scene_sweep, comes_to_its_end_though_commits_fail)
{
    uint64_t id = furnish(service, "hall", 500);
    service_set_faults(service, "unavailable=3"); // the delete itself is the first
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    await_swept(service, id);
}

SHARDED_TEST(scene_sweep, writes_go_on_meanwhile)
{
    uint64_t id = furnish(service, "hall", 1200);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    create_objects(service, "hall", 1000);
    create_objects(service, "yard", 1000);
    await_swept(service, id);
    cr_assert_eq(count_objects(service, "hall"), 1000);
    cr_assert_eq(count_objects(service, "yard"), 1000);
}
