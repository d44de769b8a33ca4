// auth.c - bearer tokens of operators. Pure.
#include "gateway/auth.h"

#include <sodium.h>
#include <strings.h>

// The token of `Authorization: Bearer TOKEN`, or NULL.
static const char *
bearer_of(const struct http_request *request)
{
    static const char scheme[] = "Bearer ";
    const char *value = http_header(request, "Authorization");
    if (!value || strncasecmp(value, scheme, sizeof scheme - 1) != 0)
        return NULL;
    value += sizeof scheme - 1;
    return value + strspn(value, " ");
}

// In the same time wherever they differ, and whatever their sizes are.
static bool
is_same_secret(const char *one, const char *other)
{
    unsigned char hashes[2][crypto_generichash_BYTES];
    crypto_generichash(hashes[0], sizeof hashes[0], (const unsigned char *)one, strlen(one), NULL,
                       0);
    crypto_generichash(hashes[1], sizeof hashes[1], (const unsigned char *)other, strlen(other),
                       NULL, 0);
    return sodium_memcmp(hashes[0], hashes[1], sizeof hashes[0]) == 0;
}

fallible
auth_check_operator(const struct http_request *request, const struct caller *caller,
                    const char *token)
{
    if (caller->loopback)
        return OK;
    if (!token || !*token)
        return fail(ERR_FORBIDDEN, "", "only from this machine, unless metrics.token is set");
    const char *bearer = bearer_of(request);
    if (!bearer || !is_same_secret(bearer, token))
        return fail(ERR_UNAUTHENTICATED, "", "the bearer token is missing or wrong");
    return OK;
}
