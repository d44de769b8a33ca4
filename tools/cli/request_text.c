// request_text.c - fills path and body of a row with the arguments.
#include "tools/cli/request_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/file_text.h"
#include "tools/cli/http_client.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"

void
request_scene_path(struct buffer *out, const char *scene, const char *noun, const char *key)
{
    buffer_clear(out);
    buffer_put_chars(out, "/v1/scene/");
    http_client_escape(out, scene);
    buffer_put_format(out, "/%s", noun);
    if (key) {
        buffer_put_char(out, '/');
        http_client_escape(out, key);
    }
}

static void
put_number(struct buffer *out, const char *name, int64_t number)
{
    char digits[24];
    if (number == 0)
        return;
    snprintf(digits, sizeof digits, "%" PRId64, number);
    members_put_parameter(out, name, strlen(name), digits);
}

void
request_put_path(struct buffer *out, const struct verb *verb, const struct request_values *values)
{
    size_t operand = 0;
    for (const char *at = verb->path; *at; at++) {
        if (*at != '{') {
            buffer_put_char(out, *at);
            continue;
        }
        http_client_escape(out, values->operands[operand++]);
        at = strchr(at, '}');
    }
    if (verb->paging) {
        put_number(out, verb->paging->limit, values->limit);
        put_number(out, verb->paging->start, values->start);
    }
    if (verb->takes_device && values->device[0])
        members_put_parameter(out, "device", strlen("device"), values->device);
    if (verb->takes_convention && values->convention && values->convention[0])
        members_put_parameter(out, "convention", strlen("convention"), values->convention);
    if (verb->takes_form && values->form && values->form[0])
        members_put_parameter(out, "form", strlen("form"), values->form);
    if (verb->input == INPUT_RECORD && !values->lenient)
        members_put_parameter(out, "strict", strlen("strict"), "true");
    if (verb->input == INPUT_QUERY)
        members_put_query(out, &values->members);
}

// Whether `base` is the whole body instead of a record: it has the member that wraps records.
static bool
is_whole_body(const struct verb *verb, const struct json *base)
{
    owned(buffer_finish) struct buffer wrapper = {0};
    if (!base || base->type != JSON_OBJECT || verb->body[0] != '{')
        return false;
    const char *name = verb->body + 2; // after {"
    buffer_put(&wrapper, name, strcspn(name, "\""));
    buffer_put_char(&wrapper, '\0');
    return json_find(base, wrapper.data) != NULL;
}

static fallible
put_records(struct buffer *out, const struct request_values *values, const struct json *base)
{
    bool is_many = base && base->type == JSON_ARRAY;
    size_t count = is_many ? base->count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct json *record = is_many ? &base->items[i] : base;
        if (record && record->type != JSON_OBJECT)
            return fail(ERR_INVALID, "", "%s: a record must be a JSON object", values->file);
        if (i)
            buffer_put_char(out, ',');
        members_put_record(out, record, &values->members, values->password);
    }
    return OK;
}

static fallible
put_filled(struct buffer *out, const struct verb *verb, const struct request_values *values,
           const struct json *base)
{
    const char *place = strchr(verb->body, '*');
    bool takes_many = place > verb->body && place[-1] == '[';
    if (base && base->type == JSON_ARRAY && !takes_many)
        return fail(ERR_INVALID, "", "%s: must be one record, not an array", values->file);
    buffer_put(out, verb->body, (size_t)(place - verb->body));
    TRY(put_records(out, values, base));
    buffer_put_chars(out, place + 1);
    return OK;
}

fallible
request_put_body(struct buffer *out, const struct verb *verb, const struct request_values *values)
{
    owned(arena_finish) struct arena arena = {0};
    owned(buffer_finish) struct buffer text = {0};
    const struct json *base = NULL;
    if (values->file[0]) {
        TRY(file_text_read(values->file, &text));
        if (json_parse(&arena, text.data, text.size, &base) != OK)
            return fail(ERR_INVALID, "", "%s: is not JSON", values->file);
    }
    if (!is_whole_body(verb, base))
        return put_filled(out, verb, values, base);
    if (values->members.count || values->password)
        return fail(ERR_INVALID, "", "%s: is a whole body, which takes no other members",
                    values->file);
    buffer_put(out, text.data, text.size);
    return OK;
}
