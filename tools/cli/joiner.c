// joiner.c - keeps the epoch and seq of each joined scene and reads its state from the server.
#include "tools/cli/joiner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/feed/event.h"
#include "tools/cli/event_client.h"
#include "tools/cli/json_value.h"
#include "tools/cli/request_text.h"
#include "tools/cli/stop.h"

enum { PATIENCE_MS = 10000, PAUSE_US = 200000 };

struct joined {
    const char *key;
    uint64_t epoch;
    uint64_t seq;
    bool is_known;
    bool is_there; // else only its creation counts
};

struct joiner {
    http_client_t *http;
    struct buffer path;
    struct first_event state; // that was read last
    size_t count;
    struct joined scenes[OPTION_TEXTS_MAX];
};

joiner_t *
joiner_create(http_client_t *http, const struct option_texts *scenes)
{
    joiner_t *self = memory_take_zeroed(sizeof *self);
    self->http = http;
    self->count = scenes->count;
    for (size_t i = 0; i < scenes->count; i++)
        self->scenes[i].key = scenes->items[i];
    return self;
}

void
joiner_destroy(joiner_t **self)
{
    if (!*self)
        return;
    buffer_finish(&(*self)->path);
    first_event_finish(&(*self)->state);
    free(*self);
    *self = NULL;
}

static struct joined *
find(joiner_t *self, const char *scene)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->scenes[i].key, scene) == 0)
            return &self->scenes[i];
    return NULL;
}

enum joining
joiner_note(joiner_t *self, const char *scene, uint64_t epoch, uint64_t seq, uint64_t msg_type)
{
    struct joined *joined = find(self, scene);
    if (!joined || !joined->is_known)
        return JOINING_OLD;
    if (!joined->is_there && msg_type != EVENT_SCENE_CREATED)
        return JOINING_OLD;
    if (joined->is_there &&
        (epoch < joined->epoch || (epoch == joined->epoch && seq <= joined->seq)))
        return JOINING_OLD;
    if (joined->is_there && (epoch > joined->epoch || seq > joined->seq + 1))
        return JOINING_BEHIND;
    joined->epoch = epoch;
    joined->seq = seq;
    joined->is_there = msg_type != EVENT_SCENE_DELETED;
    return JOINING_NEXT;
}

// Asks for the state. Tries again while the server starts.
static fallible
ask(joiner_t *self, const char *scene)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    enum error error;
    request_scene_path(&self->path, scene, "events", NULL);
    while ((error = event_client_first(self->http, &self->path, &self->state)) == ERR_UNAVAILABLE)
        if (clock_left_ms(deadline_ms) == 0 || stop_wait_until(clock_now_us() + PAUSE_US))
            break;
    return error;
}

static void
put_line(const struct joined *joined, bool is_short, const struct buffer *data, struct buffer *out)
{
    if (is_short) {
        buffer_put_format(out, "%s %" PRIu64 " snapshot -\n", joined->key, joined->seq);
        return;
    }
    buffer_put_chars(out, "{\"topic\":\"snapshot\",");
    if (joined->is_there) {
        buffer_put(out, data->data + 1, data->size - 1); // without its brace
    } else {
        buffer_put_chars(out, "\"scene\":");
        json_value_put_chars(out, joined->key);
        buffer_put_chars(out, ",\"epoch\":0,\"seq\":0,\"objects\":[],\"properties\":[]}");
    }
    buffer_put_char(out, '\n');
}

static fallible
read_one(joiner_t *self, struct joined *joined, bool is_short, struct buffer *out)
{
    struct joined now = {.key = joined->key, .is_known = true, .is_there = true};
    enum error error = ask(self, joined->key);
    if (error == ERR_NOT_FOUND) {
        now.is_there = false;
    } else {
        TRY(error);
        const char *id = self->state.id.data;
        if (sscanf(id, "%" SCNu64 "-%" SCNu64, &now.epoch, &now.seq) != 2)
            return fail(ERR_MALFORMED, "", "the state of %.80s has the id %.40s", now.key, id);
    }
    bool is_same = joined->is_known && joined->is_there == now.is_there &&
                   joined->epoch == now.epoch && joined->seq == now.seq;
    *joined = now;
    if (!is_same)
        put_line(joined, is_short, &self->state.lines, out);
    return OK;
}

fallible
joiner_read(joiner_t *self, const char *scene, bool is_short, struct buffer *out)
{
    for (size_t i = 0; i < self->count; i++)
        if (!scene || strcmp(self->scenes[i].key, scene) == 0)
            TRY(read_one(self, &self->scenes[i], is_short, out));
    return OK;
}
