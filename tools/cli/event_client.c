// event_client.c - cuts a stream of server-sent events after its first event.
#include "tools/cli/event_client.h"

#include <string.h>

enum { EVENT_BYTES = 1 << 30 };

void
first_event_finish(struct first_event *self)
{
    buffer_finish(&self->lines);
    buffer_finish(&self->id);
}

static bool
block_has_data(const char *block, size_t size)
{
    return size > 5 && (memcmp(block, "data:", 5) == 0 || memmem(block, size, "\ndata:", 6));
}

// Keeps the id, and of the lines only the data. Our server sends one line of data.
static void
read_block(struct first_event *self, size_t end)
{
    const char *at = self->lines.data + self->begun, *behind = self->lines.data + end;
    while (at < behind) {
        const char *stop = memchr(at, '\n', (size_t)(behind - at));
        size_t size = (size_t)((stop ? stop : behind) - at);
        if (size > 4 && memcmp(at, "id: ", 4) == 0)
            buffer_put(&self->id, at + 4, size - 4);
        if (size > 6 && memcmp(at, "data: ", 6) == 0) {
            memmove(self->lines.data, at + 6, size - 6);
            self->lines.size = size - 6;
            break;
        }
        at += size + 1;
    }
    buffer_put_char(&self->id, '\0');
}

bool
first_event_take(void *context, const char *data, size_t size)
{
    struct first_event *self = context;
    struct buffer *lines = &self->lines;
    if (lines->size + size > EVENT_BYTES)
        return false;
    buffer_put(lines, data, size);
    const char *end;
    while ((end = memmem(lines->data + self->seen, lines->size - self->seen, "\n\n", 2))) {
        size_t behind = (size_t)(end - lines->data) + 2;
        self->is_whole = block_has_data(lines->data + self->begun, behind - self->begun);
        if (self->is_whole) {
            read_block(self, behind - 1);
            return false;
        }
        self->begun = self->seen = behind;
    }
    self->seen = lines->size > self->begun ? lines->size - 1 : self->begun;
    return true;
}

fallible
event_client_first(http_client_t *http, const struct buffer *path, struct first_event *ret_event)
{
    buffer_clear(&ret_event->lines);
    buffer_clear(&ret_event->id);
    ret_event->begun = ret_event->seen = 0;
    ret_event->is_whole = false;
    enum error error =
        http_client_receive(http, path, "text/event-stream", first_event_take, ret_event);
    if (ret_event->is_whole)
        return OK; // the transfer was cut, which is an error of curl's
    TRY(error);
    return fail(ERR_MALFORMED, "", "%.*s: no event came", (int)path->size, path->data);
}
