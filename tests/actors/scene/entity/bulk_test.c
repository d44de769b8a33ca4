// bulk_test.c - many things of a scene are changed in one commit, or nothing is.

#include "actors/scene/entity/bulk.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/records/bulk.h"
#include "tests/support/gate.h"
#include "tests/support/scene_service.h"

static struct message *
ask_bulk(struct service *service, const char *format, ...)
{
    char *body;
    va_list arguments;
    va_start(arguments, format);
    cr_assert_geq(vasprintf(&body, format, arguments), 0);
    va_end(arguments);
    struct message *answer = ASK(service, SCENE_BULK, .scene = "hall", .records = body);
    free(body);
    return answer;
}

static void
assert_fails(struct message *answer, enum error wanted, const char *pointer)
{
    cr_expect_eq(answer->reply.fault.error, wanted);
    cr_expect_str_eq(answer->reply.fault.pointer, pointer);
    message_destroy(&answer);
}

static const struct bulk_result *
result_of(const struct message *answer)
{
    cr_assert_eq(answer->reply.fault.error, OK);
    return (const struct bulk_result *)(const void *)reply_record(&answer->reply, 0);
}

static struct object_key
key_at(const struct texts *keys, size_t index)
{
    struct object_key key;
    snprintf(key.chars, sizeof key.chars, "%s", text_chars(keys->items[index]));
    return key;
}

SHARDED_TEST(bulk, creates_updates_and_deletes_in_one_commit)
{
    struct object_key chair = service_create_object(service, "hall", "{'name':'chair'}");
    struct object_key lamp = service_create_object(service, "hall", "{'name':'lamp'}");
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    owned(message_destroy) struct message *answer = ask_bulk(
        service,
        "{'create':[{'name':'table'},{'name':'shelf'}],'update':[{'key':'%s','name':'stool'}],"
        "'delete':['%s'],'properties':{'create':[{'key':'heat'}]}}",
        chair.chars, lamp.chars);
    const struct bulk_result *result = result_of(answer);
    cr_assert_eq(texts_count(result->created), 2);
    cr_expect(service_shows_name(service, key_at(result->created, 0), "table"));
    cr_expect(service_shows_name(service, key_at(result->created, 1), "shelf"));
    cr_expect(service_shows_name(service, chair, "stool"));
    cr_expect(service_shows_name(service, lamp, NULL));
    cr_expect_str_eq(text_chars(result->properties->items[0]), "heat");
    cr_expect_eq(gate_ended(service->store, GATE_COMMITS), commits + 1);
}

SHARDED_TEST(bulk, nothing_is_changed_where_one_thing_cannot_be)
{
    struct object_key chair = service_create_object(service, "hall", "{'name':'chair'}");
    assert_fails(ask_bulk(service,
                          "{'create':[{'name':'table'}],'update':[{'key':'%s','name':'stool'},"
                          "{'key':'nobody','name':'x'}],'delete':[]}",
                          chair.chars),
                 ERR_NOT_FOUND, "/update/1");
    cr_expect(service_shows_name(service, chair, "chair"));
    service_create_object(service, "hall", "{'name':'next'}");
    const struct event *next = service_event(service, "hall", 2); // behind the scene and the chair
    cr_expect_str_eq(text_chars(event_object(next)->name), "next");
}

SHARDED_TEST(bulk, nothing_is_changed_where_the_commit_fails)
{
    struct object_key chair = service_create_object(service, "hall", "{'name':'chair'}");
    service_set_faults(service, "unavailable=1");
    assert_fails(ask_bulk(service, "{'create':[{'name':'a'}],'update':[{'key':'%s','name':'b'}]}",
                          chair.chars),
                 ERR_UNAVAILABLE, "");
    cr_expect(service_shows_name(service, chair, "chair"));
}

SERVICE_TEST(bulk, events_follow_each_other_as_the_request_has_them)
{
    struct object_key chair = service_create_object(service, "hall", "{'name':'chair'}");
    struct object_key lamp = service_create_object(service, "hall", "{'name':'lamp'}");
    size_t place = 3; // behind the scene, the chair and the lamp
    message_destroy(&(struct message *){
        ask_bulk(service, "{'delete':['%s'],'create':[{'name':'a'}],'update':[{'key':'%s'}]}",
                 lamp.chars, chair.chars)});
    const uint8_t wanted[] = {0, 1, 3};
    uint64_t first = service_event(service, "hall", place)->seq;
    for (size_t i = 0; i < 3; i++) {
        const struct event *event = service_event(service, "hall", place + i);
        cr_expect_eq(event->msg_type, wanted[i]);
        cr_expect_eq(event->seq, first + i);
    }
}

SHARDED_TEST(bulk, an_update_that_is_under_way_is_not_lost)
{
    struct object_key chair = service_create_object(service, "hall", "{'name':'chair'}");
    gate_close(service->store, GATE_COMMITS);
    uint64_t before =
        SEND(service, OBJECT_UPDATE, .object = chair.chars, .records = "{'type':'Seat'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    char body[128];
    snprintf(body, sizeof body, "{'update':[{'key':'%s','name':'stool'}]}", chair.chars);
    uint64_t bulk = SEND(service, SCENE_BULK, .scene = "hall", .records = body);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, before), OK);
    cr_assert_eq(service_outcome(service, bulk), OK);
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = chair.chars);
    cr_expect_str_eq(text_chars(reply_object(answer, 0)->type), "Seat");
    cr_expect_str_eq(text_chars(reply_object(answer, 0)->name), "stool");
}

static char *
many(const char *item, unsigned count)
{
    char *list = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&list, &size);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "," : "", item);
    fclose(out);
    return list;
}

static char *
listed(const struct texts *keys)
{
    char *list = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&list, &size);
    for (size_t i = 0; i < texts_count(keys); i++)
        fprintf(out, "%s'%s'", i ? "," : "", text_chars(keys->items[i]));
    fclose(out);
    return list;
}

SERVICE_TEST(bulk, a_thousand_things_are_one_commit)
{
    service_create_object(service, "hall", "{}");
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    char *things = many("{'name':'a'}", LIMIT_BULK_STEPS);
    owned(message_destroy) struct message *made = ask_bulk(service, "{'create':[%s]}", things);
    free(things);
    cr_assert_eq(texts_count(result_of(made)->created), LIMIT_BULK_STEPS);
    cr_expect_eq(gate_ended(service->store, GATE_COMMITS), commits + 1);
    char *keys = listed(result_of(made)->created);
    owned(message_destroy) struct message *gone = ask_bulk(service, "{'delete':[%s]}", keys);
    free(keys);
    cr_expect_eq(texts_count(result_of(gone)->created), 0);
    owned(message_destroy) struct message *left = ASK(service, OBJECT_QUERY, .scene = "hall");
    cr_expect_eq(left->reply.count, 1);
}

SERVICE_TEST(bulk, things_that_are_larger_than_a_commit_are_refused)
{
    service_create_object(service, "hall", "{}");
    char *words = many("'0123456789012345678901234567890123456789012345678901234567890123'", 64);
    char *tags = NULL;
    cr_assert_geq(asprintf(&tags, "{'tags':[%s]}", words), 0);
    char *things = many(tags, LIMIT_BULK_STEPS);
    assert_fails(ask_bulk(service, "{'create':[%s]}", things), ERR_TOO_LARGE, "");
    free(words);
    free(tags);
    free(things);
}

SERVICE_TEST(bulk, chosen_keys_are_unique)
{
    owned(message_destroy) struct message *heat =
        ASK(service, PROPERTY_CREATE, .scene = "hall", .records = "{'key':'heat'}");
    assert_fails(ask_bulk(service, "{'properties':{'create':[{'key':'a'},{'key':'heat'}]}}"),
                 ERR_CONFLICT, "/properties/create/1/key");
    owned(message_destroy) struct message *answer =
        ASK(service, PROPERTY_GET, .scene = "hall", .property = "a");
    cr_expect_eq(answer->reply.fault.error, ERR_NOT_FOUND);
}

SERVICE_TEST(bulk, things_of_other_scenes_are_not_found)
{
    struct object_key chair = service_create_object(service, "attic", "{}");
    service_create_object(service, "hall", "{}");
    assert_fails(ask_bulk(service, "{'delete':['%s']}", chair.chars), ERR_NOT_FOUND, "/delete/0");
}

SERVICE_TEST(bulk, needs_a_scene_that_is_there)
{
    assert_fails(ask_bulk(service, "{'create':[{}]}"), ERR_NOT_FOUND, "");
}

SERVICE_TEST(bulk, request_that_comes_again_has_its_first_answer)
{
    service_create_object(service, "hall", "{}");
    const struct wish wish = {.operation = SCENE_BULK,
                              .scene = "hall",
                              .records = "{'create':[{'name':'a'},{'name':'b'}]}",
                              .repeat_key = "key",
                              .repeat_print = "print"};
    owned(message_destroy) struct message *first =
        service_answer(service, service_send(service, &wish));
    owned(message_destroy) struct message *again =
        service_answer(service, service_send(service, &wish));
    cr_expect(again->reply.is_replayed);
    for (size_t i = 0; i < 2; i++)
        cr_expect_str_eq(text_chars(result_of(first)->created->items[i]),
                         text_chars(result_of(again)->created->items[i]));
    owned(message_destroy) struct message *all = ASK(service, OBJECT_QUERY, .scene = "hall");
    cr_expect_eq(all->reply.count, 3);
}
