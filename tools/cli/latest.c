// latest.c - a table of states by object key.
#include "tools/cli/latest.h"

#include <czmq.h>
#include <errno.h>
#include <string.h>

#include "proto/base/buffer.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/feed/event.h"
#include "tools/cli/json_value.h"

struct state {
    double transform[16];
    uint64_t seq;
    bool deleted;
};

struct latest {
    zhashx_t *objects; // key: struct state
};

static void
state_destroy(void **self)
{
    free(*self);
    *self = NULL;
}

latest_t *
latest_create(void)
{
    latest_t *self = memory_take_zeroed(sizeof *self);
    self->objects = zhashx_new();
    zhashx_set_destructor(self->objects, state_destroy);
    return self;
}

void
latest_destroy(latest_t **self)
{
    if (!*self)
        return;
    zhashx_destroy(&(*self)->objects);
    free(*self);
    *self = NULL;
}

void
latest_note(latest_t *self, const struct json *change, uint64_t seq)
{
    double transform[16] = {0};
    const char *key = json_value_chars(change, "key", NULL);
    bool deleted = json_value_unsigned(change, "msg_type", 0) == EVENT_OBJECT_DELETED;
    if (!key || (!json_value_numbers(change, "transform", 16, transform) && !deleted))
        return;
    struct state *state = zhashx_lookup(self->objects, key);
    if (!state) {
        state = memory_take_zeroed(sizeof *state);
        zhashx_insert(self->objects, key, state);
    }
    memcpy(state->transform, transform, sizeof transform);
    state->seq = seq;
    state->deleted = deleted;
}

size_t
latest_count(const latest_t *self)
{
    return zhashx_size(self->objects);
}

static void
put_state(struct buffer *out, const char *key, const struct state *state)
{
    buffer_put_chars(out, out->size > 1 ? ",\n" : "\n");
    json_value_put_chars(out, key);
    buffer_put_chars(out, ":{\"transform\":");
    json_value_put_matrix(out, state->transform);
    buffer_put_format(out, ",\"seq\":%llu}", (unsigned long long)state->seq);
}

static int
compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void
put_states(struct buffer *out, const latest_t *self)
{
    owned(zlistx_destroy) zlistx_t *keys = zhashx_keys(self->objects);
    zlistx_set_comparator(keys, compare_keys);
    zlistx_sort(keys);
    buffer_put_char(out, '{');
    for (const char *key = zlistx_first(keys); key; key = zlistx_next(keys)) {
        const struct state *state = zhashx_lookup(self->objects, key);
        if (!state->deleted)
            put_state(out, key, state);
    }
    buffer_put_chars(out, "\n}\n");
}

fallible
latest_write(const latest_t *self, const char *path)
{
    owned(buffer_finish) struct buffer out = {0};
    put_states(&out, self);
    FILE *file = fopen(path, "w");
    if (!file)
        return fail(ERR_UNAVAILABLE, "", "%s: %s", path, strerror(errno));
    fwrite(out.data, 1, out.size, file);
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    if (failed)
        return fail(ERR_UNAVAILABLE, "", "%s: %s", path, strerror(errno));
    return OK;
}
