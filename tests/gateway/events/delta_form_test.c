// delta_form_test.c - the texts of a delta stream, digit by digit.
#include "gateway/events/delta_form.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static struct stream_sink sink;
static struct delta_form form;
static struct event_batch batch;
static const frozen_t *scene;
static uint64_t seq;
static const struct caller trusted = {.role = CALLER_TRUSTED};

static void
begin(void)
{
    sink = (struct stream_sink){0};
    form = (struct delta_form){.wish.parts = DELTA_ALL};
    batch = (struct event_batch){0};
    seq = 12;
    struct record *hall = record_new(&arena, &scene_schema);
    record_set_text(hall, SCENE_KEY, text_from(&arena, "hall"));
    scene = record_freeze(&scene_schema, hall);
}

static void
finish(void)
{
    record_unref(&scene);
    event_batch_finish(&batch);
    delta_form_finish(&form);
    buffer_finish(&sink.out);
    arena_finish(&arena);
}

TestSuite(delta_form, .init = begin, .fini = finish);

static struct object *
object(const char *key, const struct transform_parts *parts)
{
    struct object *self = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&self->base, OBJECT_KEY, text_from(&arena, key));
    transform_compose(parts, NULL, self->transform);
    record_mark(&self->base, OBJECT_TRANSFORM);
    return self;
}

static struct object *
object_at(const char *key, double x, double y, double z)
{
    return object(key, &(struct transform_parts){.translation = (const double[]){x, y, z}});
}

static void
know(struct object *thing)
{
    const frozen_t *frozen = record_freeze(&object_schema, &thing->base);
    delta_state_add(&form.state, frozen);
    record_unref(&frozen);
}

static void
happen(uint8_t msg_type, const struct record *record)
{
    const struct event event = {.msg_type = msg_type,
                                .seq = ++seq,
                                .time_us = 1000,
                                .scene = scene,
                                .record = record_freeze(record->schema, record)};
    event_batch_take(&batch, &event);
    const frozen_t *frozen = event.record;
    record_unref(&frozen);
}

// The data of the event that tells of what happened; the places of the stream was 12.
static void
assert_told(const char *lists)
{
    char wanted[1024];
    snprintf(wanted, sizeof wanted,
             "event: changes\ndata: {\"scene\":\"hall\",\"prev\":12,\"seq\":%u,\"time_us\":1000%s}"
             "\n\n",
             (unsigned)seq, lists);
    struct stream_cursor cursor = {0};
    cr_assert(delta_form_write_changes(&form, &batch, 12, &trusted, &cursor, &sink));
    buffer_put_char(&sink.out, '\0');
    cr_expect_str_eq(sink.out.data, wanted);
}

Test(delta_form, poses_have_the_digits_of_their_precision)
{
    know(object_at("a", 0, 0, 0));
    know(object_at("b", 0, 0, 0));
    happen(EVENT_OBJECT_UPDATED, &object_at("a", 1.23456, -0.00004, 1e5)->base);
    const double quarter[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}; // about y
    happen(EVENT_OBJECT_UPDATED,
           &object("b", &(struct transform_parts){.rotation = quarter})->base);
    assert_told(",\"p\":[[0,1.2346,0,100000,1,0,0,0],[1,0,0,0,0.707107,0,0.707107,0]]");
}

Test(delta_form, scale_is_told_where_it_is_not_1)
{
    know(object_at("a", 0, 0, 0));
    happen(EVENT_OBJECT_UPDATED,
           &object("a", &(struct transform_parts){.scale = (const double[]){2, 0.5, 1}})->base);
    assert_told(",\"p\":[[0,0,0,0,1,0,0,0,2,0.5,1]]");
}

Test(delta_form, full_precision_has_all_digits)
{
    form.wish.is_exact = true;
    know(object_at("a", 0, 0, 0));
    happen(EVENT_OBJECT_UPDATED, &object_at("a", 1.23456789, 0, 0)->base);
    assert_told(",\"p\":[[0,1.23456789,0.0,0.0,1.0,0.0,0.0,0.0]]");
}

Test(delta_form, a_tenth_of_a_millimetre_is_that_in_all_units)
{
    cr_assert_eq(convention_find(text_from(&arena, "unreal"), "", &form.wish.convention), OK);
    know(object_at("a", 0, 0, 0));
    happen(EVENT_OBJECT_UPDATED, &object_at("a", 1.234567, 0, 0)->base);
    assert_told(",\"p\":[[0,0,123.46,0,1,0,0,0]]");
}

Test(delta_form, new_things_come_first_then_what_is_said_of_them)
{
    struct object *lamp = object_at("a", 0, 0, 0), *torch = object_at("a", 0, 0, 0);
    record_set_text(&torch->base, OBJECT_NAME, text_from(&arena, "torch"));
    happen(EVENT_OBJECT_CREATED, &lamp->base);
    happen(EVENT_OBJECT_UPDATED, &torch->base);
    happen(EVENT_OBJECT_DELETED, &torch->base);
    assert_told(",\"n\":[{\"i\":0,\"key\":\"a\",\"name\":\"\",\"scene\":\"\",\"type\":\"\","
                "\"subtype\":\"\",\"owner\":\"\",\"parent\":\"\",\"asset_sub_id\":\"\","
                "\"transform\":[1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0],"
                "\"assets\":[],\"actions\":[],\"kind\":\"object\"}],"
                "\"r\":[{\"i\":0,\"name\":\"torch\"}],\"x\":[0]");
}

Test(delta_form, an_optional_member_that_is_gone_is_null)
{
    struct object *framed = object_at("a", 0, 0, 0);
    record_set_integer(&framed->base, OBJECT_FRAME, 3);
    know(framed);
    happen(EVENT_OBJECT_UPDATED, &object_at("a", 0, 0, 0)->base);
    assert_told(",\"r\":[{\"i\":0,\"frame\":null}]");
}

Test(delta_form, what_concerns_the_scene_is_told_as_in_other_streams)
{
    happen(EVENT_SCENE_DELETED, frozen_record(scene));
    assert_told(",\"e\":[{\"msg_type\":42,\"seq\":13,\"scene\":\"hall\",\"record\":{\"key\":"
                "\"hall\",\"name\":\"\",\"description\":\"\",\"region\":\"\",\"latitude\":0.0,"
                "\"longitude\":0.0,\"active\":false,\"public\":false,\"assets\":[],\"tags\":[],"
                "\"user\":\"\",\"thumbnail\":\"\"}}]");
}

// The client is slow: each piece leaves before the next is written.
Test(delta_form, changes_stop_where_the_sink_is_full_and_go_on_there)
{
    enum { THINGS = 4000 };
    struct stream_cursor cursor = {0};
    struct buffer joined = {0};
    unsigned writes = 0;
    for (unsigned i = 0; i < THINGS; i++) {
        struct object *thing = object_at("a", 0, 0, 0);
        char key[8];
        snprintf(key, sizeof key, "k%u", i);
        record_set_text(&thing->base, OBJECT_KEY, text_from(&arena, key));
        know(thing);
        thing->transform[3] = 1000.5; // [1234,1000.5,0,0,1,0,0,0]
        happen(EVENT_OBJECT_UPDATED, &thing->base);
    }
    for (bool is_whole = false; !is_whole && writes < 10; writes++) {
        is_whole = delta_form_write_changes(&form, &batch, 12, &trusted, &cursor, &sink);
        cr_expect_lt(sink.out.size, STREAM_WRITE_BYTES + 1024);
        buffer_put(&joined, sink.out.data, sink.out.size);
        buffer_clear(&sink.out);
    }
    cr_expect_eq(writes, 2U);
    buffer_put_char(&joined, '\0');
    static const char tail[] = "[3998,1000.5,0,0,1,0,0,0],[3999,1000.5,0,0,1,0,0,0]]}\n\n";
    cr_expect_str_eq(joined.data + joined.size - sizeof tail, tail);
    unsigned poses = 0;
    for (const char *at = joined.data; (at = strstr(at, ",1000.5,0,0,1,0,0,0]")); at++)
        poses++;
    cr_expect_eq(poses, THINGS);
    buffer_finish(&joined);
}

// A stream of several scenes goes on.
Test(delta_form, nothing_is_held_of_a_scene_that_is_gone)
{
    struct stream_cursor cursor = {0};
    know(object_at("a", 0, 0, 0));
    know(object_at("b", 0, 0, 0));
    happen(EVENT_SCENE_DELETED, frozen_record(scene));
    cr_assert(delta_form_write_changes(&form, &batch, 12, &trusted, &cursor, &sink));
    cr_expect_eq(form.state.things.count, 0);
    cr_expect_eq(form.state.next_index, 2);
}
