// stored_fuzz.c - msgpack as the store and other processes hand it over: the look at lengths, then
// records and trees. The first byte chooses the schema. What is read is written and read again as
// the same; what is taken in memory is in proportion to what came.
#include "proto/codec/json_text.h"
#include "proto/codec/msgpack_scan.h"
#include "proto/codec/record_json.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/audit_line.h"
#include "proto/records/device.h"
#include "proto/records/kept_answer.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/scene.h"
#include "tests/fuzz/fuzz.h"

// A byte of input is at most one item of a list, in msgpack-c's form and in ours; beside that there
// are chunks of memory that are taken at once.
enum { LARGEST_FACTOR = 32, LARGEST_BASE = 128 << 10 };

static const struct schema *const schemas[] = {
    &scene_schema,  &object_schema,   &object_edit_schema, &device_schema,
    &params_schema, &envelope_schema, &kept_answer_schema, &audit_line_schema,
};

static void
check_record(struct arena *arena, const struct record *record)
{
    struct buffer bytes = {0};
    struct record *again;
    record_to_frame(record, &bytes);
    must(record_from_stored(arena, record->schema, bytes.data, bytes.size, &again) == OK);
    must(record_equal(record, again));
    const frozen_t *frozen = record_freeze(record->schema, record);
    must(record_equal(record, frozen_record(frozen)));
    buffer_clear(&bytes);
    record_to_json(frozen_record(frozen), NULL, &bytes);
    record_to_published(frozen_record(frozen), NULL, &bytes);
    record_unref(&frozen);
    buffer_finish(&bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct record *record;
    const struct json *tree;
    if (size == 0)
        return 0;
    const struct schema *schema = schemas[data[0] % (sizeof schemas / sizeof schemas[0])];
    data++, size--;
    fuzz_limit_allocations(LARGEST_BASE + LARGEST_FACTOR * size);
    bool is_whole = msgpack_scan(data, size) == OK;
    if (record_from_stored(&arena, schema, data, size, &record) == OK) {
        must(is_whole);
        check_record(&arena, record);
    }
    must(msgpack_to_json(&arena, data, size, &tree) != OK || is_whole);
    fuzz_limit_allocations(0);
    arena_finish(&arena);
    return 0;
}
