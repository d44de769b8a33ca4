// delta_state_test.c - what the client of a delta stream knows, and how it is told of events.
#include "gateway/events/delta_state.h"

#include <criterion/criterion.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static struct delta_state state;

static void
finish(void)
{
    delta_state_finish(&state);
    arena_finish(&arena);
}

TestSuite(delta_state, .fini = finish);

static struct object *
object(const char *key, const char *name)
{
    struct object *self = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&self->base, OBJECT_KEY, text_from(&arena, key));
    record_set_text(&self->base, OBJECT_NAME, text_from(&arena, name));
    transform_identity(self->transform);
    record_mark(&self->base, OBJECT_TRANSFORM);
    return self;
}

static struct delta_step
take(uint8_t msg_type, struct record *record)
{
    const struct event event = {.msg_type = msg_type,
                                .record = record_freeze(record->schema, record)};
    struct delta_step step = delta_state_take(&state, DELTA_ALL, &event);
    const frozen_t *frozen = event.record;
    record_unref(&frozen);
    return step;
}

static uint32_t
know(struct record *record)
{
    const frozen_t *frozen = record_freeze(record->schema, record);
    uint32_t index = delta_state_add(&state, frozen);
    record_unref(&frozen);
    return index;
}

Test(delta_state, names_of_parts)
{
    cr_expect_eq(delta_parts_read(NULL), DELTA_ALL);
    cr_expect_eq(delta_parts_read(text_from(&arena, "devices")), DELTA_DEVICES);
    cr_expect_eq(delta_parts_read(text_from(&arena, "properties,objects")),
                 DELTA_OBJECTS | DELTA_PROPERTIES);
    cr_expect_eq(delta_parts_read(text_from(&arena, "objects,")), 0);
    cr_expect_eq(delta_parts_read(text_from(&arena, "object")), 0);
}

Test(delta_state, its_bytes_are_those_of_the_records_that_it_keeps)
{
    struct object *lamp = object("a", "lamp"), *longer = object("a", "a lamp with a long name");
    const size_t lamp_size = record_frozen_size(&object_schema, &lamp->base);
    const size_t longer_size = record_frozen_size(&object_schema, &longer->base);
    cr_assert_lt(lamp_size, longer_size);
    know(&lamp->base);
    size_t known = state.bytes;
    cr_expect_geq(known, lamp_size);
    take(EVENT_OBJECT_UPDATED, &longer->base);
    cr_expect_gt(state.bytes, known);
    take(EVENT_OBJECT_UPDATED, &lamp->base);
    cr_expect_eq(state.bytes, known);
    take(EVENT_OBJECT_DELETED, &lamp->base);
    cr_expect_eq(state.bytes, 0);
    know(&lamp->base);
    delta_state_clear(&state);
    cr_expect_eq(state.bytes, 0);
}

Test(delta_state, a_thing_that_moves_is_told_by_its_pose)
{
    uint32_t index = know(&object("a", "lamp")->base);
    struct object *moved = object("a", "lamp");
    moved->transform[3] = 2;
    struct delta_step step = take(EVENT_OBJECT_UPDATED, &moved->base);
    cr_expect_eq(step.change, DELTA_POSE);
    cr_expect_eq(step.index, index);
    cr_expect_eq(step.members, 0);
}

Test(delta_state, other_members_are_told_by_themselves)
{
    know(&object("a", "lamp")->base);
    struct delta_step step = take(EVENT_OBJECT_UPDATED, &object("a", "torch")->base);
    cr_expect_eq(step.change, DELTA_MEMBERS);
    cr_expect_eq(step.members, FIELD_BIT(OBJECT_NAME));
}

Test(delta_state, a_sheared_transform_is_a_member)
{
    know(&object("a", "lamp")->base);
    struct object *sheared = object("a", "lamp");
    sheared->transform[1] = 1;
    struct delta_step step = take(EVENT_OBJECT_UPDATED, &sheared->base);
    cr_expect_eq(step.change, DELTA_MEMBERS);
    cr_expect_eq(step.members, FIELD_BIT(OBJECT_TRANSFORM));
}

Test(delta_state, what_is_as_before_is_not_told)
{
    know(&object("a", "lamp")->base);
    cr_expect_eq(take(EVENT_OBJECT_UPDATED, &object("a", "lamp")->base).change, DELTA_NOTHING);
    cr_expect_eq(take(EVENT_OBJECT_DELETED, &object("b", "x")->base).change, DELTA_NOTHING);
}

Test(delta_state, an_index_is_never_used_again)
{
    uint32_t first = know(&object("a", "lamp")->base);
    struct delta_step gone = take(EVENT_OBJECT_DELETED, &object("a", "lamp")->base);
    cr_expect_eq(gone.change, DELTA_GONE);
    cr_expect_eq(gone.index, first);
    struct delta_step again = take(EVENT_OBJECT_CREATED, &object("a", "lamp")->base);
    cr_expect_eq(again.change, DELTA_NEW);
    cr_expect_eq(again.index, first + 1);
    delta_state_clear(&state);
    cr_expect_eq(know(&object("b", "lamp")->base), first + 2);
}

Test(delta_state, things_of_two_kinds_may_have_one_key)
{
    uint32_t first = know(&object("a", "lamp")->base);
    struct record *property = record_new(&arena, &property_schema);
    record_set_text(property, PROPERTY_KEY, text_from(&arena, "a"));
    struct delta_step step = take(EVENT_PROPERTY_CREATED, property);
    cr_expect_eq(step.change, DELTA_NEW);
    cr_expect_eq(step.index, first + 1);
}

Test(delta_state, parts_that_were_not_asked_for_are_not_told)
{
    const struct event event = {.msg_type = EVENT_OBJECT_CREATED,
                                .record =
                                    record_freeze(&object_schema, &object("a", "lamp")->base)};
    cr_expect_eq(delta_state_take(&state, DELTA_DEVICES, &event).change, DELTA_NOTHING);
    const frozen_t *frozen = event.record;
    record_unref(&frozen);
}
