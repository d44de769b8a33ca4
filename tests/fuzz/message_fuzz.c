// message_fuzz.c - frames of messages between processes: what is read is written and read again as
// the same bytes, and costs memory in proportion.
#include <string.h>

#include "proto/message/message.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST_FACTOR = 32, LARGEST_BASE = 128 << 10 };

static void
check_request(const struct message *a, const struct message *b)
{
    must(a->operation == b->operation && a->id == b->id && a->deadline_ms == b->deadline_ms);
    must(strcmp(a->caller.peer, b->caller.peer) == 0 && a->caller.loopback == b->caller.loopback);
    must(a->progress == b->progress && !a->array == !b->array);
    must(!a->array || strcmp(a->array, b->array) == 0);
    must(record_equal(&a->params->base, &b->params->base) && !a->records == !b->records);
    must(!a->records || a->records->count == b->records->count);
    for (uint32_t i = 0; a->records && i < a->records->count; i++)
        must(record_equal(a->records->items[i], b->records->items[i]));
}

static void
check_reply(const struct reply *a, const struct reply *b)
{
    must(a->fault.error == b->fault.error && a->more == b->more && a->count == b->count);
    must(strcmp(a->fault.pointer, b->fault.pointer) == 0);
    must(strcmp(a->fault.detail, b->fault.detail) == 0);
    must(!a->envelope == !b->envelope && (!a->envelope || record_equal(a->envelope, b->envelope)));
    for (uint32_t i = 0; i < a->count; i++)
        must(record_equal(reply_record(a, i), reply_record(b, i)));
}

static void
check_message(const struct message *message)
{
    struct buffer once = {0}, twice = {0};
    struct message *again;
    message_to_msgpack(message, &once);
    must(message_from_msgpack(once.data, once.size, &again) == OK);
    check_request(message, again);
    check_reply(&message->reply, &again->reply);
    message_to_msgpack(again, &twice);
    must(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    message_destroy(&again);
    buffer_finish(&once);
    buffer_finish(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message *message;
    fuzz_limit_allocations(LARGEST_BASE + LARGEST_FACTOR * size);
    if (message_from_msgpack(data, size, &message) == OK) {
        check_message(message);
        message_destroy(&message);
    }
    fuzz_limit_allocations(0);
    return 0;
}
