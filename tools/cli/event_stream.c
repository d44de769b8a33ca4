// event_stream.c - finds the empty lines between events, and the fields of each.
#include "tools/cli/event_stream.h"

#include <string.h>

enum { EVENT_BYTES = 1 << 30 };

void
event_stream_finish(struct event_stream *self)
{
    buffer_finish(&self->lines);
}

// The value of the field of this name, or NULL. `line` ends with a NUL.
static char *
field_of(char *line, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(line, name, size) != 0 || line[size] != ':')
        return NULL;
    char *value = line + size + 1;
    return *value == ' ' ? value + 1 : value;
}

static void
read_line(char *line, size_t size, struct stream_event *event)
{
    char *value;
    if ((value = field_of(line, "event")))
        event->name = value;
    else if ((value = field_of(line, "id")))
        event->id = value;
    else if ((value = field_of(line, "data"))) {
        event->data = value;
        event->data_size = (size_t)(line + size - value);
    }
}

// Reads the lines of one event, the last of which ends at `end`; each line's end becomes its NUL.
static struct stream_event
read_event(char *at, char *end)
{
    struct stream_event event = {.name = "message", .id = ""};
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at) + 1);
        *stop = '\0';
        read_line(at, (size_t)(stop - at), &event);
        at = stop + 1;
    }
    return event;
}

static void
forget_first(struct buffer *lines, size_t size)
{
    memmove(lines->data, lines->data + size, lines->size - size);
    lines->size -= size;
}

bool
event_stream_take(void *context, const char *data, size_t size)
{
    struct event_stream *self = context;
    struct buffer *lines = &self->lines;
    if (size == 0 || lines->size + size > EVENT_BYTES)
        return size == 0;
    buffer_put(lines, data, size);
    size_t begun = 0;
    char *end;
    while ((end = memmem(lines->data + self->seen, lines->size - self->seen, "\n\n", 2))) {
        struct stream_event event = read_event(lines->data + begun, end);
        begun = self->seen = (size_t)(end - lines->data) + 2;
        if (event.data && !self->take(self->context, &event))
            return false;
    }
    forget_first(lines, begun);
    self->seen = lines->size ? lines->size - 1 : 0;
    return true;
}
