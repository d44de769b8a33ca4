// json_records.h - for tests of codecs: records from JSON texts, their refusals, and the texts that
// they are written as. All that is read lives in the arena; what is not as expected fails the test.
#ifndef DIORAMA_TESTS_SUPPORT_JSON_RECORDS_H
#define DIORAMA_TESTS_SUPPORT_JSON_RECORDS_H

#include "proto/codec/record_json.h"
#include "tests/support/samples.h"

const struct json *json_parsed(struct arena *arena, const char *chars);
struct record *json_record(struct arena *arena, const struct schema *schema, const char *chars);
const struct sample *json_sample(struct arena *arena, const char *chars);

// Expects that the text, which stands at "/s/0", is refused with this error, pointer and detail.
void json_refused(struct arena *arena, const struct schema *schema, const char *chars,
                  enum error error, const char *pointer, const char *detail);

// Expects that the record is written as this text.
void json_written(const struct record *record, const struct view *view, const char *expected);

#endif
