// body_fuzz.c - bodies of requests: `POST /v1/scene/hall/object` in the first line, JSON behind it.
// Records that are read obey the rules of values, survive freezing and the stored form, print as
// JSON that reads as the same; a record with a filter's members put over it is found by the filter.
#include <string.h>

#include "gateway/request/body.h"
#include "gateway/router.h"
#include "proto/base/limits.h"
#include "proto/codec/record_json.h"
#include "proto/codec/record_msgpack.h"
#include "proto/record/record_check.h"
#include "tests/fuzz/fuzz.h"

// The route that the line names, or NULL.
static const struct route *
find_route(struct arena *arena, char *line)
{
    struct route_match match;
    char *path = strchr(line, ' ');
    if (!path)
        return NULL;
    *path++ = '\0';
    if (router_find(arena, path, &match) != OK)
        return NULL;
    for (unsigned i = 0; i < match.row_count; i++)
        if (strcmp(http_method_name(match.rows[i].method), line) == 0)
            return &match.rows[i];
    return NULL;
}

static void
check_frozen(const struct record *record)
{
    const frozen_t *frozen = record_freeze(record->schema, record);
    must(record_equal(frozen_record(frozen), record));
    record_unref(&frozen);
}

// Members of requests that nested records have are not stored, so what is compared is the bytes.
static void
check_stored(struct arena *arena, const struct record *record)
{
    struct buffer once = {0}, twice = {0};
    struct record *kept, *again;
    must(record_merge(arena, record->schema, NULL, record, LIST_OVERWRITE, &kept) == OK);
    record_to_stored(kept, &once);
    must(record_from_stored(arena, kept->schema, once.data, once.size, &again) == OK);
    record_to_stored(again, &twice);
    must(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    buffer_finish(&once);
    buffer_finish(&twice);
}

// Answers leave members out, so what is compared is the answer's own text.
static void
check_json(struct arena *arena, const struct record *record)
{
    struct buffer once = {0}, twice = {0};
    struct record *again;
    const struct json *json;
    record_to_json(record, NULL, &once);
    must(json_parse(arena, once.data, once.size, &json) == OK);
    must(record_from_json(arena, record->schema, json, "", &again) == OK);
    record_to_json(again, NULL, &twice);
    must(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    buffer_finish(&once);
    buffer_finish(&twice);
}

// Members that an edit does not change stay out of the filter.
static const struct record *
changeable(struct arena *arena, const struct record *record)
{
    struct record *copy = record_copy(arena, record->schema, record);
    for (uint32_t i = 0; i < copy->schema->count; i++)
        if (copy->schema->fields[i].flags & FIELD_FIXED)
            copy->present &= ~FIELD_BIT(copy->schema->fields[i].id);
    return copy;
}

static void
check_filter(struct arena *arena, const struct record *record, const struct record *filter)
{
    struct record *found;
    const struct record *wanted = changeable(arena, filter);
    must(record_matches(record, record));
    must(record_matches(record, record_new(arena, record->schema)));
    must(record_merge(arena, record->schema, record, wanted, LIST_OVERWRITE, &found) == OK);
    must(record_matches(found, wanted));
    if (record_merge(arena, record->schema, record, wanted, LIST_APPEND, &found) == OK)
        must(record_matches(found, wanted));
}

static void
check_records(struct arena *arena, const struct records *records)
{
    for (uint32_t i = 0; i < records->count; i++) {
        const struct record *record = records->items[i];
        must(record_check(record, "") == OK);
        check_frozen(record);
        check_stored(arena, record);
        check_json(arena, record);
        check_filter(arena, record, records->items[(i + 1) % records->count]);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    const struct route *route = find_route(&arena, input_line(&input, &arena));
    if (route) {
        struct message *message = message_create(route->operation % OPERATION_COUNT);
        if (body_read(route, "", input.data, input.size, message) == OK) {
            must(record_check(&message->params->base, "") == OK);
            if (message->records)
                check_records(&arena, message->records);
        } else
            must(fault_last()->error != OK && strlen(fault_last()->detail) > 0);
        message_destroy(&message);
    }
    arena_finish(&arena);
    return 0;
}
