// idempotency.c - Idempotency-Key from the header, and the print of path and body. Pure.
#include "gateway/request/idempotency.h"

#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/token.h"
#include "proto/message/partition.h"

enum { PRINT_BYTES = 32 };

static bool
is_key(const char *key)
{
    size_t size = strlen(key);
    for (size_t i = 0; i < size; i++)
        if (key[i] < ' ' || key[i] > '~')
            return false;
    return size > 0 && size <= LIMIT_IDEMPOTENCY_KEY_BYTES;
}

static const struct text *
print_of(const struct http_request *request, const void *body, size_t size, struct arena *arena)
{
    char print[PRINT_BYTES];
    const struct token_part parts[] = {
        {request->path, strlen(request->path)},
        {request->query, strlen(request->query)},
        {size ? body : "", size},
    };
    token_digest_parts(parts, sizeof parts / sizeof parts[0], print, sizeof print);
    return text_new(arena, print, sizeof print);
}

// The key and, behind a NUL, which no key has, what it belongs to.
static const struct text *
key_within(struct arena *arena, const char *key, size_t size, const char *place, size_t place_size)
{
    char *name = arena_alloc(arena, size + 1 + place_size);
    memcpy(name, key, size);
    name[size] = '\0';
    memcpy(name + size + 1, place, place_size);
    return text_new(arena, name, size + 1 + place_size);
}

static const char *
header_of(const struct http_request *request, const struct route *route)
{
    return route->keeps_answer ? http_header(request, "Idempotency-Key") : NULL;
}

bool
idempotency_is_asked(const struct http_request *request, const struct route *route)
{
    return header_of(request, route) != NULL;
}

fallible
idempotency_take(const struct http_request *request, const struct route *route, const void *body,
                 size_t size, struct message *message)
{
    const char *key = header_of(request, route);
    struct arena *arena = &message->arena;
    if (!key)
        return OK;
    if (!is_key(key) || http_header_count(request, "Idempotency-Key") > 1)
        return fail(ERR_INVALID, "", "Idempotency-Key must be 1 to %d printable ASCII characters",
                    LIMIT_IDEMPOTENCY_KEY_BYTES);
    // What is in a scene has its keys there.
    const struct text *scene = message->params->scene;
    record_set_text(&message->params->base, PARAMS_REPEAT_KEY,
                    key_within(arena, key, strlen(key), text_bytes(scene), text_size(scene)));
    record_set_text(&message->params->base, PARAMS_REPEAT_PRINT,
                    print_of(request, body, size, arena));
    return OK;
}

const struct text *
idempotency_part(struct arena *arena, const unsigned char *seed, uint32_t index)
{
    char part[KEY_SEED_SIZE];
    const struct token_part parts[] = {{seed, KEY_SEED_SIZE}, {&index, sizeof index}};
    token_digest_parts(parts, sizeof parts / sizeof parts[0], part, sizeof part);
    return text_new(arena, part, sizeof part);
}
