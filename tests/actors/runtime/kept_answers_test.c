// kept_answers_test.c - an answer as it is kept, and what is made of it again.
#include "actors/runtime/kept_answers.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/project.h"
#include "tests/support/asker.h"

// A message that answers with these projects.
static struct message *
answered(const char *records)
{
    struct message *message = message_create(PROJECT_CREATE);
    message->params->repeat_print = text_from(&message->arena, "print");
    asker_set_records(message, &project_schema, records);
    for (uint32_t i = 0; i < message->records->count; i++)
        reply_add_loose(message, &project_schema, message->records->items[i]);
    return message;
}

// What another message gets of what is kept of this one; by way of the store's own bytes.
static struct message *
repeated(struct message *message, struct record **ret_kept)
{
    struct message *repeat = message_create(message->operation);
    struct record *kept = kept_answer_from_reply(message, text_from(&message->arena, "id"), false);
    cr_assert(text_is(kept_answer_of(kept)->print, "print"));
    *ret_kept = record_copy(&repeat->arena, &kept_answer_schema, kept);
    cr_assert_eq(kept_answer_to_reply(kept_answer_of(*ret_kept), repeat), OK);
    return repeat;
}

Test(kept_answers, small_records_come_back_whole)
{
    struct record *kept;
    owned(message_destroy) struct message *message =
        answered("[{'id':'a','name':'one','tags':['t']},{'id':'b','name':'two'}]");
    owned(message_destroy) struct message *repeat = repeated(message, &kept);
    cr_assert_eq(repeat->reply.count, 2);
    cr_expect_not(repeat->reply.has_keys_only);
    for (uint32_t i = 0; i < 2; i++)
        cr_expect(record_equal(reply_record(&repeat->reply, i), reply_record(&message->reply, i)));
}

Test(kept_answers, of_a_large_record_the_key_and_the_tag_come_back)
{
    char text[LIMIT_KEPT_ANSWER_BYTES + 64];
    struct record *kept;
    snprintf(text, sizeof text, "{'id':'a','name':'%0*d'}", LIMIT_KEPT_ANSWER_BYTES, 0);
    owned(message_destroy) struct message *message = answered(text);
    owned(message_destroy) struct message *repeat = repeated(message, &kept);
    cr_assert_eq(repeat->reply.count, 1);
    cr_expect(repeat->reply.has_keys_only);
    cr_expect(text_is(record_key(reply_record(&repeat->reply, 0)), "a"));
    cr_expect_eq(strlen(repeat->reply.etag), 32);
}

Test(kept_answers, of_a_very_large_record_the_key_alone_comes_back)
{
    enum { NAME_BYTES = 256 << 10 };
    struct record *kept;
    owned(message_destroy) struct message *message = answered("[]");
    struct arena *arena = &message->arena;
    struct record *large = record_new(arena, &project_schema);
    record_set_text(large, PROJECT_ID, text_from(arena, "a"));
    record_set_text(large, PROJECT_NAME, text_format(arena, "%0*d", NAME_BYTES, 0));
    reply_add_loose(message, &project_schema, large);
    owned(message_destroy) struct message *repeat = repeated(message, &kept);
    cr_assert_eq(repeat->reply.count, 1);
    cr_expect(text_is(record_key(reply_record(&repeat->reply, 0)), "a"));
    cr_expect_null(repeat->reply.etag);
}

Test(kept_answers, of_a_record_of_somebody_else_the_key_and_the_tag_come_back)
{
    struct record *kept;
    owned(message_destroy) struct message *message = message_create(PROJECT_UPDATE);
    message->params->repeat_print = text_from(&message->arena, "print");
    struct record *project = record_new(&message->arena, &project_schema);
    record_set_text(project, PROJECT_ID, text_from(&message->arena, "a"));
    record_set_text(project, PROJECT_USER, text_from(&message->arena, "ann"));
    reply_add_loose(message, &project_schema, project);
    snprintf(message->caller.user, sizeof message->caller.user, "boss");
    owned(message_destroy) struct message *repeat = repeated(message, &kept);
    cr_expect(repeat->reply.has_keys_only);
    cr_expect(text_is(record_key(reply_record(&repeat->reply, 0)), "a"));
    snprintf(message->caller.user, sizeof message->caller.user, "ann");
    owned(message_destroy) struct message *own = repeated(message, &kept);
    cr_expect_not(own->reply.has_keys_only);
}

Test(kept_answers, what_is_stored_only_is_not_kept)
{
    struct record *kept;
    owned(message_destroy) struct message *message = message_create(OBJECT_UPDATE);
    message->params->repeat_print = text_from(&message->arena, "print");
    struct record *object = record_new(&message->arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&message->arena, "o"));
    record_set_text(object, OBJECT_USER, text_from(&message->arena, "ann"));
    reply_add_loose(message, &object_schema, object);
    owned(message_destroy) struct message *repeat = repeated(message, &kept);
    cr_assert_not(repeat->reply.has_keys_only);
    cr_expect_not(record_has(reply_record(&repeat->reply, 0), OBJECT_USER));
}

Test(kept_answers, of_records_that_can_be_made_again_the_seed_is_kept)
{
    static const unsigned char seed[KEY_SEED_SIZE] = "sixteen letters";
    owned(message_destroy) struct message *message = answered("[{'id':'a'},{'id':'b'}]");
    message->seed = seed;
    message->scene_id = 77;
    const struct kept_answer *kept =
        kept_answer_of(kept_answer_from_reply(message, text_from(&message->arena, "id"), true));
    cr_expect_eq(kept->progress, 2);
    cr_expect_eq(kept->scene_id, 77);
    cr_assert_eq(text_size(kept->seed), KEY_SEED_SIZE);
    cr_expect_arr_eq(text_bytes(kept->seed), seed, KEY_SEED_SIZE);
    cr_expect_null(kept->records);
}

Test(kept_answers, damaged_records_are_no_answer)
{
    owned(message_destroy) struct message *message = message_create(PROJECT_CREATE);
    struct record *kept = record_new(&message->arena, &kept_answer_schema);
    MEMBER(const struct texts *, kept, schema_field(&kept_answer_schema, KEPT_ANSWER_RECORDS)) =
        texts_of_one(&message->arena, text_from(&message->arena, "\xc1"));
    cr_expect_eq(kept_answer_to_reply(kept_answer_of(kept), message), ERR_INTERNAL);
}
