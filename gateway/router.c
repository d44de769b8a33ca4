// router.c - finds the row of a request. Any thread; the table is cut once, when it is first used.
// Cuts the path and decodes each segment once, before it compares anything: an encoded slash stays
// inside its segment, and an encoded literal is still the literal.
#include "gateway/router.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "gateway/http/percent.h"
#include "gateway/routes.h"

enum {
    SEGMENTS_MAX = 16,
    PATTERN_SEGMENTS_MAX = 9,
    PATTERNS_MAX = 320,
};

// A segment of a pattern, within its text.
struct place {
    uint8_t at, size;
    uint8_t literal; // bytes before the parameter, if there is one; else all
};

// The rows of one path.
struct pattern {
    const struct route *rows;
    uint8_t row_count;
    uint8_t count; // of its segments
    bool has_star; // the last one
    struct place places[PATTERN_SEGMENTS_MAX];
};

// Those that paths of one count of segments may fit, in the order of the table.
struct candidates {
    unsigned count;
    uint16_t items[PATTERNS_MAX];
};

static pthread_once_t patterns_made = PTHREAD_ONCE_INIT;
static struct pattern patterns[PATTERNS_MAX];
static unsigned patterns_count;
static struct candidates by_count[SEGMENTS_MAX + 1];

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
segment_fits(const struct pattern *pattern, unsigned index, const struct text *segment)
{
    const struct place *place = &pattern->places[index];
    bool has_param = place->literal < place->size;
    size_t size = text_size(segment);
    bool is_long_enough =
        has_param ? place->literal == 0 || size > place->literal : size == place->size;
    return is_long_enough &&
           memcmp(segment->data, pattern->rows->path + place->at, place->literal) == 0;
}

// Whether the pattern has the segments of the path, which are as many; a parameter stands for any
// text, a star at the end for any segments that follow.
static bool
pattern_fits(const struct pattern *pattern, const struct path *path)
{
    unsigned count = pattern->count - pattern->has_star;
    for (unsigned i = 0; i < count; i++)
        if (!segment_fits(pattern, i, path->segments[i]))
            return false;
    return true;
}

static void
pattern_cut(struct pattern *self)
{
    const char *path = self->rows->path;
    for (const char *at = path; *at == '/' && at[1] != '\0';) {
        size_t size = strcspn(++at, "/");
        const char *brace = memchr(at, '{', size);
        assert(self->count < PATTERN_SEGMENTS_MAX);
        self->has_star = *at == '*';
        self->places[self->count++] = (struct place){
            (uint8_t)(at - path), (uint8_t)size, (uint8_t)(brace ? (size_t)(brace - at) : size)};
        at += size;
    }
}

// Rows of one path stand together; the first pattern that fits wins.
static void
patterns_make(void)
{
    for (size_t i = 0; i < routes_count;) {
        assert(patterns_count < PATTERNS_MAX);
        struct pattern *pattern = &patterns[patterns_count];
        *pattern = (struct pattern){.rows = &routes[i]};
        for (; i < routes_count && strcmp(routes[i].path, pattern->rows->path) == 0; i++)
            pattern->row_count++;
        pattern_cut(pattern);
        unsigned most = pattern->has_star ? SEGMENTS_MAX : pattern->count;
        for (unsigned count = pattern->count; count <= most; count++)
            by_count[count].items[by_count[count].count++] = (uint16_t)patterns_count;
        patterns_count++;
    }
}

static const struct pattern *
pattern_find(const struct path *path)
{
    const struct candidates *candidates = &by_count[path->count];
    for (unsigned i = 0; i < candidates->count; i++)
        if (pattern_fits(&patterns[candidates->items[i]], path))
            return &patterns[candidates->items[i]];
    return NULL;
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
    pthread_once(&patterns_made, patterns_make);
    const struct pattern *pattern = pattern_find(&path);
    if (!pattern)
        return no_such_path();
    *ret_match = (struct route_match){.rows = pattern->rows, .row_count = pattern->row_count};
    match_fill(arena, pattern->rows->path, &path, ret_match);
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
