// record_openapi.c - field tables as JSON Schema. Pure; any thread. A request may leave out any
// member or give null; an answer has every member of its view, except optional ones. Limits apply
// to requests: an answer shows zeros where a member is absent.
#include "proto/codec/record_openapi.h"

#include <ctype.h>

#include "proto/base/limits.h"
#include "proto/codec/json_write.h"
#include "proto/record/view.h"

// A key has no control characters and no slash (key_check.h).
#define KEY_PATTERN "^[^/\\u0000-\\u001f\\u007f]*$"

#define COMPONENTS "#/components/schemas/"

enum { REQUEST_NEVER = FIELD_DERIVED | FIELD_HIDDEN };

bool
openapi_has(const struct view *view, const struct field *field)
{
    return view ? view_may_show(view, field) : !(field->flags & REQUEST_NEVER);
}

static bool
is_same_name(const struct field *a, const struct field *b)
{
    return strcmp(a->name, b->name) == 0;
}

bool
openapi_is_first(const struct schema *schema, const struct field *field)
{
    for (const struct field *other = schema->fields; other < field; other++)
        if (is_same_name(other, field))
            return false;
    return true;
}

bool
openapi_inside(const struct view *view, const struct field *field, struct view *ret_inside)
{
    if (!field->of)
        return false;
    *ret_inside = view_inside(view);
    ret_inside->of = field->of;
    ret_inside->name = ret_inside->with_private ? "private" : ret_inside->aliases ? "aliased" : "";
    return true;
}

// "udp_state" becomes "UdpState".
static void
put_pascal(struct buffer *out, const char *name)
{
    bool is_start = true;
    for (; *name; name++) {
        if (isalnum((unsigned char)*name))
            buffer_put_char(out, (char)(is_start ? toupper((unsigned char)*name) : *name));
        is_start = !isalnum((unsigned char)*name);
    }
}

void
openapi_put_name(const struct schema *schema, const struct view *view, struct buffer *out)
{
    put_pascal(out, schema->name);
    put_pascal(out, view ? view->name : "request");
}

void
openapi_put_reference(const struct schema *schema, const struct view *view, const char *name,
                      struct buffer *out)
{
    json_write_begin(out, name, '{');
    json_write_text_begin(out, "$ref");
    buffer_put_chars(out, COMPONENTS);
    openapi_put_name(schema, view, out);
    json_write_text_end(out);
    json_write_end(out, '}');
}

// The JSON type, which in a request may be null as well.
static void
put_type(const struct openapi_form *form, const char *type, struct buffer *out)
{
    if (!form->has_null) {
        json_write_text(out, "type", type);
        return;
    }
    json_write_begin(out, "type", '[');
    json_write_text(out, NULL, type);
    json_write_text(out, NULL, "null");
    json_write_end(out, ']');
}

static void
put_text(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    if (field->flags & FIELD_JSON)
        return; // any type
    put_type(form, "string", out);
    if (!form->has_limits)
        return;
    json_write_number(out, "maxLength",
                      (field->flags & FIELD_KEY) ? LIMIT_KEY_BYTES : field_limit(field));
    if (field->flags & FIELD_KEY)
        json_write_text(out, "pattern", KEY_PATTERN);
    if (field->flags & FIELD_SECRET)
        json_write_text(out, "format", "password");
}

static void
put_number(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    bool is_integer = field->type == FIELD_INTEGER;
    put_type(form, is_integer ? "integer" : "number", out);
    json_write_text(out, "format", is_integer ? "int64" : "double");
    if (!form->has_limits || (field->minimum == 0 && field->maximum == 0))
        return;
    json_write_number(out, "minimum", field->minimum);
    json_write_number(out, "maximum", field->maximum);
}

// The count of numbers is a property of the type, not a limit that only requests have.
static void
put_numbers(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    put_type(form, "array", out);
    json_write_begin(out, "items", '{');
    json_write_text(out, "type", "number");
    json_write_text(out, "format", "double");
    json_write_end(out, '}');
    json_write_number(out, "minItems", field->capacity);
    json_write_number(out, "maxItems", field->capacity);
}

static void
put_texts(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    put_type(form, "array", out);
    json_write_begin(out, "items", '{');
    json_write_text(out, "type", "string");
    if (form->has_limits)
        json_write_number(out, "maxLength", LIMIT_TEXT_BYTES);
    json_write_end(out, '}');
    if (form->has_limits)
        json_write_number(out, "maxItems", field_limit(field));
}

// Appends the name of the field's own records.
static void
put_name_inside(const struct field *field, const struct view *view, struct buffer *out)
{
    struct view inside;
    openapi_inside(view, field, &inside);
    openapi_put_name(field->of, view ? &inside : NULL, out);
}

static void
put_reference_inside(const struct field *field, const struct openapi_form *form, const char *name,
                     struct buffer *out)
{
    struct view inside;
    openapi_inside(form->view, field, &inside);
    openapi_put_reference(field->of, form->view ? &inside : NULL, name, out);
}

static void
put_record(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    if (!form->has_null) {
        json_write_text_begin(out, "$ref");
        buffer_put_chars(out, COMPONENTS);
        put_name_inside(field, form->view, out);
        json_write_text_end(out);
        return;
    }
    json_write_begin(out, "anyOf", '[');
    put_reference_inside(field, form, NULL, out);
    json_write_begin(out, NULL, '{');
    json_write_text(out, "type", "null");
    json_write_end(out, '}');
    json_write_end(out, ']');
}

static void put_value(const struct field *field, const struct openapi_form *form,
                      struct buffer *out);

// The name of a member is the first field of its record, the value the second.
static void
put_map(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    put_type(form, "object", out);
    if (form->has_limits)
        json_write_number(out, "maxProperties", field_limit(field));
    json_write_begin(out, "additionalProperties", '{');
    put_value(&field->of->fields[1], form, out);
    json_write_end(out, '}');
}

// An item is a record, or a plain number if the table says so.
static void
put_records(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    if (field->flags & FIELD_MAP) {
        put_map(field, form, out);
        return;
    }
    put_type(form, "array", out);
    if (form->has_limits)
        json_write_number(out, "maxItems", field_limit(field));
    if (!(field->flags & FIELD_SCALAR_ITEMS)) {
        put_reference_inside(field, form, "items", out);
        return;
    }
    json_write_begin(out, "items", '{');
    json_write_begin(out, "oneOf", '[');
    json_write_begin(out, NULL, '{');
    json_write_text(out, "type", "number");
    json_write_text(out, "format", "double");
    json_write_end(out, '}');
    put_reference_inside(field, form, NULL, out);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_value(const struct field *field, const struct openapi_form *form, struct buffer *out)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        put_text(field, form, out);
        break;
    case FIELD_BOOL:
        put_type(form, "boolean", out);
        break;
    case FIELD_INTEGER:
    case FIELD_NUMBER:
        put_number(field, form, out);
        break;
    case FIELD_NUMBERS:
        put_numbers(field, form, out);
        break;
    case FIELD_TEXTS:
        put_texts(field, form, out);
        break;
    case FIELD_RECORD:
        put_record(field, form, out);
        break;
    case FIELD_RECORDS:
        put_records(field, form, out);
        break;
    }
}

// What stands for an absent member, as JSON already.
static void
put_default(const struct field *field, struct buffer *out)
{
    if (!field->otherwise)
        return;
    json_write_value_begin(out, "default");
    buffer_put_chars(out, field->otherwise);
}

void
openapi_put_field(const struct field *field, const struct openapi_form *form, const char *name,
                  struct buffer *out)
{
    json_write_begin(out, name, '{');
    put_value(field, form, out);
    json_write_text(out, "description", field->about);
    put_default(field, out);
    if (field->unit)
        json_write_text(out, "x-unit", field->unit);
    json_write_end(out, '}');
}

// All rows of one name: one schema, or one of several.
static void
put_member(const struct schema *schema, const struct field *first, const struct openapi_form *form,
           const char *name, struct buffer *out)
{
    const struct field *end = schema->fields + schema->count;
    unsigned rows = 0;
    for (const struct field *field = first; field < end; field++)
        rows += is_same_name(field, first);
    if (rows == 1) {
        openapi_put_field(first, form, name, out);
        return;
    }
    json_write_begin(out, name, '{');
    json_write_begin(out, "anyOf", '[');
    for (const struct field *field = first; field < end; field++)
        if (is_same_name(field, first))
            openapi_put_field(field, form, NULL, out);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_properties(const struct schema *schema, const struct view *view, struct buffer *out)
{
    const struct openapi_form form = {view, view == NULL, view == NULL};
    json_write_begin(out, "properties", '{');
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (!openapi_has(view, field) || !openapi_is_first(schema, field))
            continue;
        put_member(schema, field, &form, field->name, out);
        if (field->alias && (!view || view->aliases))
            put_member(schema, field, &form, field->alias, out);
    }
    json_write_end(out, '}');
}

static void
put_required(const struct schema *schema, const struct view *view, struct buffer *out)
{
    json_write_begin(out, "required", '[');
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        bool may_lack = (field->flags & FIELD_OPTIONAL) && !(view->always & FIELD_BIT(field->id));
        if (!openapi_has(view, field) || may_lack)
            continue;
        json_write_text(out, NULL, field->name);
        if (field->alias && view->aliases)
            json_write_text(out, NULL, field->alias);
    }
    json_write_end(out, ']');
}

void
openapi_put_record(const struct schema *schema, const struct view *view, struct buffer *out)
{
    struct buffer name = {0};
    openapi_put_name(schema, view, &name);
    buffer_put_char(&name, '\0');
    json_write_begin(out, name.data, '{');
    json_write_text(out, "type", "object");
    put_properties(schema, view, out);
    if (view)
        put_required(schema, view, out);
    json_write_end(out, '}');
    buffer_finish(&name);
}
