// axes_test.c - records of requests in the axes that a request names.
#include "gateway/request/axes.h"

#include <criterion/criterion.h>

#include "proto/records/object.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static struct message *message;
static const struct convention *convention;

static void
finish(void)
{
    message_destroy(&message);
    arena_finish(&arena);
}

TestSuite(axes, .fini = finish);

// A request in the axes of this convention.
static void
ask(const char *name)
{
    message = message_create(OBJECT_UPDATE);
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

Test(axes, records_of_a_request_are_converted)
{
    ask("ros");
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = object_at(1, 2, 3);
    cr_assert_eq(axes_take(message, &convention), OK);
    const double *transform = object_of(message->records->items[0])->transform;
    cr_expect_eq(transform[3], -2);
    cr_expect_eq(transform[7], 3);
    cr_expect_eq(transform[11], -1);
}

Test(axes, unknown_name_is_refused)
{
    ask("maya");
    cr_assert_eq(axes_take(message, &convention), ERR_INVALID);
    cr_expect_str_eq(fault_last()->pointer, "");
    cr_expect_str_eq(fault_last()->detail,
                     "convention must be one of gltf, unity, unreal, ros, enu, cv, ned, "
                     "blender, godot, three");
}
