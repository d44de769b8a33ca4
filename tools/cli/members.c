// members.c - splits at the first `=`; json_parse decides what is JSON.
#include "tools/cli/members.h"

#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/http_client.h"
#include "tools/cli/json_value.h"

static bool
is_called(const char *member, const char *name, size_t size)
{
    return strcspn(member, "=") == size && memcmp(member, name, size) == 0;
}

static bool
find(const struct option_texts *members, size_t count, const char *name, size_t size)
{
    for (size_t i = 0; i < count; i++)
        if (is_called(members->items[i], name, size))
            return true;
    return false;
}

fallible
members_check(const struct option_texts *members)
{
    for (size_t i = 0; i < members->count; i++) {
        const char *member = members->items[i];
        size_t size = strcspn(member, "=");
        if (size == 0 || !member[size])
            return fail(ERR_INVALID, "", "%s: must be NAME=VALUE", member);
        if (find(members, i, member, size))
            return fail(ERR_INVALID, "", "%.*s: given twice", (int)size, member);
    }
    return OK;
}

bool
members_have(const struct option_texts *members, const char *name)
{
    return find(members, members->count, name, strlen(name));
}

// Begins a member: a comma if another one stands before it, and its name.
static void
put_name(struct buffer *out, const char *name, size_t size)
{
    if (out->data[out->size - 1] != '{')
        buffer_put_char(out, ',');
    json_put_text(out, name, size);
    buffer_put_char(out, ':');
}

static void
put_value(struct buffer *out, const char *value)
{
    owned(arena_finish) struct arena arena = {0};
    const struct json *parsed;
    if (json_parse(&arena, value, strlen(value), &parsed) == OK)
        json_value_put(out, parsed);
    else
        json_value_put_chars(out, value);
}

void
members_put_record(struct buffer *out, const struct json *base, const struct option_texts *members,
                   const char *password)
{
    buffer_put_char(out, '{');
    for (uint32_t i = 0; base && i < base->count; i++) {
        const struct text *name = base->members[i].name;
        bool is_replaced = find(members, members->count, text_bytes(name), text_size(name)) ||
                           (password && text_is(name, "password"));
        if (is_replaced)
            continue;
        put_name(out, text_bytes(name), text_size(name));
        json_value_put(out, &base->members[i].value);
    }
    for (size_t i = 0; i < members->count; i++) {
        size_t size = strcspn(members->items[i], "=");
        put_name(out, members->items[i], size);
        put_value(out, members->items[i] + size + 1);
    }
    if (password) {
        put_name(out, "password", strlen("password"));
        json_value_put_chars(out, password);
    }
    buffer_put_char(out, '}');
}

void
members_put_parameter(struct buffer *out, const char *name, size_t name_size, const char *value)
{
    owned(buffer_finish) struct buffer chars = {0};
    bool is_first = !memchr(out->data, '?', out->size);
    buffer_put(&chars, name, name_size);
    buffer_put_char(&chars, '\0');
    buffer_put_char(out, is_first ? '?' : '&');
    http_client_escape(out, chars.data);
    buffer_put_char(out, '=');
    http_client_escape(out, value);
}

void
members_put_query(struct buffer *out, const struct option_texts *members)
{
    for (size_t i = 0; i < members->count; i++) {
        size_t size = strcspn(members->items[i], "=");
        members_put_parameter(out, members->items[i], size, members->items[i] + size + 1);
    }
}
