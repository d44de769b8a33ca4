// sliced_tag_test.c - the tag that is worked out in slices is that of the record.
#include "actors/runtime/sliced_tag.h"

#include <criterion/criterion.h>

#include "proto/records/action.h"
#include "proto/records/object.h"

static struct arena arena;
static struct sliced_tag tag;
static actor_t actor = {.turn.slice_us = 1}; // each slice is over at once

static void
end(void)
{
    sliced_tag_finish(&tag);
    arena_finish(&arena);
}

TestSuite(sliced_tag, .fini = end);

// An object with one action of so many keyframes.
static const struct record *
animated(size_t keyframes)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    struct action *action = (struct action *)(void *)record_new(&arena, &object_action_schema);
    struct records *list = records_new(&arena, keyframes), *actions = records_new(&arena, 1);
    while (list->count < keyframes) {
        struct record *keyframe = record_new(&arena, &object_keyframe_schema);
        record_set_integer(keyframe, KEYFRAME_FRAME, list->count);
        list->items[list->count++] = keyframe;
    }
    action->keyframes = list;
    record_mark(&action->base, ACTION_KEYFRAMES);
    actions->items[actions->count++] = &action->base;
    object->rare->actions = actions;
    record_mark(&object->base, OBJECT_ACTIONS);
    return &object->base;
}

static unsigned
work_out(const struct record *record, struct etag *ret_etag)
{
    unsigned slices = 1;
    sliced_tag_begin(&tag, record, &object_view_full);
    while (!sliced_tag_goes_on(&tag, &actor, ret_etag))
        slices++;
    return slices;
}

Test(sliced_tag, is_the_tag_of_the_record)
{
    for (size_t keyframes = 0; keyframes < 2000; keyframes += 333) {
        const struct record *record = animated(keyframes);
        struct etag expected, etag;
        etag_of_record(record, &object_view_full, &expected);
        work_out(record, &etag);
        cr_assert_str_eq(etag.chars, expected.chars, "%zu keyframes", keyframes);
    }
}

Test(sliced_tag, no_slice_writes_a_whole_action)
{
    struct etag etag;
    cr_assert_gt(work_out(animated(6400), &etag), 100);
}

Test(sliced_tag, begins_again_for_another_record)
{
    struct etag expected, etag;
    const struct record *other = animated(100);
    sliced_tag_begin(&tag, animated(1000), &object_view_full);
    cr_assert_not(sliced_tag_goes_on(&tag, &actor, &etag));
    work_out(other, &etag);
    etag_of_record(other, &object_view_full, &expected);
    cr_assert_str_eq(etag.chars, expected.chars);
}
