// samples.c - the sample schema, and records made by chance from any field table.
#include "tests/support/samples.h"

#include <math.h>
#include <string.h>

#include "proto/codec/json_text.h"
#include "proto/records/device.h"
#include "proto/records/ids.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/project.h"
#include "proto/records/property.h"
#include "proto/records/relationship.h"
#include "proto/records/scene.h"

// clang-format off
static const struct field sample_value_fields[] = {
    FIELD(SAMPLE_VALUE,     struct sample_value, value,     "value",     "A number."),
    FIELD(SAMPLE_LEFT_TYPE, struct sample_value, left_type, "left_type", "A word."),
};

static const struct field sample_fields[] = {
    FIELD(SAMPLE_KEY,          struct sample, key,          "key",          "A key.",           .flags = FIELD_KEY | FIELD_FILTER),
    FIELD(SAMPLE_NAME,         struct sample, name,         "name",         "A short text.",    .alias = "title", .limit = 8, .flags = FIELD_FILTER),
    FIELD(SAMPLE_SECRET,       struct sample, secret,       "secret",       "A password.",      .flags = FIELD_SECRET),
    FIELD(SAMPLE_SERVER_MADE,  struct sample, server_made,  "server_made",  "Computed.",        .flags = FIELD_DERIVED),
    FIELD(SAMPLE_FIXED,        struct sample, fixed,        "fixed",        "Set once.",        .flags = FIELD_FIXED),
    FIELD(SAMPLE_REQUEST_ONLY, struct sample, request_only, "request_only", "Asked.",           .flags = FIELD_INPUT),
    FIELD(SAMPLE_OPEN,         struct sample, open,         "open",         "A bool."),
    FIELD(SAMPLE_COUNT,        struct sample, count,        "count",        "An integer.",      .minimum = 1, .maximum = 9, .flags = FIELD_FILTER),
    FIELD(SAMPLE_STAMP,        struct sample, stamp,        "stamp",        "Any integer.",     .flags = FIELD_OPTIONAL | FIELD_FILTER),
    FIELD(SAMPLE_RATIO,        struct sample, ratio,        "ratio",        "A number.",        .minimum = -1, .maximum = 1),
    FIELD(SAMPLE_CORNER,       struct sample, corner,       "corner",       "Two numbers."),
    FIELD(SAMPLE_WORDS,        struct sample, words,        "words",        "Texts.",           .limit = 3, .flags = FIELD_FILTER),
    FIELD(SAMPLE_NESTED,       struct sample, value,        "nested",       "A record.",        .of = &sample_value_schema),
    FIELD(SAMPLE_VALUES,       struct sample, values,       "values",       "Numbers, records.", .of = &sample_value_schema, .limit = 4, .flags = FIELD_SCALAR_ITEMS),
    FIELD(SAMPLE_ID_TEXT,      struct sample, id_text,      "id",           "A text …",         .flags = FIELD_OPTIONAL),
    FIELD(SAMPLE_ID_NUMBER,    struct sample, id_number,    "id",           "… or a number.",   .flags = FIELD_OPTIONAL),
    FIELD(SAMPLE_INTERNAL,     struct sample, internal,     "internal",     "Stored only.",     .flags = FIELD_HIDDEN),
    FIELD(SAMPLE_ADDRESS,      struct sample, address,      "address",      "For servers.",     .flags = FIELD_PRIVATE),
};
// clang-format on

const struct schema sample_value_schema =
    SCHEMA(struct sample_value, "value", "values", sample_value_fields);
const struct schema sample_schema = SCHEMA(struct sample, "sample", "samples", sample_fields);

const struct schema *const all_schemas[ALL_SCHEMAS] = {
    &sample_schema,
    &sample_value_schema,
    &scene_schema,
    &device_schema,
    &pose_schema,
    &alignment_schema,
    &object_schema,
    &handle_schema,
    &object_edit_schema,
    &params_schema,
    &envelope_schema,
    // actions and properties
    &object_action_schema,
    &object_action_edit_schema,
    &object_keyframe_schema,
    &object_keyframe_edit_schema,
    &property_schema,
    &property_edit_schema,
    &property_action_schema,
    &property_keyframe_schema,
    &value_schema,
    // what is sorted into projects
    &scene_group_schema,
    &project_schema,
    &collection_schema,
    &relationship_schema,
    &ids_schema,
    &relation_ids_schema,
};

// splitmix64 (Steele, Lea, Flood 2014).
uint64_t
random_next(struct random *self)
{
    uint64_t mixed = self->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

uint64_t
random_below(struct random *self, uint64_t end)
{
    return random_next(self) % end;
}

double
random_number(struct random *self)
{
    double number;
    if (random_below(self, 4) == 0)
        return (double)random_below(self, 200) - 100;
    do {
        uint64_t bits = random_next(self);
        memcpy(&number, &bits, sizeof number);
    } while (!isfinite(number));
    return number;
}

const struct text *
random_text(struct random *self, struct arena *arena, size_t size)
{
    static const char *const pieces[] = {"a",  "Z",  "7",    " ",     "\"", "\\", "\n", "\x01",
                                         "/",  "~",  "é",    "漢",    "😀",  "\t", "<",  "cube",
                                         "\f", "\r", "\x7f", "]},{[", "-",  ".",  "%",  "_"};
    char chars[64];
    size_t used = 0, wanted = random_below(self, (size < sizeof chars ? size : sizeof chars) + 1);
    for (;;) {
        const char *piece = pieces[random_below(self, sizeof pieces / sizeof pieces[0])];
        if (used + strlen(piece) > wanted)
            return text_new(arena, chars, used);
        memcpy(chars + used, piece, strlen(piece));
        used += strlen(piece);
    }
}

static const struct text *
random_key(struct random *self, struct arena *arena)
{
    return text_format(arena, "k%08x", (unsigned)random_below(self, UINT32_MAX));
}

// Compact JSON with a value of every type in it.
static const struct text *
random_json(struct random *self, struct arena *arena)
{
    struct buffer out = {0};
    const struct text *word = random_text(self, arena, 40);
    buffer_put_chars(&out, "{\"a\":[null,true,");
    json_put_integer(&out, (int64_t)random_next(self));
    buffer_put_char(&out, ',');
    json_put_number(&out, random_number(self));
    buffer_put_chars(&out, ",{}],\"b\":");
    json_put_text(&out, text_bytes(word), text_size(word));
    buffer_put_char(&out, '}');
    const struct text *json = text_new(arena, out.data, out.size);
    buffer_finish(&out);
    return json;
}

static const struct text *
random_member_text(struct random *self, struct arena *arena, const struct field *field)
{
    if (field->flags & FIELD_KEY)
        return random_key(self, arena);
    if (field->flags & FIELD_JSON)
        return random_json(self, arena);
    return random_text(self, arena, field_limit(field));
}

static int64_t
random_integer(struct random *self, const struct field *field)
{
    if (field->maximum > field->minimum)
        return (int64_t)field->minimum +
               (int64_t)random_below(self, (uint64_t)(field->maximum - field->minimum) + 1);
    return (int64_t)random_next(self);
}

static double
random_member_number(struct random *self, const struct field *field)
{
    double unit = (double)random_below(self, 1000001) / 1000000;
    if (field->maximum > field->minimum)
        return field->minimum + unit * (field->maximum - field->minimum);
    return random_number(self);
}

static uint32_t
random_count(struct random *self, const struct field *field)
{
    uint32_t most = field_limit(field) < 5 ? field_limit(field) : 5;
    return 1 + (uint32_t)random_below(self, most);
}

static const struct texts *
random_texts(struct random *self, struct arena *arena, const struct field *field)
{
    uint32_t count = random_count(self, field);
    struct texts *list = arena_alloc(arena, sizeof(*list) + count * sizeof(list->items[0]));
    for (; list->count < count; list->count++) {
        const struct text *item = random_text(self, arena, 40);
        bool is_word = !(field->flags & FIELD_WORDS) || text_size(item);
        list->items[list->count] = is_word ? item : text_from(arena, "word");
    }
    return list;
}

static struct record *
random_item(struct random *self, struct arena *arena, const struct field *field, unsigned without)
{
    if (!(field->flags & FIELD_SCALAR_ITEMS) || random_below(self, 2))
        return random_record(self, arena, field->of, without);
    struct record *item = record_new(arena, field->of);
    MEMBER(double, item, &field->of->fields[0]) = random_number(self);
    item->present = FIELD_BIT(field->of->fields[0].id) | RECORD_SCALAR;
    return item;
}

static const struct records *
random_records(struct random *self, struct arena *arena, const struct field *field,
               unsigned without)
{
    uint32_t count = random_count(self, field);
    struct records *list = records_new(arena, count);
    for (; list->count < count; list->count++)
        list->items[list->count] = random_item(self, arena, field, without);
    return list;
}

static void
random_member(struct random *self, struct arena *arena, const struct field *field, unsigned without,
              struct record *record)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        MEMBER(const struct text *, record, field) = random_member_text(self, arena, field);
        break;
    case FIELD_BOOL:
        MEMBER(bool, record, field) = random_below(self, 2);
        break;
    case FIELD_INTEGER:
        MEMBER(int64_t, record, field) = random_integer(self, field);
        break;
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        for (size_t i = 0; i < field->capacity; i++)
            (&MEMBER(double, record, field))[i] = random_member_number(self, field);
        break;
    case FIELD_TEXTS:
        MEMBER(const struct texts *, record, field) = random_texts(self, arena, field);
        break;
    case FIELD_RECORD:
        MEMBER(const struct record *, record, field) =
            random_record(self, arena, field->of, without);
        break;
    case FIELD_RECORDS:
        MEMBER(const struct records *, record, field) = random_records(self, arena, field, without);
        break;
    }
    record_mark(record, field->id);
}

// Of rows that share a name a record has one.
static bool
name_is_taken(const struct record *record, const struct field *field)
{
    const struct field *first = schema_find(record->schema, field->name, strlen(field->name));
    for (; first < field; first++)
        if (record_has(record, first->id) && strcmp(first->name, field->name) == 0)
            return true;
    return false;
}

struct record *
random_record(struct random *self, struct arena *arena, const struct schema *schema,
              unsigned without)
{
    struct record *record = record_new(arena, schema);
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (random_below(self, 3) && !(field->flags & without) && !name_is_taken(record, field))
            random_member(self, arena, field, without, record);
    }
    return record;
}
