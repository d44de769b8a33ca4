// query.c - reads query strings as records. Pure. The members of a URI are gathered into a JSON
// object that the record codec reads: only the schema knows types, ranges and the rule of keys.
#include "gateway/request/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/http/percent.h"
#include "proto/codec/record_json.h"

// Members gathered from a query string; there is room for `capacity` of them.
struct gathered {
    struct arena *arena;
    const struct schema *schema;
    const struct view *view;
    uint32_t capacity;
    uint32_t count;
    struct json_member *members;
    const struct field **fields; // of the members
    struct json **lists;         // the items of those that are lists
};

static void
gathered_init(struct gathered *self)
{
    self->members = arena_alloc(self->arena, self->capacity * sizeof *self->members);
    self->fields = arena_alloc(self->arena, self->capacity * sizeof(const struct field *));
    self->lists = arena_alloc(self->arena, self->capacity * sizeof(struct json *));
}

static uint32_t
gathered_find(const struct gathered *self, const struct field *field)
{
    uint32_t index = 0;
    while (index < self->count && self->fields[index] != field)
        index++;
    return index;
}

static void
gathered_add(struct gathered *self, const struct field *field, const struct text *name,
             struct json value)
{
    uint32_t index = gathered_find(self, field);
    struct json *member = &self->members[index].value;
    if (index == self->count) {
        self->fields[self->count++] = field;
        if (field->type == FIELD_TEXTS) {
            self->lists[index] = arena_alloc(self->arena, self->capacity * sizeof(struct json));
            *member = (struct json){.type = JSON_ARRAY, .items = self->lists[index]};
        }
    }
    self->members[index].name = name;
    if (field->type == FIELD_TEXTS)
        self->lists[index][member->count++] = value;
    else
        *member = value;
}

bool
query_takes(const struct view *view, const struct field *field)
{
    if (field->type == FIELD_RECORD || field->type == FIELD_RECORDS || field->type == FIELD_NUMBERS)
        return false;
    if (field->flags & (FIELD_SECRET | FIELD_JSON))
        return false;
    return !view || !view->fields || (view->fields & FIELD_BIT(field->id));
}

// Whether a conversion that stopped at `end` used all of the text, and the text is decimal.
static bool
is_whole(const struct text *text, const char *end)
{
    size_t size = text_size(text);
    return errno == 0 && end == text_chars(text) + size &&
           strspn(text_chars(text), "+-.0123456789eE") == size;
}

struct json
query_value(const struct field *field, const struct text *text)
{
    char *end;
    errno = 0;
    if (field->type == FIELD_INTEGER) {
        long long integer = strtoll(text_chars(text), &end, 10);
        if (is_whole(text, end))
            return (struct json){.type = JSON_INTEGER, .integer = integer};
    } else if (field->type == FIELD_NUMBER) {
        double number;
        if (text_number(text, &number))
            return (struct json){.type = JSON_NUMBER, .number = number};
    } else if (field->type == FIELD_BOOL && (text_is(text, "true") || text_is(text, "false")))
        return (struct json){.type = JSON_BOOL, .boolean = text_is(text, "true")};
    return (struct json){.type = JSON_TEXT, .text = text};
}

// The first row of this name that a query string may have.
static const struct field *
find_taken(const struct gathered *gathered, const struct text *name)
{
    const struct schema *schema = gathered->schema;
    const struct field *field = schema_find(schema, text_bytes(name), text_size(name));
    const struct field *first = field, *end = schema->fields + schema->count;
    while (field && field < end &&
           (strcmp(field->name, first->name) != 0 || !query_takes(gathered->view, field)))
        field++;
    return field == end ? NULL : field;
}

// One `name=value`, `size` bytes.
static fallible
gather_pair(struct gathered *gathered, const char *pair, size_t size)
{
    const char *equals = memchr(pair, '=', size);
    if (!equals)
        return OK;
    const struct text *name, *value;
    size_t name_size = (size_t)(equals - pair);
    TRY(percent_decode(gathered->arena, pair, name_size, PERCENT_QUERY, &name));
    TRY(percent_decode(gathered->arena, equals + 1, size - name_size - 1, PERCENT_QUERY, &value));
    const struct field *field = find_taken(gathered, name);
    if (field && (text_size(value) || (field->flags & FIELD_EMPTY)))
        gathered_add(gathered, field, name, query_value(field, value));
    return OK;
}

static uint32_t
count_pairs(const char *query)
{
    uint32_t count = 1;
    for (; *query; query++)
        count += *query == '&';
    return count;
}

// Reads the members; a failure names the parameter in its detail, because a URI has no JSON
// Pointers.
fallible
query_read_members(struct arena *arena, const struct schema *schema, const struct json *members,
                   struct record **ret_record)
{
    enum error error = record_from_json(arena, schema, members, "", ret_record);
    if (error == OK)
        return OK;
    struct fault fault;
    fault_take(error, &fault);
    return fail(error, "", "%s %s", fault.pointer[0] ? fault.pointer + 1 : "the request",
                fault.detail);
}

fallible
query_read(struct arena *arena, const struct schema *schema, const struct view *view,
           const char *query, struct record **ret_record)
{
    struct gathered gathered = {
        .arena = arena, .schema = schema, .view = view, .capacity = count_pairs(query)};
    gathered_init(&gathered);
    while (*query) {
        size_t size = strcspn(query, "&");
        TRY(gather_pair(&gathered, query, size));
        query += size + (query[size] == '&');
    }
    struct json object = {
        .type = JSON_OBJECT, .count = gathered.count, .members = gathered.members};
    return query_read_members(arena, schema, &object, ret_record);
}
