// auth.c - tokens, roles, and the part of the access table that the route alone decides. Pure.
#include "gateway/request/auth.h"

#include <sodium.h>
#include <strings.h>

#include "proto/base/chars.h"

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

// Compares two secrets in a time that depends neither on where they differ nor on their sizes.
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

// Copies the token of the cookie `access_token`; false if it is absent or cannot be a token of
// ours.
static bool
cookie_of(const struct http_request *request, char ret_token[SESSION_TOKEN_SIZE])
{
    static const char name[] = "access_token=";
    for (unsigned i = 0; i < request->header_count; i++) {
        if (strcasecmp(request->headers[i].name, "Cookie") != 0)
            continue;
        for (const char *at = request->headers[i].value; *at;) {
            at += strspn(at, "; ");
            size_t size = strcspn(at, "; ");
            if (size == sizeof name - 1 + SESSION_TOKEN_SIZE - 1 &&
                strncmp(at, name, sizeof name - 1) == 0) {
                chars_copy(ret_token, SESSION_TOKEN_SIZE, at + sizeof name - 1);
                return true;
            }
            at += size;
        }
    }
    return false;
}

static void
become(const struct session *session, bool enabled, struct caller *caller)
{
    chars_copy(caller->user, sizeof caller->user, session->user);
    chars_copy(caller->session, sizeof caller->session, session->id);
    caller->revocations = session->revocations;
    if (enabled)
        caller->role = session->is_admin ? CALLER_ADMIN : CALLER_USER;
}

void
auth_token_take(const struct http_request *request, struct auth_token *ret_token)
{
    const char *bearer = bearer_of(request);
    *ret_token = (struct auth_token){.by_cookie = !bearer};
    if (bearer && strlen(bearer) < sizeof ret_token->chars)
        chars_copy(ret_token->chars, sizeof ret_token->chars, bearer);
    else if (!bearer)
        ret_token->by_cookie = cookie_of(request, ret_token->chars);
}

bool
auth_token_identify(const struct auth_token *self, const struct auth_rules *rules,
                    uint64_t calendar_us, struct caller *caller)
{
    struct session session;
    caller->role = rules->enabled ? CALLER_ANONYMOUS : CALLER_TRUSTED;
    if (!self->chars[0] || !rules->sessions ||
        !sessions_find(rules->sessions, self->chars, calendar_us, &session))
        return false;
    become(&session, rules->enabled, caller);
    return true;
}

void
auth_identify(const struct auth_rules *rules, const struct http_request *request,
              uint64_t calendar_us, struct caller *caller, bool *ret_by_cookie)
{
    struct auth_token token;
    auth_token_take(request, &token);
    *ret_by_cookie = auth_token_identify(&token, rules, calendar_us, caller) && token.by_cookie;
}

static bool
is_above(const struct caller *caller)
{
    return caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN;
}

fallible
auth_check(const struct route *route, const struct caller *caller, const struct text *user)
{
    enum access access = route_access(route);
    if (access == ACCESS_OPERATOR && caller->role == CALLER_TRUSTED && !caller->loopback)
        return fail(ERR_FORBIDDEN, "", "only from this machine, or for administrators");
    if (access == ACCESS_OPEN || is_above(caller))
        return OK;
    if (caller->role == CALLER_ANONYMOUS)
        return fail(ERR_UNAUTHENTICATED, "", "log in first: the token is missing, wrong or ended");
    switch (access) {
    case ACCESS_ADMIN:
    case ACCESS_OPERATOR:
        return fail(ERR_FORBIDDEN, "", "this is for administrators");
    case ACCESS_SELF:
        if (!user || !text_is(user, caller->user))
            return fail(ERR_FORBIDDEN, "", "this is for that user and for administrators");
        return OK;
    case ACCESS_INTERNAL:
        return fail(ERR_FORBIDDEN, "", "this is for nobody");
    default:
        return OK;
    }
}

fallible
auth_check_operator(const struct auth_rules *rules, const struct http_request *request,
                    const struct caller *caller)
{
    const char *token = rules->metrics_token;
    bool has_token = token && *token;
    if (caller->loopback || caller->role == CALLER_ADMIN)
        return OK;
    if (!has_token && (!rules->enabled || caller->role == CALLER_USER))
        return fail(ERR_FORBIDDEN, "", "only from this machine, unless metrics.token is set");
    const char *bearer = bearer_of(request);
    if (!has_token || !bearer || !is_same_secret(bearer, token))
        return fail(ERR_UNAUTHENTICATED, "", "the bearer token is missing or wrong");
    return OK;
}
