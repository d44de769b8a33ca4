// scene_cache_test.c - which scenes have their objects in memory: read when asked for, let go when
// memory is short, right all the time. Reads are held at a gate.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "actors/scene/scene_family.h"
#include "proto/base/owned.h"
#include "proto/message/metrics.h"
#include "store/key.h"
#include "tests/support/scene_service.h"

static void
create_objects(struct service *service, const char *scene, int count)
{
    owned(buffer_finish) struct buffer bulk = {0};
    for (int i = 0; i < count; i++)
        buffer_put_format(&bulk, "%s{'frame':%d}", i ? "," : "[", i);
    buffer_put(&bulk, "]", 2);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = scene, .records = bulk.data), OK);
}

enum {
    AWAKE = 1, // reads of a scene that wakes: its fence, and what users hold in it
    WHOLE = 1, // of all of a small one, whether it is awake or wakes for that
};

static uint64_t
reads(struct service *service)
{
    return gate_ended(service->store, GATE_READS);
}

// All objects of the scene, in the order of their keys.
static void
check_objects(struct service *service, const char *scene, uint32_t count)
{
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_QUERY, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_assert_eq(answer->reply.count, count);
    for (uint32_t i = 1; i < count; i++)
        cr_assert_lt(text_compare(reply_object(answer, i - 1)->key, reply_object(answer, i)->key),
                     0);
}

// ---------------------------------------------------------------- reading

SHARDED_TEST(scene_cache, a_start_reads_no_objects_and_the_first_question_does)
{
    create_objects(service, "hall", 10);
    service_restart(service);
    uint64_t before = reads(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    cr_assert_eq(DO(service, SCENE_UPDATE, .scene = "hall", .records = "[]"), OK);
    uint64_t updated = reads(service); // an update streams the objects
    cr_assert_eq(updated - before, AWAKE + WHOLE);
    check_objects(service, "hall", 10);
    check_objects(service, "hall", 10);
    cr_assert_eq(reads(service), updated, "what is in memory is not read again");
}

SHARDED_TEST(scene_cache, a_scene_at_rest_and_all_in_it_is_one_read)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    create_objects(service, "hall", 10);
    cr_assert_eq(DO(service, PROPERTY_CREATE, .scene = "hall", .records = "{'key':'sun'}"), OK);
    service_restart(service);
    uint64_t before = reads(service);
    cr_assert_eq(DO(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars,
                    .records = "{'name':'ball'}"),
                 OK);
    cr_assert_eq(reads(service) - before, 1);
    cr_assert_eq(DO(service, PROPERTY_GET, .scene = "hall", .property = "sun"), OK);
    check_objects(service, "hall", 11);
    cr_assert(service_shows_name(service, key, "ball"));
    cr_assert_eq(reads(service) - before, 1);
}

SHARDED_TEST(scene_cache, a_large_scene_is_read_in_slices)
{
    create_objects(service, "hall", 1000);
    create_objects(service, "yard", 400);
    service_restart(service);
    uint64_t before = reads(service);
    check_objects(service, "hall", 1000);
    cr_assert_eq(reads(service) - before, 2 + WHOLE);
    check_objects(service, "yard", 400);
    cr_assert_eq(reads(service) - before, 2 + 2 * WHOLE);
}

SHARDED_TEST(scene_cache, an_object_is_found_by_its_key_alone)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    service_restart(service);
    uint64_t before = reads(service);
    cr_assert(service_shows_name(service, key, "cube"));
    cr_assert_eq(reads(service) - before, 1 + WHOLE); // where the key lives, then the scene
    service_restart(service);
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'ball'}"), OK);
    cr_assert(service_shows_name(service, key, "ball"));
    service_restart(service);
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = key.chars), OK);
    service_restart(service);
    cr_assert(service_shows_name(service, key, NULL));
}

SHARDED_TEST(scene_cache, a_key_of_nothing_is_not_found_with_scenes_on_disk_or_without)
{
    static const char *const keys[] = {"000000000000000000000000", "3ff00000000000000000000f"};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            cr_assert_eq(DO(service, OBJECT_GET, .object = keys[i]), ERR_NOT_FOUND);
            cr_assert_eq(DO(service, OBJECT_UPDATE, .object = keys[i], .records = "{}"),
                         ERR_NOT_FOUND);
        }
        create_objects(service, "hall", 1);
        service_restart(service);
    }
}

SHARDED_TEST(scene_cache, requests_wait_for_a_scene_and_others_do_not)
{
    enum { WAITING = 20 };
    uint64_t ids[WAITING];
    create_objects(service, "hall", 500);
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK); // it is awake
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "yard", .records = "{}"), OK);
    gate_close(service->store, GATE_READS);
    ids[0] = SEND(service, OBJECT_QUERY, .scene = "hall");
    cr_assert(gate_await(service->store, GATE_READS));
    for (int i = 1; i < WAITING; i++)
        ids[i] = i % 2 ? SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{}")
                       : SEND(service, OBJECT_QUERY, .scene = "hall");
    uint64_t get = SEND(service, OBJECT_GET, .object = key.chars);
    check_objects(service, "yard", 1);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    gate_open(service->store, GATE_READS);
    for (int i = 0; i < WAITING; i++)
        cr_assert_eq(service_outcome(service, ids[i]), OK);
    cr_assert_eq(service_outcome(service, get), OK);
    check_objects(service, "hall", 501 + WAITING / 2);
}

SHARDED_TEST(scene_cache, an_object_with_a_generated_key_is_created_without_reading_the_others)
{
    create_objects(service, "hall", 500);
    service_restart(service);
    uint64_t before = reads(service);
    create_objects(service, "hall", 10);
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    cr_assert_eq(reads(service) - before, AWAKE);
    cr_assert(service_shows_name(service, key, "cube"));
    check_objects(service, "hall", 511);
    cr_assert_eq(service_event(service, "hall", 10)->seq, 11);
}

SHARDED_TEST(scene_cache, who_reads_a_scene_while_objects_are_being_created_in_it_misses_none)
{
    create_objects(service, "hall", 3);
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t first = SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t second = SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{}");
    uint64_t query = SEND(service, OBJECT_QUERY, .scene = "hall");
    service_barrier(service);
    uint64_t third = SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{}"); // behind it
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    cr_assert_eq(service_outcome(service, second), OK);
    owned(message_destroy) struct message *answer = service_answer(service, query);
    cr_assert_geq(answer->reply.count, 5, "those that came before it");
    cr_assert_eq(service_outcome(service, third), OK);
    check_objects(service, "hall", 6);
}

SHARDED_TEST(scene_cache, what_was_created_unread_and_failed_is_not_there)
{
    create_objects(service, "hall", 3);
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    service_set_faults(service, "unavailable=1");
    cr_assert_neq(DO(service, OBJECT_CREATE, .scene = "hall", .records = "{}"), OK);
    service_set_faults(service, "");
    check_objects(service, "hall", 3);
    create_objects(service, "hall", 1);
    check_objects(service, "hall", 4);
}

// ---------------------------------------------------------------- deleted while it is read

SHARDED_TEST(scene_cache, who_waits_for_a_scene_that_is_deleted_finds_nothing)
{
    create_objects(service, "hall", 500);
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK); // it is awake
    gate_close(service->store, GATE_READS);
    uint64_t query = SEND(service, OBJECT_QUERY, .scene = "hall");
    cr_assert(gate_await(service->store, GATE_READS));
    uint64_t update = SEND(service, SCENE_UPDATE, .scene = "hall", .records = "{'name':'x'}");
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(service_outcome(service, query), ERR_NOT_FOUND);
    cr_assert_eq(service_outcome(service, update), ERR_NOT_FOUND);
    gate_open(service->store, GATE_READS);
    cr_assert(service_shows_name(service, key, NULL));
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    check_objects(service, "hall", 0);
}

// Whoever waited runs after all changes of the commit are visible, not between them.
SHARDED_TEST(scene_cache, who_waits_for_a_scene_that_is_made_again_meets_the_new_one)
{
    create_objects(service, "hall", 3);
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK); // it is awake
    gate_close(service->store, GATE_COMMITS);
    gate_close(service->store, GATE_READS);
    uint64_t other = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'old'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t create = SEND(service, PROPERTY_CREATE, .scene = "hall", .records = "{'key':'sun'}");
    uint64_t removal = SEND(service, SCENE_DELETE, .scene = "hall");
    uint64_t again = SEND(service, SCENE_PUT, .scene = "hall", .records = "{'name':'new'}");
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, other), OK);
    cr_assert_eq(service_outcome(service, removal), OK);
    cr_assert_eq(service_outcome(service, again), OK);
    cr_assert_eq(service_outcome(service, create), OK);
    gate_open(service->store, GATE_READS);
    for (int i = 0; i < 2; i++) {
        owned(message_destroy) struct message *scene = ASK(service, SCENE_GET, .scene = "hall");
        cr_assert(text_is(reply_scene(scene, 0)->name, "new"));
        cr_assert_eq(DO(service, PROPERTY_GET, .scene = "hall", .property = "sun"), OK);
        service_restart(service);
    }
}

SHARDED_TEST(scene_cache, ends_while_a_scene_is_read)
{
    create_objects(service, "hall", 500);
    service_restart(service);
    gate_close(service->store, GATE_READS);
    SEND(service, OBJECT_QUERY, .scene = "hall");
    SEND(service, SCENE_UPDATE, .scene = "hall", .records = "[]"); // may be done, or not
    cr_assert(gate_await(service->store, GATE_READS));
    service_restart(service); // the leak check sees to the rest
    check_objects(service, "hall", 500);
}

// ---------------------------------------------------------------- what cannot be read

static void
break_object(struct service *service, const char *scene, struct object_key key)
{
    owned(arena_finish) struct arena arena = {0};
    const struct scene *stored = service_stored_scene(service, &arena, scene);
    struct key address =
        key_in_scene(KEY_OBJECT, (uint64_t)stored->id, text_from(&arena, key.chars));
    const struct store_operation put = {
        .address = {FAMILY_SCENE, partition_of_scene(stored->key), key_bytes(&address)},
        .value = {"\xc1", 1}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(service->store, &commit, 0), STORE_OK);
}

SHARDED_TEST(scene_cache, a_broken_record_makes_its_scene_answer_errors_and_no_other)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    create_objects(service, "hall", 10);
    create_objects(service, "yard", 10);
    break_object(service, "hall", key);
    service_restart(service);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(DO(service, OBJECT_QUERY, .scene = "hall"), ERR_INTERNAL);
        cr_assert_eq(DO(service, OBJECT_GET, .object = key.chars), ERR_INTERNAL);
        cr_assert_eq(DO(service, PROPERTY_CREATE, .scene = "hall", .records = "{'key':'sun'}"),
                     ERR_INTERNAL);
    }
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "hall", .records = "{}"), OK, "reads nothing");
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    check_objects(service, "yard", 10);
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    cr_assert_eq(DO(service, OBJECT_CREATE, .scene = "hall", .records = "{}"), OK);
    check_objects(service, "hall", 1);
}

// ---------------------------------------------------------------- letting go

SHARDED_TEST(scene_cache, scenes_go_when_memory_is_short_and_come_back_when_asked_for)
{
    static const char *const scenes[] = {"hall", "yard", "attic", "cellar"};
    enum { SCENES = sizeof scenes / sizeof scenes[0] };
    service->settings.memory = 1;
    service_restart(service);
    for (int i = 0; i < SCENES; i++)
        create_objects(service, scenes[i], 10 + i);
    uint64_t before = reads(service);
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < SCENES; i++) {
            service_await_turn_end(service, scenes[i]);
            check_objects(service, scenes[i], 10 + i);
        }
    // Each time it wakes for the message that awaits the end of the turn, and is read again.
    cr_assert_eq(reads(service) - before, 3 * (AWAKE + WHOLE) * SCENES);
}

enum {
    OBJECTS_IN_IT = 3000,
    SLICES = 4, // until there is more of it than memory takes; all of it is twice as many
    PAGES = 15, // of a query
    ALONE = 2,  // where a key lives, then its object
};

// Starts again with a scene of so many objects, which memory cannot hold, awake. Returns its first
// object.
static struct object_key
begin_vast(struct service *service, const char *scene)
{
    struct object_key key;
    create_objects(service, scene, OBJECTS_IN_IT);
    owned(message_destroy) struct message *all = ASK(service, OBJECT_QUERY, .scene = scene);
    snprintf(key.chars, sizeof key.chars, "%s", text_chars(reply_object(all, 0)->key));
    service->settings.memory = OBJECTS_IN_IT / 2 * record_size(all->reply.records[0]);
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = scene), OK);
    return key;
}

// Begins to read it for a query: one slice is in memory, and the next one is held up.
static uint64_t
begin_query(struct service *service, const char *scene)
{
    uint64_t before = reads(service);
    gate_close(service->store, GATE_READS);
    uint64_t query = SEND(service, OBJECT_QUERY, .scene = scene);
    gate_pass_one(service->store, GATE_READS);
    cr_assert(gate_await_ended(service->store, GATE_READS, before + 1));
    cr_assert(gate_await(service->store, GATE_READS));
    return query;
}

// A part of it is in memory already, and nobody knows yet how much there is.
SHARDED_TEST(scene_cache, an_object_read_of_a_scene_that_memory_cannot_hold_does_not_need_all_of_it)
{
    struct object_key first = begin_vast(service, "hall");
    uint64_t before = reads(service), query = begin_query(service, "hall");
    uint64_t get = SEND(service, OBJECT_GET, .object = first.chars);
    service_barrier(service);
    gate_open(service->store, GATE_READS);
    cr_assert_eq(service_outcome(service, get), OK);
    cr_assert_eq(service_outcome(service, query), OK);
    cr_assert_eq(reads(service) - before, SLICES + PAGES + ALONE);
}

SHARDED_TEST(scene_cache, who_creates_in_a_scene_that_memory_cannot_hold_does_not_need_all_of_it)
{
    begin_vast(service, "hall");
    uint64_t before = counter_get(COUNT_LOADS_WHOLE), query = begin_query(service, "hall");
    uint64_t create = SEND(service, OBJECT_CREATE, .scene = "hall", .records = "{}");
    uint64_t property = SEND(service, PROPERTY_CREATE, .scene = "hall", .records = "{}");
    service_barrier(service);
    gate_open(service->store, GATE_READS);
    cr_assert_eq(service_outcome(service, create), OK);
    cr_assert_eq(service_outcome(service, property), OK);
    cr_assert_eq(service_outcome(service, query), OK);
    cr_assert_eq(counter_get(COUNT_LOADS_WHOLE), before);
}

// ---------------------------------------------------------------- single writes on disk

enum {
    LARGE = 500, // objects: more than a slice
    PLACE = 1,   // where a generated key lives
    ONE = 1,     // an entity alone
    APART = 256, // the write for which all are read
};

static uint64_t
loads(void)
{
    return counter_get(COUNT_LOADS_WHOLE);
}

static void
change(struct service *service, enum operation operation, struct object_key key)
{
    bool is_update = operation == OBJECT_UPDATE;
    cr_assert_eq(DO(service, operation, .scene = "hall", .object = key.chars,
                    .device = is_update ? NULL : "phone",
                    .records = is_update ? "{'name':'new'}" : NULL),
                 OK);
}

// Starts again with one shard that has room for `count` objects like that one.
static void
restart_with_room_for(struct service *service, struct object_key key, size_t count)
{
    owned(message_destroy) struct message *object = ASK(service, OBJECT_GET, .object = key.chars);
    service->settings.memory = count * record_size(object->reply.records[0]);
    service->settings.shards = 1;
    service_restart(service);
}

SHARDED_TEST(scene_cache, a_write_into_a_large_scene_at_rest_reads_a_slice_and_its_object)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    service_restart(service);
    uint64_t before = reads(service), loaded = loads();
    change(service, OBJECT_UPDATE, key);
    cr_assert_eq(reads(service) - before, WHOLE + PLACE + ONE);
    change(service, OBJECT_LOCK, key);
    change(service, OBJECT_UNLOCK, key);
    cr_assert_eq(reads(service) - before, WHOLE + 3 * (PLACE + ONE));
    cr_assert_eq(loads(), loaded);
    check_objects(service, "hall", LARGE + 1);
    cr_assert_eq(loads(), loaded + 1);
    cr_assert(service_shows_name(service, key, "new"));
    cr_assert_eq(service_event(service, "hall", 2)->seq, 3);
}

SHARDED_TEST(scene_cache, what_was_written_and_deleted_on_disk_is_what_is_read)
{
    struct object_key first = begin_vast(service, "hall");
    uint64_t query = begin_query(service, "hall");
    gate_open(service->store, GATE_READS);
    cr_assert_eq(service_outcome(service, query), OK); // it is known that memory cannot hold it
    uint64_t loaded = loads();
    struct object_key made = service_create_object(service, "hall", "{'name':'old'}");
    for (int i = 0; i < 3; i++)
        change(service, OBJECT_UPDATE, made);
    cr_assert(service_shows_name(service, made, "new"));
    change(service, OBJECT_DELETE, first);
    cr_assert(service_shows_name(service, first, NULL));
    cr_assert_eq(
        DO(service, OBJECT_UPDATE, .scene = "hall", .object = first.chars, .records = "{}"),
        ERR_NOT_FOUND);
    check_objects(service, "hall", OBJECTS_IN_IT);
    cr_assert_eq(loads(), loaded);
    service_restart(service);
    cr_assert(service_shows_name(service, made, "new"));
    cr_assert(service_shows_name(service, first, NULL));
}

SHARDED_TEST(scene_cache, a_property_with_a_chosen_key_is_found_on_disk_without_a_look_up)
{
    begin_vast(service, "hall");
    cr_assert_eq(DO(service, PROPERTY_CREATE, .scene = "hall", .records = "{'key':'sun'}"), OK);
    service_restart(service);
    cr_assert_eq(DO(service, PROPERTY_UPDATE, .scene = "hall", .property = "sun",
                    .records = "{'name':'one'}"),
                 OK); // it is known that the scene is large
    uint64_t before = reads(service);
    cr_assert_eq(DO(service, PROPERTY_UPDATE, .scene = "hall", .property = "sun",
                    .records = "{'name':'two'}"),
                 OK);
    cr_assert_eq(DO(service, PROPERTY_DELETE, .scene = "hall", .property = "sun"), OK);
    cr_assert_eq(DO(service, PROPERTY_DELETE, .scene = "hall", .property = "sun"), ERR_NOT_FOUND);
    cr_assert_eq(reads(service) - before, 3 * ONE);
}

SHARDED_TEST(scene_cache, a_property_whose_deletion_is_staged_on_disk_is_not_there_for_writers)
{
    begin_vast(service, "hall");
    cr_assert_eq(DO(service, PROPERTY_CREATE, .scene = "hall", .records = "{'key':'sun'}"), OK);
    service_restart(service);
    gate_close(service->store, GATE_COMMITS);
    uint64_t removal = SEND(service, PROPERTY_DELETE, .scene = "hall", .property = "sun");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t update = SEND(service, PROPERTY_UPDATE, .scene = "hall", .property = "sun",
                           .records = "{'name':'late'}");
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, removal), OK);
    cr_assert_eq(service_outcome(service, update), ERR_NOT_FOUND);
}

// Each of them builds on the one before, which is staged, or was committed while it waited.
SHARDED_TEST(scene_cache, writes_of_one_object_on_disk_that_come_together_are_done_in_order)
{
    enum { WRITES = 20 };
    char record[32];
    uint64_t ids[WRITES];
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    change(service, OBJECT_UPDATE, key);
    uint64_t before = reads(service);
    gate_close(service->store, GATE_READS);
    for (int i = 0; i < WRITES; i++) {
        snprintf(record, sizeof record, i % 2 ? "{'frame':%d}" : "{'type':'%d'}", i);
        ids[i] =
            SEND(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars, .records = record);
    }
    cr_assert(gate_await(service->store, GATE_READS));
    gate_open(service->store, GATE_READS);
    for (int i = 0; i < WRITES; i++)
        cr_assert_eq(service_outcome(service, ids[i]), OK);
    cr_assert_leq(reads(service) - before, WRITES * PLACE + ONE);
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert(text_is(reply_object(answer, 0)->type, "18"));
    cr_assert(text_is(reply_object(answer, 0)->name, "new"));
    cr_assert_eq(reply_object(answer, 0)->rare->frame, 19);
}

SHARDED_TEST(scene_cache, a_write_on_disk_that_failed_left_nothing)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    service_restart(service);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), OK);
    service_set_faults(service, "unavailable=1");
    cr_assert_neq(DO(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars,
                     .records = "{'name':'new'}"),
                  OK);
    cr_assert_neq(DO(service, OBJECT_DELETE, .scene = "hall", .object = key.chars), OK);
    service_set_faults(service, "");
    cr_assert(service_shows_name(service, key, "old"));
    check_objects(service, "hall", LARGE + 1);
    change(service, OBJECT_UPDATE, key);
    cr_assert(service_shows_name(service, key, "new"));
}

SHARDED_TEST(scene_cache, who_reads_a_scene_that_is_written_on_disk_gets_what_was_staged_before)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    struct object_key gone = service_create_object(service, "hall", "{}");
    service_restart(service);
    change(service, OBJECT_LOCK, key);
    gate_close(service->store, GATE_COMMITS);
    uint64_t update = SEND(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars,
                           .records = "{'name':'new'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t removal = SEND(service, OBJECT_DELETE, .scene = "hall", .object = gone.chars);
    uint64_t query = SEND(service, OBJECT_QUERY, .scene = "hall", .records = "{'name':'new'}");
    uint64_t behind = SEND(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars,
                           .records = "{'type':'Mesh'}");
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, update), OK);
    cr_assert_eq(service_outcome(service, removal), OK);
    cr_assert_eq(service_outcome(service, behind), OK);
    owned(message_destroy) struct message *found = service_answer(service, query);
    cr_assert_eq(found->reply.count, 1);
    check_objects(service, "hall", LARGE + 1);
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert(text_is(reply_object(answer, 0)->name, "new"));
    cr_assert(text_is(reply_object(answer, 0)->type, "Mesh"));
}

SHARDED_TEST(scene_cache, a_large_scene_that_is_written_often_comes_into_memory)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    uint64_t loaded = loads();
    for (int i = 1; i < APART; i++)
        change(service, OBJECT_UPDATE, key);
    cr_assert_eq(loads(), loaded);
    change(service, OBJECT_UPDATE, key);
    cr_assert_eq(loads(), loaded + 1);
    uint64_t before = reads(service);
    change(service, OBJECT_UPDATE, key);
    cr_assert_eq(reads(service), before);
}

// The device keeps it awake while its objects are let go.
SHARDED_TEST(scene_cache, a_scene_that_was_large_comes_into_memory_with_its_first_write)
{
    enum { SLICE = 400 };
    create_objects(service, "hall", SLICE - 1);
    struct object_key key = service_create_object(service, "hall", "{}");
    struct object_key gone = service_create_object(service, "hall", "{}");
    service_register(service, "hall", "", "phone");
    restart_with_room_for(service, key, 2 * SLICE - 100);
    change(service, OBJECT_DELETE, gone);
    check_objects(service, "hall", SLICE);
    create_objects(service, "yard", SLICE);
    service_await_turn_end(service, "yard"); // the hall is let go
    uint64_t before = reads(service), loaded = loads();
    change(service, OBJECT_UPDATE, key);
    cr_assert_eq(reads(service) - before, PLACE + WHOLE);
    cr_assert_eq(loads(), loaded + 1);
}

// The URL names no scene, so nothing but the key leads there; and nothing stays in memory.
SHARDED_TEST(scene_cache, a_key_alone_leads_to_its_object_in_a_large_scene_at_rest)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{}");
    service->settings.memory = 1;
    service_restart(service);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}"),
                     OK);
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = key.chars), OK);
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{}"), ERR_NOT_FOUND);
}

SHARDED_TEST(scene_cache,
             a_write_on_disk_ends_where_its_scene_is_deleted_or_its_key_is_of_another_kind)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    change(service, OBJECT_UPDATE, key);
    cr_assert_eq(
        DO(service, PROPERTY_UPDATE, .scene = "hall", .property = key.chars, .records = "{}"),
        ERR_NOT_FOUND);
    gate_close(service->store, GATE_READS);
    uint64_t update =
        SEND(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars, .records = "{}");
    cr_assert(gate_await(service->store, GATE_READS));
    gate_pass_one(service->store, GATE_READS);
    cr_assert(gate_await(service->store, GATE_READS)); // where it lives is known
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    gate_open(service->store, GATE_READS);
    cr_assert_eq(service_outcome(service, update), ERR_NOT_FOUND);
}

SHARDED_TEST(scene_cache, ends_while_an_object_is_read_alone)
{
    create_objects(service, "hall", LARGE);
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    change(service, OBJECT_UPDATE, key);
    gate_close(service->store, GATE_READS);
    for (int i = 0; i < 3; i++)
        SEND(service, OBJECT_UPDATE, .scene = "hall", .object = key.chars, .records = "{}");
    cr_assert(gate_await(service->store, GATE_READS));
    gate_pass_one(service->store, GATE_READS);
    cr_assert(gate_await(service->store, GATE_READS));
    service_restart(service); // the leak check sees to the rest
    check_objects(service, "hall", LARGE + 1);
}

// ---------------------------------------------------------------- which scene goes first

SHARDED_TEST(scene_cache, the_scene_used_last_goes_last)
{
    struct object_key key = service_create_object(service, "hall", "{'frame':1}");
    create_objects(service, "hall", 99);
    restart_with_room_for(service, key, 250);
    create_objects(service, "yard", 100);
    check_objects(service, "hall", 100);
    check_objects(service, "yard", 100); // both are in memory, the hall was used before
    create_objects(service, "attic", 100);
    service_await_turn_end(service, "attic");
    uint64_t before = reads(service);
    check_objects(service, "yard", 100);
    cr_assert_eq(reads(service), before);
    check_objects(service, "hall", 100);
    cr_assert_eq(reads(service), before + WHOLE);
}

SHARDED_TEST(scene_cache, an_update_by_udp_is_a_use)
{
    char update[64];
    struct object_key key = service_create_object(service, "hall", "{'frame':1}");
    create_objects(service, "hall", 99);
    restart_with_room_for(service, key, 250);
    check_objects(service, "hall", 100);
    create_objects(service, "yard", 100);
    snprintf(update, sizeof update, "{'key':'%s','frame':2}", key.chars);
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    cr_assert_eq(DO(service, DATAGRAMS, .records = update), OK);
    cr_assert(gate_await_ended(service->store, GATE_COMMITS, commits + 1)); // written behind
    create_objects(service, "attic", 100);
    service_await_turn_end(service, "attic");
    uint64_t before = reads(service);
    check_objects(service, "hall", 100);
    cr_assert_eq(reads(service), before);
    check_objects(service, "yard", 100);
    cr_assert_eq(reads(service), before + WHOLE);
}

SHARDED_TEST(scene_cache, any_number_of_empty_scenes_keeps_no_other_in_memory)
{
    enum { EMPTY = 300 };
    service->settings.memory = 1;
    service_restart(service);
    for (int i = 0; i < EMPTY; i++) {
        char key[32];
        snprintf(key, sizeof key, "empty %d", i);
        SEND(service, SCENE_PUT, .scene = key);
    }
    service_barrier(service);
    create_objects(service, "hall", 10);
    service_await_turn_end(service, "hall");
    uint64_t before = reads(service);
    check_objects(service, "hall", 10);
    cr_assert_eq(reads(service), before + WHOLE, "it had gone");
}

SHARDED_TEST(scene_cache, what_is_not_durable_stays_in_memory)
{
    service->settings.memory = 1;
    service_restart(service);
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    gate_close(service->store, GATE_COMMITS);
    uint64_t first = SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t before = reads(service);
    uint64_t second =
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'type':'Mesh'}");
    cr_assert(service_shows_name(service, key, "old"));
    cr_assert_eq(reads(service), before);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    owned(message_destroy) struct message *answer = service_answer(service, second);
    cr_assert(text_is(reply_object(answer, 0)->name, "new"));
    cr_assert(text_is(reply_object(answer, 0)->type, "Mesh"));
}

SHARDED_TEST(scene_cache, a_scene_that_went_keeps_its_place_in_the_order_of_events)
{
    service->settings.memory = 1;
    service_restart(service);
    struct object_key key = service_create_object(service, "hall", "{}");
    for (uint64_t i = 0; i < 10; i++) {
        create_objects(service, "yard", 1);
        cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'x'}"),
                     OK);
        cr_assert_eq(service_event(service, "hall", i + 2)->seq, i + 3);
    }
}
