// message_frame_test.c - the frame of a message between processes brings back everything that was
// put in; anything else is refused.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/message.h"
#include "proto/records/object.h"
#include "proto/records/project.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

enum { ROUNDS = 20, FRAME_PLACES = 18 };

static const struct schema *const reply_schemas[] = {&scene_schema, &object_schema,
                                                     &project_schema};

// ---------------------------------------------------------------- random messages

static void
set_random_request(struct random *random, struct message *message)
{
    const struct schema *schema = operation_rows[message->operation].request;
    message->id = random_next(random);
    message->deadline_ms = random_next(random) >> 1;
    message->progress = (uint32_t)random_next(random);
    message->caller.loopback = random_below(random, 2);
    message->caller.takes_device = random_below(random, 2);
    message->caller.revocations = (int64_t)random_below(random, 5);
    snprintf(message->caller.session, sizeof message->caller.session, "%064u",
             (unsigned)random_below(random, 1000));
    message->caller.role = (enum caller_role)random_below(random, CALLER_ADMIN + 1);
    snprintf(message->caller.user, sizeof message->caller.user, "%024u",
             (unsigned)random_below(random, 1000));
    snprintf(message->caller.peer, sizeof message->caller.peer, "192.0.2.%u",
             (unsigned)random_below(random, 256));
    message->params =
        (struct params *)(void *)random_record(random, &message->arena, &params_schema, 0);
    if (random_below(random, 2))
        message->array = "objects";
    if (!schema || random_below(random, 4) == 0)
        return;
    size_t count = random_below(random, 5);
    message->records = records_new(&message->arena, count);
    while (message->records->count < count)
        message->records->items[message->records->count++] =
            random_record(random, &message->arena, schema, FIELD_SECRET);
}

static void
add_random_reply(struct random *random, struct message *message)
{
    struct arena arena = {0};
    for (size_t count = random_below(random, 5); count > 0; count--) {
        const struct schema *schema = reply_schemas[random_below(random, 3)];
        const frozen_t *frozen =
            record_freeze(schema, random_record(random, &arena, schema, FIELD_SECRET));
        reply_add(message, frozen);
        record_unref(&frozen);
    }
    arena_finish(&arena);
    message->reply.more = (uint32_t)random_below(random, 2);
    if (random_below(random, 2))
        message->reply.envelope = random_record(random, &message->arena, &envelope_schema, 0);
}

static struct message *
random_message(struct random *random, enum operation operation)
{
    struct message *message = message_create(operation);
    set_random_request(random, message);
    if (random_below(random, 4))
        add_random_reply(random, message);
    else
        reply_fail(message,
                   fail((enum error)(1 + random_below(random, ERROR_COUNT - 2)), "/objects/3/name",
                        "number %u", (unsigned)random_below(random, 1000)));
    return message;
}

static struct message *
through_a_frame(const struct message *message)
{
    owned(buffer_finish) struct buffer frame = {0};
    struct message *read = NULL;
    message_to_msgpack(message, &frame);
    enum error error = message_from_msgpack(frame.data, frame.size, &read);
    cr_assert_eq(error, OK, "%s: %s", operation_rows[message->operation].name,
                 fault_last()->detail);
    return read;
}

// ---------------------------------------------------------------- the same again

static void
check_same_request(const struct message *read, const struct message *sent)
{
    cr_assert_eq(read->operation, sent->operation);
    cr_assert_eq(read->id, sent->id);
    cr_assert_eq(read->deadline_ms, sent->deadline_ms);
    cr_assert_eq(read->progress, sent->progress);
    cr_assert_str_eq(read->caller.peer, sent->caller.peer);
    cr_assert_eq(read->caller.loopback, sent->caller.loopback);
    cr_assert_eq(read->caller.role, sent->caller.role);
    cr_assert_str_eq(read->caller.user, sent->caller.user);
    cr_assert_str_eq(read->caller.session, sent->caller.session);
    cr_assert_eq(read->caller.takes_device, sent->caller.takes_device);
    cr_assert_eq(read->caller.revocations, sent->caller.revocations);
    cr_assert_str_eq(read->array ? read->array : "bare", sent->array ? sent->array : "bare");
    cr_assert(record_equal(&read->params->base, &sent->params->base));
    cr_assert_eq(!read->records, !sent->records);
    cr_assert_eq(read->records ? read->records->count : 0,
                 sent->records ? sent->records->count : 0);
    for (uint32_t i = 0; sent->records && i < sent->records->count; i++) {
        cr_assert_eq(read->records->items[i]->schema, sent->records->items[i]->schema);
        cr_assert(record_equal(read->records->items[i], sent->records->items[i]), "%s record %u",
                  operation_rows[sent->operation].name, i);
    }
}

static void
check_same_reply(const struct reply *read, const struct reply *sent)
{
    cr_assert_eq(read->fault.error, sent->fault.error);
    cr_assert_str_eq(read->fault.pointer, sent->fault.pointer);
    cr_assert_str_eq(read->fault.detail, sent->fault.detail);
    cr_assert_eq(read->more, sent->more);
    cr_assert_eq(read->count, sent->count);
    for (uint32_t i = 0; i < sent->count; i++) {
        const struct record *one = reply_record(read, i), *other = reply_record(sent, i);
        cr_assert_eq(one->schema, other->schema);
        cr_assert(record_equal(one, other), "reply record %u", i);
    }
    cr_assert_eq(!read->envelope, !sent->envelope);
    cr_assert(!sent->envelope || record_equal(read->envelope, sent->envelope));
}

Test(message_frame, a_frame_brings_back_every_operation_with_all_that_was_put_in)
{
    struct random random = {1};
    for (unsigned operation = 0; operation < OPERATION_COUNT; operation++)
        for (int round = 0; round < ROUNDS; round++) {
            owned(message_destroy) struct message *sent =
                random_message(&random, (enum operation)operation);
            owned(message_destroy) struct message *read = through_a_frame(sent);
            check_same_request(read, sent);
            check_same_reply(&read->reply, &sent->reply);
        }
}

Test(message_frame, a_frame_keeps_every_bit_of_an_id)
{
    const uint64_t ids[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        owned(message_destroy) struct message *sent = message_create(PING);
        sent->id = ids[i];
        owned(message_destroy) struct message *read = through_a_frame(sent);
        cr_assert_eq(read->id, ids[i]);
    }
}

Test(message_frame, a_frame_tells_no_records_from_none_at_all)
{
    owned(message_destroy) struct message *none = message_create(OBJECT_QUERY);
    owned(message_destroy) struct message *empty = message_create(OBJECT_QUERY);
    empty->records = records_new(&empty->arena, 0);
    owned(message_destroy) struct message *none_read = through_a_frame(none);
    owned(message_destroy) struct message *empty_read = through_a_frame(empty);
    cr_assert_null(none_read->records);
    cr_assert_not_null(empty_read->records);
    cr_assert_eq(empty_read->records->count, 0);
}

// ---------------------------------------------------------------- what is no frame

static struct message *
full_message(void)
{
    struct random random = {7};
    struct message *message = message_create(OBJECT_UPDATE);
    set_random_request(&random, message);
    message->records = records_new(&message->arena, 2);
    while (message->records->count < 2)
        message->records->items[message->records->count++] =
            random_record(&random, &message->arena, &object_edit_schema, FIELD_SECRET);
    add_random_reply(&random, message);
    return message;
}

static enum error
read_error(const void *data, size_t size)
{
    owned(message_destroy) struct message *read = NULL;
    enum error error = message_from_msgpack(data, size, &read);
    cr_assert_eq(error == OK, read != NULL, "an output is set on success only");
    return error;
}

Test(message_frame, every_part_of_a_frame_that_is_cut_is_malformed)
{
    owned(message_destroy) struct message *message = full_message();
    owned(buffer_finish) struct buffer frame = {0};
    message_to_msgpack(message, &frame);
    for (size_t size = 0; size < frame.size; size++) {
        // A block of its own, so that one byte too far is seen.
        char *cut = malloc(size ? size : 1);
        cr_assert_not_null(cut);
        memcpy(cut, frame.data, size);
        cr_assert_eq(read_error(cut, size), ERR_MALFORMED, "the first %zu bytes", size);
        free(cut);
    }
}

Test(message_frame, bytes_behind_a_frame_are_malformed)
{
    owned(message_destroy) struct message *message = full_message();
    owned(buffer_finish) struct buffer frame = {0};
    message_to_msgpack(message, &frame);
    buffer_put_char(&frame, 0);
    cr_assert_eq(read_error(frame.data, frame.size), ERR_MALFORMED);
}

// The peer and the array's name are C strings in a message: a NUL would end them early.
Test(message_frame, a_frame_with_a_nul_in_a_name_is_refused)
{
    owned(message_destroy) struct message *message = message_create(SCENE_PUT);
    message->array = "scenes";
    owned(buffer_finish) struct buffer frame = {0};
    message_to_msgpack(message, &frame);
    char *name = memmem(frame.data, frame.size, "scenes", 6);
    cr_assert_not_null(name);
    name[0] = '\0';
    cr_assert_eq(read_error(frame.data, frame.size), ERR_MALFORMED);
}

Test(message_frame, chance_makes_no_frame)
{
    struct random random = {3};
    unsigned char bytes[64];
    for (int round = 0; round < 5000; round++) {
        size_t size = random_below(&random, sizeof bytes + 1);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)random_next(&random);
        cr_assert_eq(read_error(bytes, size), ERR_MALFORMED);
    }
}

Test(message_frame, a_frame_with_changed_bytes_is_read_or_malformed)
{
    struct random random = {4};
    owned(message_destroy) struct message *message = full_message();
    owned(buffer_finish) struct buffer frame = {0};
    message_to_msgpack(message, &frame);
    for (int round = 0; round < 3000; round++) {
        size_t place = random_below(&random, frame.size);
        char before = frame.data[place];
        frame.data[place] = (char)random_next(&random);
        enum error error = read_error(frame.data, frame.size);
        cr_assert(error == OK || error == ERR_MALFORMED, "byte %zu: %d", place, (int)error);
        frame.data[place] = before;
    }
}

// A frame of PING, written place by place, with a value of a wrong type at `wrong`.
static void
frame_with_one_wrong(size_t wrong, struct buffer *frame)
{
    msgpack_put_array(frame, FRAME_PLACES);
    for (size_t place = 0; place < FRAME_PLACES; place++) {
        if (place == wrong)
            msgpack_put_map(frame, 0);
        else if (place == 0)
            msgpack_put_text(frame, "PING", 4);
        else if (place == 4 || place == 16)
            msgpack_put_bool(frame, true);
        else if (place == 3 || place == 6 || place == 7 || place == 15)
            msgpack_put_text(frame, "", 0);
        else if (place == 9)
            msgpack_put_bytes(frame, "\x80", 1);
        else if (place == 10 || place == 12)
            msgpack_put_array(frame, 0);
        else if (place == 14)
            msgpack_put_bytes(frame, NULL, 0);
        else if (place == 11) {
            msgpack_put_array(frame, 4);
            msgpack_put_integer(frame, OK);
            msgpack_put_text(frame, "", 0);
            msgpack_put_text(frame, "", 0);
            msgpack_put_text(frame, "", 0);
        } else
            msgpack_put_integer(frame, 1);
    }
}

Test(message_frame, a_value_of_a_wrong_type_in_any_place_is_malformed)
{
    for (size_t wrong = 0; wrong <= FRAME_PLACES; wrong++) {
        owned(buffer_finish) struct buffer frame = {0};
        frame_with_one_wrong(wrong, &frame);
        enum error expected = wrong < FRAME_PLACES ? ERR_MALFORMED : OK;
        cr_assert_eq(read_error(frame.data, frame.size), expected, "place %zu", wrong);
    }
}

Test(message_frame, records_of_an_operation_that_takes_none_are_malformed)
{
    owned(message_destroy) struct message *message = message_create(OBJECT_QUERY);
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] =
        record_new(&message->arena, &object_edit_schema);
    message->operation = PING;
    owned(buffer_finish) struct buffer frame = {0};
    message_to_msgpack(message, &frame);
    cr_assert_eq(read_error(frame.data, frame.size), ERR_MALFORMED);
}

// ---------------------------------------------------------------- copies

Test(message_frame, a_clone_is_the_request_without_its_reply_and_shares_no_memory)
{
    struct random random = {5};
    for (int round = 0; round < ROUNDS; round++) {
        struct message *message = random_message(&random, OBJECT_QUERY);
        owned(message_destroy) struct message *same = through_a_frame(message);
        owned(message_destroy) struct message *clone = message_clone(message);
        message_destroy(&message);
        clone->progress = same->progress; // where a request stands is not part of it
        check_same_request(clone, same);
        cr_assert_eq(clone->reply.count, 0);
        cr_assert_eq(clone->reply.fault.error, OK);
        cr_assert_null(clone->reply.envelope);
    }
}
