// message_test.c - messages in memory: their replies, what they carry, and queues of them.
#include "proto/message/message.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/samples.h"

static const frozen_t *
frozen_object(const char *name)
{
    struct arena arena = {0};
    struct record *loose = record_new(&arena, &object_schema);
    record_set_text(loose, OBJECT_NAME, text_from(&arena, name));
    const frozen_t *frozen = record_freeze(&object_schema, loose);
    arena_finish(&arena);
    return frozen;
}

Test(message, a_failed_reply_has_the_fault_and_no_records_but_keeps_its_envelope)
{
    owned(message_destroy) struct message *message = message_create(OBJECT_LOCK);
    owned(record_unref) const frozen_t *object = frozen_object("cube");
    reply_add(message, object);
    struct envelope *envelope = reply_envelope(message);
    reply_fail(message, fail(ERR_LOCKED, "/device", "held by %s", "phone"));
    cr_assert_eq(message->reply.count, 0);
    cr_assert_eq(message->reply.fault.error, ERR_LOCKED);
    cr_assert_str_eq(message->reply.fault.pointer, "/device");
    cr_assert_str_eq(message->reply.fault.detail, "held by phone");
    cr_assert_eq(reply_envelope(message), envelope);
}

Test(message, a_truncated_reply_keeps_its_first_records)
{
    owned(message_destroy) struct message *message = message_create(OBJECT_CREATE);
    for (int i = 0; i < 10; i++) {
        owned(record_unref) const frozen_t *object = frozen_object(i < 7 ? "kept" : "cut");
        reply_add(message, object);
    }
    reply_truncate(message, 7);
    cr_assert_eq(message->reply.count, 7);
    for (uint32_t i = 0; i < 7; i++)
        cr_assert(text_is(
            ((const struct object *)(const void *)reply_record(&message->reply, i))->name, "kept"));
    reply_truncate(message, 9);
    cr_assert_eq(message->reply.count, 7);
}

static struct message *
with_packed(const char *name)
{
    owned(record_unref) const frozen_t *object = frozen_object(name);
    const packed_t *packed = record_pack(&object_schema, frozen_record(object));
    struct message *message = message_create(OBJECT_QUERY);
    reply_add(message, object);
    reply_add(message, packed_frozen(packed));
    packed_unref(&packed);
    return message;
}

static const char *
name_of(const struct record *object)
{
    return text_chars(((const struct object *)(const void *)object)->name);
}

Test(message, a_packed_record_of_a_reply_is_read_like_others)
{
    owned(message_destroy) struct message *message = with_packed("cube");
    struct opened room;
    cr_expect_str_eq(name_of(reply_record(&message->reply, 0)), "cube");
    cr_expect_str_eq(name_of(reply_record(&message->reply, 1)), "cube");
    cr_expect_str_eq(name_of(reply_open(&message->reply, 1, &room)), "cube");
}

Test(message, a_reply_that_is_unpacked_has_plain_records)
{
    owned(message_destroy) struct message *message = with_packed("cube");
    const frozen_t *plain = message->reply.records[0];
    reply_unpack(&message->reply);
    cr_assert_eq(message->reply.records[0], plain);
    cr_assert_not(frozen_is_packed(message->reply.records[1]));
    cr_assert_str_eq(name_of(reply_record(&message->reply, 1)), "cube");
}

static unsigned sources;

static void
end_source(struct parcel *self)
{
    (void)self;
    sources++;
}

// A reply of a loose record called "loose", which borrows from something, and a frozen one.
static struct message *
half_loose(void)
{
    struct message *message = message_create(SCENE_GET);
    struct record *loose = record_new(&message->arena, &object_schema);
    record_set_text(loose, OBJECT_NAME, text_from(&message->arena, "loose"));
    message->work = arena_new(&message->arena, struct parcel);
    message->work->destroy = end_source;
    reply_begin_loose(message, loose, &message->work);
    cr_assert_null(message->work, "it is the reply's");
    owned(record_unref) const frozen_t *object = frozen_object("frozen");
    reply_add(message, object);
    sources = 0;
    return message;
}

static void
assert_name(const struct record *record, const char *name)
{
    cr_assert(text_is(((const struct object *)(const void *)record)->name, name));
}

Test(message, a_record_that_is_taken_is_moved)
{
    owned(message_destroy) struct message *from = message_create(PING), *to = message_create(PING);
    reply_add_loose(from, &object_schema, record_new(&from->arena, &object_schema));
    const frozen_t *record = from->reply.records[0];
    reply_take(to, &from->reply, 0);
    cr_assert_eq(record, to->reply.records[0]);
    cr_assert_null(from->reply.records[0]); // the address sanitizer tells who frees it
}

static const packed_t *
packed_object(const char *name)
{
    owned(record_unref) const frozen_t *object = frozen_object(name);
    return record_pack(&object_schema, frozen_record(object));
}

Test(message, a_small_packed_record_is_copied_into_a_reply)
{
    owned(message_destroy) struct message *message = message_create(PING);
    const packed_t *packed = packed_object("cube");
    reply_add_packed(message, packed);
    cr_assert_neq(message->reply.records[0], packed_frozen(packed));
    packed_unref(&packed);
    assert_name(reply_record(&message->reply, 0), "cube");
}

Test(message, a_large_packed_record_is_shared_with_a_reply)
{
    char name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    owned(message_destroy) struct message *message = message_create(PING);
    const packed_t *packed = packed_object(name);
    reply_add_packed(message, packed);
    cr_assert_eq(message->reply.records[0], packed_frozen(packed));
    packed_unref(&packed);
    assert_name(reply_record(&message->reply, 0), name);
}

Test(message, copies_of_a_reply_go_along_with_the_first_that_is_taken)
{
    owned(message_destroy) struct message *from = message_create(PING), *to = message_create(PING);
    const packed_t *packed = packed_object("cube");
    for (int i = 0; i < 1000; i++)
        reply_add_packed(from, packed);
    packed_unref(&packed);
    for (uint32_t i = 0; i < 999; i++)
        reply_take(to, &from->reply, i);
    message_destroy(&from);
    for (uint32_t i = 0; i < 999; i++)
        assert_name(reply_record(&to->reply, i), "cube");
}

Test(message, the_first_record_of_a_reply_may_be_loose)
{
    struct message *message = half_loose();
    cr_assert_eq(message->reply.count, 2);
    assert_name(reply_record(&message->reply, 0), "loose");
    assert_name(reply_record(&message->reply, 1), "frozen");
    cr_assert_eq(sources, 0);
    message_destroy(&message);
    cr_assert_eq(sources, 1);
}

Test(message, a_loose_record_is_frozen_for_who_asks_for_that)
{
    owned(message_destroy) struct message *message = half_loose();
    assert_name(frozen_record(reply_frozen(&message->reply, 1)), "frozen");
    cr_assert_eq(sources, 0);
    const frozen_t *frozen = reply_frozen(&message->reply, 0);
    cr_assert_eq(sources, 1, "it borrows from nothing any more");
    assert_name(frozen_record(frozen), "loose");
    cr_assert_eq(reply_record(&message->reply, 0), frozen_record(frozen));
    cr_assert_eq(reply_frozen(&message->reply, 0), frozen);
}

Test(message, a_truncated_or_failed_reply_has_no_loose_record)
{
    owned(message_destroy) struct message *cut = half_loose();
    reply_truncate(cut, 1);
    cr_assert_eq(sources, 0);
    reply_truncate(cut, 0);
    cr_assert_eq(sources, 1);
    owned(record_unref) const frozen_t *object = frozen_object("next");
    reply_add(cut, object);
    assert_name(reply_record(&cut->reply, 0), "next");
    owned(message_destroy) struct message *failed = half_loose();
    reply_fail(failed, fail(ERR_INTERNAL, "", "no"));
    cr_assert_eq(sources, 1);
    cr_assert_null(failed->reply.loose);
}

Test(message, a_pointer_names_the_array_only_where_the_body_had_one)
{
    owned(message_destroy) struct message *message = message_create(OBJECT_UPDATE);
    cr_assert_str_eq(message_pointer(message, 2, "/scale"), "/scale");
    message->array = "objects";
    cr_assert_str_eq(message_pointer(message, 2, "/scale"), "/objects/2/scale");
}

static void
end_parcel(struct parcel *self)
{
    free(self);
}

Test(message, a_message_takes_its_parcel_with_it)
{
    struct message *message = message_create(COMMIT);
    message->parcel = calloc(1, sizeof *message->parcel);
    cr_assert_not_null(message->parcel);
    message->parcel->destroy = end_parcel;
    message_destroy(&message); // the leak check sees to the rest
    cr_assert_null(message);
    message_destroy(&message);
}

Test(message, a_queue_gives_back_in_the_order_of_pushing_and_destroys_the_rest)
{
    struct message_queue queue = {0};
    for (uint64_t id = 1; id <= 5; id++) {
        struct message *message = message_create(PING);
        message->id = id;
        message_queue_push(&queue, &message);
        cr_assert_null(message);
    }
    for (uint64_t id = 1; id <= 3; id++) {
        owned(message_destroy) struct message *message = message_queue_pop(&queue);
        cr_assert_eq(message->id, id);
    }
    cr_assert_eq(queue.count, 2);
    message_queue_finish(&queue);
    cr_assert_eq(queue.count, 0);
    cr_assert_null(message_queue_pop(&queue));
}

Test(message, a_queue_that_was_emptied_takes_messages_again)
{
    struct message_queue queue = {0};
    for (int round = 0; round < 3; round++) {
        struct message *message = message_create(PING), *sent = message;
        message_queue_push(&queue, &message);
        message = message_queue_pop(&queue);
        cr_assert_eq(message, sent);
        cr_assert_null(message_queue_pop(&queue));
        message_destroy(&message);
    }
}

// The same request for the same seed, with a reply.
static struct message *
random_request(uint64_t seed)
{
    struct random random = {seed};
    struct message *message = message_create(OBJECT_QUERY);
    message->id = random_next(&random);
    message->deadline_ms = random_next(&random) >> 1;
    message->caller = (struct caller){.peer = "192.0.2.1",
                                      .role = CALLER_USER,
                                      .user = "ann",
                                      .session = "s",
                                      .revocations = (int64_t)random_below(&random, 5),
                                      .takes_device = random_below(&random, 2)};
    message->params =
        (struct params *)(void *)random_record(&random, &message->arena, &params_schema, 0);
    message->array = random_below(&random, 2) ? "objects" : NULL;
    size_t count = random_below(&random, 5);
    message->records = records_new(&message->arena, count);
    while (message->records->count < count)
        message->records->items[message->records->count++] =
            random_record(&random, &message->arena, &object_schema, FIELD_SECRET);
    owned(record_unref) const frozen_t *found = frozen_object("found");
    reply_add(message, found);
    reply_envelope(message);
    return message;
}

static void
assert_same_request(const struct message *left, const struct message *right)
{
    cr_assert_eq(left->operation, right->operation);
    cr_assert_eq(left->id, right->id);
    cr_assert_eq(left->deadline_ms, right->deadline_ms);
    cr_assert_str_eq(left->caller.peer, right->caller.peer);
    cr_assert_str_eq(left->caller.user, right->caller.user);
    cr_assert_str_eq(left->caller.session, right->caller.session);
    cr_assert_eq(left->caller.role, right->caller.role);
    cr_assert_eq(left->caller.revocations, right->caller.revocations);
    cr_assert_eq(left->caller.takes_device, right->caller.takes_device);
    cr_assert_str_eq(left->array ? left->array : "bare", right->array ? right->array : "bare");
    cr_assert(record_equal(&left->params->base, &right->params->base));
    cr_assert_eq(left->records->count, right->records->count);
    for (uint32_t i = 0; i < left->records->count; i++) {
        cr_assert_eq(left->records->items[i]->schema, right->records->items[i]->schema);
        cr_assert(record_equal(left->records->items[i], right->records->items[i]), "record %u", i);
    }
}

Test(message, a_clone_is_the_request_without_its_reply_and_shares_no_memory)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct message *message = random_request(seed);
        owned(message_destroy) struct message *same = random_request(seed);
        owned(message_destroy) struct message *clone = message_clone(message);
        message_destroy(&message);
        assert_same_request(clone, same);
        cr_assert_eq(clone->reply.count, 0);
        cr_assert_eq(clone->reply.fault.error, OK);
        cr_assert_null(clone->reply.envelope);
    }
}
