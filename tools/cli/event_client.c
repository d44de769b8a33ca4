// event_client.c - takes the first event out of a stream of server-sent events.
#include "tools/cli/event_client.h"

#include <string.h>

void
first_event_finish(struct first_event *self)
{
    event_stream_finish(&self->stream);
    buffer_finish(&self->lines);
    buffer_finish(&self->id);
}

// Keeps the id, and of the lines only the data: a state may be large, so it is not copied.
static bool
keep(void *context, const struct stream_event *event)
{
    struct first_event *self = context;
    buffer_put_chars(&self->id, event->id);
    buffer_put_char(&self->id, '\0');
    struct buffer *lines = &self->stream.lines;
    memmove(lines->data, event->data, event->data_size);
    lines->size = event->data_size;
    buffer_finish(&self->lines);
    self->lines = *lines;
    *lines = (struct buffer){0};
    self->is_whole = true;
    return false;
}

bool
first_event_take(void *context, const char *data, size_t size)
{
    struct first_event *self = context;
    self->stream.take = keep;
    self->stream.context = self;
    return event_stream_take(&self->stream, data, size);
}

fallible
event_client_first(http_client_t *http, const struct buffer *path, struct first_event *ret_event)
{
    first_event_finish(ret_event);
    *ret_event = (struct first_event){0};
    enum error error =
        http_client_receive(http, path, "text/event-stream", first_event_take, ret_event);
    if (ret_event->is_whole)
        return OK; // the transfer was cut, which is an error of curl's
    TRY(error);
    return fail(ERR_MALFORMED, "", "%.*s: no event came", (int)path->size, path->data);
}
