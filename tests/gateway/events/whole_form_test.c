// whole_form_test.c - the usual form of a stream, in pieces.
#include "gateway/events/whole_form.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/object.h"

static struct arena arena;

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

Test(whole_form, snapshot_stops_where_the_sink_is_full_and_goes_on_there)
{
    const struct sse_place place = {text_from(&arena, "hall"), 7, 12};
    const struct whole_form form = {&place, 1, NULL};
    struct stream_sink pieces = {0};
    struct stream_cursor cursor = {0};
    struct buffer joined = {0};
    struct message *message = reply_of(4000);
    bool is_whole = false;
    unsigned writes = 0;
    for (; !is_whole && writes < 100; writes++) {
        is_whole = whole_form_write_snapshot(&form, 0, &message->reply, &cursor, &pieces);
        cr_expect_lt(pieces.out.size, STREAM_WRITE_BYTES + 1024);
        buffer_put(&joined, pieces.out.data, pieces.out.size);
        buffer_clear(&pieces.out);
    }
    cr_expect_gt(writes, 2U);
    buffer_put_char(&joined, '\0');
    static const char head[] = "event: snapshot\nid: 7-12\ndata: {\"scene\":\"hall\",\"epoch\":7,"
                               "\"seq\":12,\"objects\":[{\"key\":\"a\"";
    static const char tail[] = "}],\"properties\":[]}\n\n";
    cr_expect_eq(strncmp(joined.data, head, sizeof head - 1), 0, "%.200s", joined.data);
    cr_expect_str_eq(joined.data + joined.size - sizeof tail, tail);
    unsigned objects = 0;
    for (const char *at = joined.data; (at = strstr(at, "{\"key\":\"a\"")); at++)
        objects++;
    cr_expect_eq(objects, 4000U);
    message_destroy(&message);
    buffer_finish(&pieces.out);
    buffer_finish(&joined);
    arena_finish(&arena);
}
