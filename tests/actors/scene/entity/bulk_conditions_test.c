// bulk_conditions_test.c - a bulk request is done only where things are in the states that it
// names.

#include "actors/scene/entity/bulk_conditions.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "tests/support/gate.h"
#include "tests/support/scene_service.h"

static struct object_key lamp, chair;

static void
furnish(struct service *service)
{
    lamp = service_create_object(service, "hall", "{'name':'lamp'}");
    chair = service_create_object(service, "hall", "{'name':'chair'}");
}

static struct etag
tag_of(struct service *service, struct object_key key)
{
    struct etag etag;
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    etag_of_record(reply_record(&answer->reply, 0), operation_rows[OBJECT_GET].reply, &etag);
    return etag;
}

// Renames the chair if the thing has this tag.
static uint64_t
send(struct service *service, const char *key, const char *tag)
{
    char body[256];
    snprintf(body, sizeof body, "{'update':[{'key':'%s','name':'stool'}],'if':{'%s':'%s'}}",
             chair.chars, key, tag);
    return SEND(service, SCENE_BULK, .scene = "hall", .records = body);
}

static void
assert_refused(struct service *service, const char *key, const char *tag, enum error wanted)
{
    char pointer[64];
    owned(message_destroy) struct message *answer =
        service_answer(service, send(service, key, tag));
    snprintf(pointer, sizeof pointer, "/if/%s", key);
    cr_expect_eq(answer->reply.fault.error, wanted);
    cr_expect_str_eq(answer->reply.fault.pointer, pointer);
    cr_expect(service_shows_name(service, chair, "chair"));
}

SERVICE_TEST(bulk_conditions, hold_for_things_that_do_not_change)
{
    furnish(service);
    struct etag etag = tag_of(service, lamp);
    cr_assert_eq(service_outcome(service, send(service, lamp.chars, etag.chars)), OK);
    cr_expect(service_shows_name(service, chair, "stool"));
}

SERVICE_TEST(bulk_conditions, star_is_any_state)
{
    furnish(service);
    cr_expect_eq(service_outcome(service, send(service, lamp.chars, "*")), OK);
}

SERVICE_TEST(bulk_conditions, are_not_met_by_what_is_not_there)
{
    furnish(service);
    assert_refused(service, "nobody", "*", ERR_PRECONDITION);
}

SERVICE_TEST(bulk_conditions, another_state_refuses_the_request)
{
    furnish(service);
    assert_refused(service, lamp.chars, tag_of(service, chair).chars, ERR_PRECONDITION);
}

SERVICE_TEST(bulk_conditions, a_text_that_is_no_tag_is_refused)
{
    furnish(service);
    assert_refused(service, lamp.chars, "\\u0022a", ERR_INVALID);
}

SERVICE_TEST(bulk_conditions, compare_with_what_is_under_way)
{
    furnish(service);
    struct etag etag = tag_of(service, lamp);
    gate_close(service->store, GATE_COMMITS);
    uint64_t first =
        SEND(service, OBJECT_UPDATE, .object = lamp.chars, .records = "{'name':'torch'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t bulk = send(service, lamp.chars, etag.chars);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, first), OK);
    cr_expect_eq(service_outcome(service, bulk), ERR_PRECONDITION);
    cr_expect(service_shows_name(service, chair, "chair"));
}
