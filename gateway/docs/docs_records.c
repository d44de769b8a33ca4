// docs_records.c - the tables of records in the page that describes the interface. Pure.
#include "gateway/docs/docs_records.h"

#include <stdlib.h>

#include "gateway/docs/html.h"
#include "gateway/docs/shapes.h"
#include "proto/base/limits.h"
#include "proto/codec/record_openapi.h"

void
docs_records_put_link(const struct schema *schema, const struct view *view, struct buffer *out)
{
    struct buffer name = {0};
    openapi_put_name(schema, view, &name);
    buffer_put_char(&name, '\0');
    html_put_link(out, name.data, name.data);
    buffer_finish(&name);
}

static void
put_limits(const struct field *field, struct buffer *out)
{
    bool is_key = (field->flags & FIELD_KEY) != 0;
    if (field->type == FIELD_TEXT)
        buffer_put_format(out, ", at most %u bytes", is_key ? LIMIT_KEY_BYTES : field_limit(field));
    if (field->type == FIELD_TEXTS || field->type == FIELD_RECORDS)
        buffer_put_format(out, ", at most %u", field_limit(field));
    if (field->minimum != 0 || field->maximum != 0)
        buffer_put_format(out, ", %.17g to %.17g", field->minimum, field->maximum);
}

static void
put_link_inside(const struct field *field, const struct view *view, struct buffer *out)
{
    struct view inside;
    openapi_inside(view, field, &inside);
    docs_records_put_link(field->of, view ? &inside : NULL, out);
}

static const char *
word_of(const struct field *field, const char *word)
{
    if (field->flags & FIELD_MAP)
        return "texts by key";
    return field->flags & FIELD_JSON ? "any JSON" : word;
}

void
docs_records_put_type(const struct field *field, const struct view *view, struct buffer *out)
{
    static const char *const words[] = {
        [FIELD_TEXT] = "text",     [FIELD_BOOL] = "true or false", [FIELD_INTEGER] = "integer",
        [FIELD_NUMBER] = "number", [FIELD_NUMBERS] = "numbers",    [FIELD_TEXTS] = "list of texts",
        [FIELD_RECORD] = "",       [FIELD_RECORDS] = "list of ",
    };
    if (field->type == FIELD_NUMBERS)
        buffer_put_format(out, "%u ", field->capacity);
    buffer_put_chars(out, word_of(field, words[field->type]));
    if (field->of && !(field->flags & FIELD_MAP))
        put_link_inside(field, view, out);
    if (field->flags & FIELD_SCALAR_ITEMS)
        buffer_put_chars(out, " or numbers");
    if (!view)
        put_limits(field, out);
    if (field->unit) {
        buffer_put_chars(out, ", ");
        html_put_text(out, field->unit);
    }
}

static void
put_member(const struct field *field, const struct view *view, struct buffer *out)
{
    buffer_put_chars(out, "<tr><td>");
    html_put(out, "code", NULL, field->name);
    if (field->alias && (!view || view->aliases)) {
        buffer_put_chars(out, view ? " and " : " or ");
        html_put(out, "code", NULL, field->alias);
    }
    buffer_put_chars(out, "<td>");
    docs_records_put_type(field, view, out);
    if (view && (field->flags & FIELD_OPTIONAL) && !(view->always & FIELD_BIT(field->id)))
        buffer_put_chars(out, ", where present");
    if (field->otherwise)
        buffer_put_format(out, ", otherwise %s", field->otherwise);
    if (!view && (field->flags & FIELD_FILTER))
        buffer_put_chars(out, ", filters");
    html_put(out, "td", NULL, field->about);
}

static void
put_shape(const struct shape *shape, struct buffer *out)
{
    const struct view *view = shape->is_request ? NULL : &shape->view;
    buffer_put_chars(out, "<article id=\"");
    openapi_put_name(shape->schema, view, out);
    buffer_put_chars(out, "\"><h3>");
    openapi_put_name(shape->schema, view, out);
    buffer_put_chars(out, "</h3><table><tr><th>Member<th>Value<th>Meaning");
    for (uint32_t i = 0; i < shape->schema->count; i++)
        if (openapi_has(view, &shape->schema->fields[i]))
            put_member(&shape->schema->fields[i], view, out);
    buffer_put_chars(out, "</table></article>\n");
}

void
docs_records_put(const struct route_table *routes, struct buffer *out)
{
    struct shapes *shapes = shapes_collect(routes);
    buffer_put_chars(out, "<section id=\"records\"><h2>Records</h2><p class=\"lead\">What requests "
                          "bring, and what answers show.</p>");
    for (unsigned i = 0; i < shapes->count; i++)
        put_shape(&shapes->items[i], out);
    buffer_put_chars(out, "</section>\n");
    free(shapes);
}
