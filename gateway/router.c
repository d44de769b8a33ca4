// router.c - finds the row of a request. Pure.
// Cuts the path and decodes each segment once, before it compares anything: an encoded slash stays
// inside its segment, and an encoded literal is still the literal.
#include "gateway/router.h"

#include <stdio.h>

#include "gateway/http/percent.h"
#include "gateway/routes.h"

enum { SEGMENTS_MAX = 16 };

struct path {
    unsigned count;
    const struct text *segments[SEGMENTS_MAX];
};

static fallible
no_such_path(void)
{
    return fail(ERR_NOT_FOUND, "", "there is nothing at this path");
}

static fallible
path_cut(struct arena *arena, const char *chars, struct path *ret_path)
{
    if (*chars != '/')
        return no_such_path();
    while (*chars == '/' && chars[1] != '\0') {
        size_t size = strcspn(++chars, "/");
        if (size == 0 || ret_path->count == SEGMENTS_MAX)
            return no_such_path();
        const struct text **segment = &ret_path->segments[ret_path->count++];
        TRY(percent_decode(arena, chars, size, PERCENT_PATH, segment));
        chars += size;
    }
    return OK;
}

// Whether a segment is that of the pattern: the same text, or one that begins like it and has
// something in place of the parameter at its end.
static bool
segment_fits(const char *pattern, size_t size, const struct text *segment)
{
    const char *brace = memchr(pattern, '{', size);
    size_t literal = brace ? (size_t)(brace - pattern) : size;
    bool is_long_enough =
        brace ? literal == 0 || text_size(segment) > literal : text_size(segment) == size;
    return is_long_enough && memcmp(segment->data, pattern, literal) == 0;
}

// Whether `pattern` has the segments of the path; a parameter stands for any text, a star at the
// end for any segments that follow.
static bool
pattern_fits(const char *pattern, const struct path *path)
{
    for (unsigned i = 0; i < path->count; i++) {
        if (*pattern != '/')
            return false;
        size_t size = strcspn(++pattern, "/");
        if (*pattern == '*')
            return true;
        if (!segment_fits(pattern, size, path->segments[i]))
            return false;
        pattern += size;
    }
    return *pattern == '\0' || strcmp(pattern, "/") == 0;
}

static void
match_fill(struct arena *arena, const char *pattern, const struct path *path,
           struct route_match *match)
{
    for (unsigned i = 0; i < path->count && pattern[1] != '*'; i++) {
        size_t size = strcspn(++pattern, "/");
        const char *brace = memchr(pattern, '{', size);
        if (brace) {
            size_t literal = (size_t)(brace - pattern);
            const struct text *segment = path->segments[i];
            match->params[match->param_count].name = text_new(arena, brace + 1, size - literal - 2);
            match->params[match->param_count++].value =
                literal == 0
                    ? segment
                    : text_new(arena, text_bytes(segment) + literal, text_size(segment) - literal);
        }
        pattern += size;
    }
}

fallible
router_find(struct arena *arena, const char *chars, struct route_match *ret_match)
{
    struct path path = {0};
    TRY(path_cut(arena, chars, &path));
    size_t first = 0;
    while (first < routes_count && !pattern_fits(routes[first].path, &path))
        first++;
    if (first == routes_count)
        return no_such_path();
    size_t end = first + 1;
    while (end < routes_count && strcmp(routes[end].path, routes[first].path) == 0)
        end++;
    *ret_match = (struct route_match){.rows = &routes[first], .row_count = (unsigned)(end - first)};
    match_fill(arena, routes[first].path, &path, ret_match);
    return OK;
}

static const struct route *
row_of(const struct route_match *match, enum http_method method)
{
    for (unsigned i = 0; i < match->row_count; i++)
        if (match->rows[i].method == method)
            return &match->rows[i];
    return NULL;
}

fallible
router_pick(const struct route_match *match, enum http_method method,
            const struct route **ret_route)
{
    const struct route *route = row_of(match, method == HTTP_HEAD ? HTTP_GET : method);
    if (!route || (method == HTTP_HEAD && route->get_that_changes))
        return fail(ERR_METHOD, "", "this path does not take that method");
    *ret_route = route;
    return OK;
}

void
router_allow(const struct route_match *match, char *ret_allow)
{
    size_t size = 0;
    for (unsigned i = 0; i < match->row_count; i++) {
        const struct route *row = &match->rows[i];
        bool head = row->method == HTTP_GET && !row->get_that_changes;
        size += (size_t)snprintf(ret_allow + size, HTTP_ALLOW_SIZE - size, "%s%s, ",
                                 http_method_name(row->method), head ? ", HEAD" : "");
    }
    snprintf(ret_allow + size, HTTP_ALLOW_SIZE - size, "OPTIONS");
}
