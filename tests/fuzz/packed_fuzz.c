// packed_fuzz.c - packed datagrams, as a listener reads them from strangers. No allocation passes
// 64 KiB; what is read prints as JSON that reads, and packs and reads again as the same text.
#include <string.h>

#include "proto/codec/record_json.h"
#include "proto/feed/feed_packed.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "tests/fuzz/fuzz.h"
#include "tools/cli/json_value.h"

enum { LARGEST_BYTES = 64 << 10 };

static const struct schema *
schema_of(uint8_t msg_type)
{
    return strcmp(event_noun(msg_type), "property") == 0 ? &property_schema : &object_schema;
}

static uint64_t
members_of(const struct schema *schema, const struct json *change)
{
    uint64_t members = 0;
    for (uint32_t i = 0; i < change->count; i++) {
        const struct text *name = change->members[i].name;
        const struct field *field = schema_find(schema, text_bytes(name), text_size(name));
        if (field)
            members |= FIELD_BIT(field->id);
    }
    return members;
}

static bool
is_delete(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_DELETED || msg_type == EVENT_PROPERTY_DELETED;
}

// Packs the change alone and reads it; records that no server would keep are left out.
static void
check_again(struct arena *arena, const struct json *change)
{
    struct feed_packed packed = {0};
    struct buffer once = {0};
    struct feed_packed_datagram datagram;
    struct record *loose;
    uint8_t msg_type = (uint8_t)json_find(change, "msg_type")->integer;
    const struct schema *schema = schema_of(msg_type);
    if (record_from_json(arena, schema, change, "", &loose) != OK || !record_has(loose, ENTITY_KEY))
        return;
    const frozen_t *record = record_freeze(schema, loose);
    struct event event = {.record = record, .msg_type = msg_type};
    must(feed_packed_add(&packed, &event, members_of(schema, change)));
    feed_packed_close(&packed, 1, 2, 3, &once);
    must(once.size <= PACKED_DATAGRAM_BYTES);
    must(feed_packed_read(arena, once.data, once.size, &datagram) == OK);
    must(datagram.epoch == 1 && datagram.prev == 2 && datagram.seq == 3);
    must(datagram.changes->count == 1);
    const struct json *again = &datagram.changes->items[0];
    must(text_equal(json_find(again, "key")->text, frozen_key(record)));
    must(json_find(again, "msg_type")->integer == msg_type);
    must(!is_delete(msg_type) || again->count == 2);
    record_unref(&record);
    feed_packed_finish(&packed);
    buffer_finish(&once);
}

static void
check_text(struct arena *arena, const struct json *changes)
{
    struct buffer text = {0}, twice = {0};
    const struct json *again;
    json_value_put(&text, changes);
    must(json_parse(arena, text.data, text.size, &again) == OK);
    json_value_put(&twice, again);
    must(text.size == twice.size && memcmp(text.data, twice.data, text.size) == 0);
    buffer_finish(&text);
    buffer_finish(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct feed_packed_datagram datagram;
    fuzz_limit_allocations(LARGEST_BYTES);
    enum error error = feed_packed_read(&arena, data, size, &datagram);
    fuzz_limit_allocations(0);
    if (error == OK) {
        check_text(&arena, datagram.changes);
        for (uint32_t i = 0; i < datagram.changes->count; i++)
            check_again(&arena, &datagram.changes->items[i]);
    }
    arena_finish(&arena);
    return 0;
}
