// message_test.c - messages in memory: their replies, what they carry, and queues of them.
#include "proto/message/message.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"

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
