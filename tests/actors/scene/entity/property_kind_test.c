// property_kind_test.c - chosen keys and actions of properties while their writes are under way,
// fail or run again.

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/records/action.h"
#include "proto/records/property.h"
#include "tests/support/gate.h"
#include "tests/support/scene_service.h"

static const struct property *
as_property(const struct record *record)
{
    return (const struct property *)(const void *)record;
}

// Whether readers find the property under this name; NULL = they find none.
static bool
shows(struct service *service, const char *key, const char *name)
{
    owned(message_destroy) struct message *answer =
        ASK(service, PROPERTY_GET, .scene = "hall", .property = key);
    if (answer->reply.fault.error != OK)
        return !name && answer->reply.fault.error == ERR_NOT_FOUND;
    return name && text_is(as_property(frozen_record(answer->reply.records[0]))->name, name);
}

static uint64_t
send_create(struct service *service, const char *records)
{
    return SEND(service, PROPERTY_CREATE, .scene = "hall", .records = records);
}

static enum error
create(struct service *service, const char *records)
{
    return service_outcome(service, send_create(service, records));
}

SHARDED_TEST(property_kind, a_key_whose_creation_is_under_way_is_taken)
{
    cr_assert_eq(create(service, "{}"), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t first = send_create(service, "{'key':'a','name':'first'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t second = send_create(service, "{'key':'a','name':'second'}");
    cr_assert(shows(service, "a", NULL), "nobody reads what is not durable");
    cr_assert_not(asker_has(&service->asker, second), "nor is refused because of it");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    cr_assert_eq(service_outcome(service, second), ERR_CONFLICT);
    cr_assert(shows(service, "a", "first"));
}

SHARDED_TEST(property_kind, a_key_whose_creation_failed_is_free)
{
    cr_assert_eq(create(service, "{}"), OK);
    service_set_faults(service, "unavailable=1");
    cr_assert_eq(create(service, "{'key':'a','name':'first'}"), ERR_UNAVAILABLE);
    service_set_faults(service, "");
    cr_assert(shows(service, "a", NULL));
    cr_assert_eq(create(service, "{'key':'a','name':'second'}"), OK);
    cr_assert(shows(service, "a", "second"));
}

SHARDED_TEST(property_kind, a_key_whose_deletion_is_under_way_is_free)
{
    cr_assert_eq(create(service, "{'key':'a','name':'first'}"), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t deleted = SEND(service, PROPERTY_DELETE, .scene = "hall", .property = "a");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t updated =
        SEND(service, PROPERTY_UPDATE, .scene = "hall", .property = "a", .records = "{}");
    uint64_t created = send_create(service, "{'key':'a','name':'second'}");
    cr_assert(shows(service, "a", "first"));
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, deleted), OK);
    cr_assert_eq(service_outcome(service, updated), ERR_NOT_FOUND);
    cr_assert_eq(service_outcome(service, created), OK);
    cr_assert(shows(service, "a", "second"));
}

SHARDED_TEST(property_kind, the_same_key_is_another_property_in_another_scene)
{
    cr_assert_eq(create(service, "{'key':'a','name':'hall'}"), OK);
    gate_close(service->store, GATE_COMMITS);
    uint64_t other =
        SEND(service, PROPERTY_CREATE, .scene = "yard", .records = "{'key':'a','name':'yard'}");
    uint64_t renamed = SEND(service, PROPERTY_UPDATE, .scene = "hall", .property = "a",
                            .records = "{'name':'new'}");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, other), OK);
    cr_assert_eq(service_outcome(service, renamed), OK);
    cr_assert(shows(service, "a", "new"));
}

SHARDED_TEST(property_kind, actions_build_on_what_is_staged_and_run_again_without_it)
{
    cr_assert_eq(create(service, "{'key':'a'}"), OK);
    gate_close(service->store, GATE_COMMITS);
    service_set_faults(service, "unavailable=1");
    uint64_t walk = SEND(service, PROPERTY_ACTION_PUT, .scene = "hall", .property = "a",
                         .records = "{'name':'walk'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t run = SEND(service, PROPERTY_ACTION_PUT, .scene = "hall", .property = "a",
                        .records = "{'name':'run','keyframes':[{'frame':2},{'frame':1}]}");
    service_barrier(service);
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, walk), ERR_UNAVAILABLE);
    cr_assert_eq(service_outcome(service, run), OK);
    owned(message_destroy) struct message *answer =
        ASK(service, PROPERTY_GET, .scene = "hall", .property = "a");
    const struct property *property = as_property(frozen_record(answer->reply.records[0]));
    cr_assert_eq(property->actions->count, 1);
    const struct action *action = action_of(property->actions->items[0]);
    cr_assert(text_is(action->name, "run"));
    cr_assert_eq(keyframe_of(action->keyframes->items[0])->frame, 1);
}

SHARDED_TEST(property_kind, a_whole_creation_is_checked_for_its_keys_before_its_first_slice)
{
    owned(buffer_finish) struct buffer bulk = {0};
    for (int i = 0; i < 700; i++)
        buffer_put_format(&bulk, "%s{'key':'k%d'}", i ? "," : "[", i < 699 ? i : 5);
    buffer_put(&bulk, "]", 2);
    cr_assert_eq(create(service, bulk.data), ERR_CONFLICT);
    cr_assert_eq(DO(service, SCENE_GET, .scene = "hall"), ERR_NOT_FOUND);
}
