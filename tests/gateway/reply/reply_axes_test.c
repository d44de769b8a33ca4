// reply_axes_test.c - answers in the axes that a request names.
#include "gateway/reply/reply_axes.h"

#include <criterion/criterion.h>

#include "gateway/request/axes.h"
#include "gateway/router.h"
#include "proto/records/geopose.h"
#include "proto/records/object.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static struct buffer out;
static struct message *message;
static const struct route *route;
static struct etag etag;
static const struct convention *convention;

static void
finish(void)
{
    message_destroy(&message);
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(reply_axes, .fini = finish);

// A request by this route in the axes of this convention.
static void
ask(const char *path, const char *name)
{
    struct route_match match = {0};
    cr_assert_eq(router_find(&arena, path, &match), OK);
    cr_assert_eq(router_pick(&match, HTTP_GET, &route), OK);
    message = message_create((enum operation)route->operation);
    if (name)
        record_set_text(&message->params->base, PARAMS_CONVENTION,
                        text_from(&message->arena, name));
}

static struct record *
object_at(double x, double y, double z)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    transform_identity(object->transform);
    object->transform[3] = x;
    object->transform[7] = y;
    object->transform[11] = z;
    record_mark(&object->base, OBJECT_TRANSFORM);
    return &object->base;
}

static void
answer_with(const struct record *loose)
{
    const frozen_t *frozen = record_freeze(&object_schema, loose);
    reply_add(message, frozen);
    record_unref(&frozen);
}

Test(reply_axes, answer_is_converted_and_its_tag_is_that_of_what_is_stored)
{
    struct etag stored;
    ask("/v1/scene/s/object/o", "unity");
    answer_with(object_at(1, 2, 3));
    etag_of_record(frozen_record(message->reply.records[0]), &object_view_full, &stored);
    cr_assert_eq(axes_take(message, &convention), OK);
    cr_assert_eq(reply_axes_write(convention, route, message, &out, &etag), OK);
    buffer_put_char(&out, '\0');
    cr_expect(strstr(out.data, "\"transform\":[1.0,0.0,0.0,1.0,0.0,1.0,0.0,2.0,0.0,0.0,1.0,-3.0,"));
    cr_expect_str_eq(etag.chars, stored.chars);
    cr_expect_str_eq(etag.variant, "unity");
}

Test(reply_axes, answer_in_the_stored_axes_is_written_as_it_is)
{
    static const char *const names[] = {NULL, "gltf"};
    for (size_t i = 0; i < 2; i++) {
        struct etag plain;
        ask("/v1/scene/s/object/o", names[i]);
        answer_with(object_at(1, 2, 3));
        const frozen_t *stored = message->reply.records[0];
        cr_assert_eq(axes_take(message, &convention), OK);
        cr_assert_eq(reply_axes_write(convention, route, message, &out, &etag), OK);
        etag_of_record(frozen_record(stored), &object_view_full, &plain);
        cr_expect_eq(message->reply.records[0], stored);
        cr_expect_str_eq(etag.chars, plain.chars);
        cr_expect_null(etag.variant);
        message_destroy(&message);
    }
}

// An answer whose actor has added a GeoPose. All of these have another print.
Test(reply_axes, tag_of_an_answer_with_geoposes_names_its_variant)
{
    static const struct {
        const char *convention, *variant;
    } rows[] = {{NULL, "geopose-"}, {"unity", "unity-geopose-"}};
    for (size_t i = 0; i < 2; i++) {
        struct etag stored;
        ask("/v1/scene/s/object/o", rows[i].convention);
        record_set_text(&message->params->base, PARAMS_FORM, text_from(&arena, "geopose"));
        struct record *object = object_at(1, 2, 3);
        etag_of_record(object, &object_view_full, &stored);
        struct object_edit *placed = (void *)record_new(&arena, &object_placed_schema);
        memcpy(placed, object, object_schema.size);
        placed->object.base.schema = &object_placed_schema;
        placed->geopose = record_new(&arena, &geopose_schema);
        record_mark(&placed->object.base, OBJECT_GEOPOSE);
        reply_add_loose(message, &object_placed_schema, &placed->object.base);
        cr_assert_eq(axes_take(message, &convention), OK);
        cr_assert_eq(reply_axes_write(convention, route, message, &out, &etag), OK);
        buffer_put_char(&out, '\0');
        cr_expect(strstr(out.data, "\"geopose\":{"));
        cr_expect_str_eq(etag.chars, stored.chars);
        size_t size = strlen(rows[i].variant);
        cr_expect_eq(strncmp(etag.variant, rows[i].variant, size), 0, "%s", etag.variant);
        cr_expect_eq(strspn(etag.variant + size, "0123456789abcdef"), 16);
        cr_expect_eq(strlen(etag.variant), size + 16);
        buffer_clear(&out);
        message_destroy(&message);
    }
}
