// key_check.c - the rule of client-given keys. Pure; any thread.
#include "proto/record/key_check.h"

#include "proto/base/limits.h"

static const char *
check_characters(const char *data, size_t size)
{
    for (size_t at = 0, step; at < size; at += step) {
        step = utf8_sequence(data + at, size - at);
        if (step == 0)
            return "must be UTF-8";
        if (utf8_is_control(data + at, step))
            return "must not have control characters";
        if (data[at] == '/')
            return "must not have a /";
    }
    return NULL;
}

const char *
key_check(const struct text *key)
{
    size_t size = text_size(key);
    if (size == 0)
        return "must not be empty";
    if (size > LIMIT_KEY_BYTES)
        return "must have at most 128 bytes";
    if (text_is(key, "query") || text_is(key, "cache"))
        return "must not be one of the reserved words query and cache";
    if (text_is(key, ".") || text_is(key, ".."))
        return "must not be . or .., which mean another place in a path";
    return check_characters(text_bytes(key), text_size(key));
}
