// json_records.c - records from JSON texts, and the texts that they are written as
// (json_records.h).
#include "tests/support/json_records.h"

#include <criterion/criterion.h>
#include <string.h>

const struct json *
json_parsed(struct arena *arena, const char *chars)
{
    const struct json *value;
    cr_assert_eq(json_parse(arena, chars, strlen(chars), &value), OK, "%s: %s", chars,
                 fault_last()->detail);
    return value;
}

struct record *
json_record(struct arena *arena, const struct schema *schema, const char *chars)
{
    struct record *record;
    cr_assert_eq(record_from_json(arena, schema, json_parsed(arena, chars), "", &record), OK,
                 "%s: %s %s", chars, fault_last()->pointer, fault_last()->detail);
    return record;
}

const struct sample *
json_sample(struct arena *arena, const char *chars)
{
    return (const struct sample *)(void *)json_record(arena, &sample_schema, chars);
}

void
json_refused(struct arena *arena, const struct schema *schema, const char *chars, enum error error,
             const char *pointer, const char *detail)
{
    struct record *record = NULL;
    cr_assert_eq(record_from_json(arena, schema, json_parsed(arena, chars), "/s/0", &record), error,
                 "%s", chars);
    cr_assert_null(record);
    cr_assert_str_eq(fault_last()->pointer, pointer, "%s: %s", chars, fault_last()->pointer);
    cr_assert_str_eq(fault_last()->detail, detail, "%s: %s", chars, fault_last()->detail);
}

void
json_written(const struct record *record, const struct view *view, const char *expected)
{
    struct buffer out = {0};
    record_to_json(record, view, &out);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
    buffer_finish(&out);
}
