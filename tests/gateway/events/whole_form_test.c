// whole_form_test.c - the usual form of a stream, to the end of a client's patience.
#include "gateway/events/whole_form.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/object.h"

static struct arena arena;
static unsigned left;

static bool
relieve(struct stream_sink *self)
{
    (void)self;
    return left-- > 1;
}

static struct message *
reply_of(unsigned count)
{
    struct message *message = message_create(SCENE_WATCH);
    for (unsigned i = 0; i < count; i++) {
        struct record *object = record_new(&arena, &object_schema);
        record_set_text(object, OBJECT_KEY, text_from(&arena, "a"));
        reply_add_loose(message, &object_schema, object);
    }
    return message;
}

Test(whole_form, snapshot_ends_where_the_client_is_gone)
{
    const struct sse_place place = {text_from(&arena, "hall"), 7, 12};
    const struct whole_form form = {&place, 1, NULL};
    struct stream_sink sink = {.relieve = relieve};
    struct message *message = reply_of(3);
    left = 2;
    cr_expect_not(whole_form_write_snapshot(&form, 0, &message->reply, &sink));
    buffer_clear(&sink.out);
    left = 9;
    cr_assert(whole_form_write_snapshot(&form, 0, &message->reply, &sink));
    buffer_put_char(&sink.out, '\0');
    static const char head[] = "event: snapshot\nid: 7-12\ndata: {\"scene\":\"hall\",\"epoch\":7,"
                               "\"seq\":12,\"objects\":[{\"key\":\"a\"";
    static const char tail[] = "}],\"properties\":[]}\n\n";
    cr_expect_eq(strncmp(sink.out.data, head, sizeof head - 1), 0, "%s", sink.out.data);
    cr_expect_str_eq(sink.out.data + sink.out.size - sizeof tail, tail);
    message_destroy(&message);
    buffer_finish(&sink.out);
    arena_finish(&arena);
}
