// scene_staging_test.c - what a staged change of a scene, or of what is in it, writes and tells.

#include "actors/scene/scene_staging.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_family.h"
#include "proto/base/limits.h"
#include "proto/feed/event.h"
#include "proto/message/partition.h"
#include "proto/records/device.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct scene_state *hall;
static const struct batch *batch;
static const struct write *writes;
static struct arena arena;

static void
begin(void)
{
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
}

static void
end(void)
{
    arena_finish(&arena);
    bare_shard_end();
}

TestSuite(scene_staging, .init = begin, .fini = end);

// The writes of the filling batch, `count` of them.
static void
expect_writes(size_t count)
{
    batch = shard->staging.filling.batch;
    cr_assert_eq(batch->count, count);
    writes = batch->writes;
}

static int
tag_of(size_t write)
{
    return *(const char *)batch_key(batch, &writes[write]).data;
}

static const char *
generated(void)
{
    return text_chars(key_generate(&arena, hall->part));
}

Test(scene_staging, an_object_that_is_created_is_written_with_its_look_up)
{
    const frozen_t *object = bare_object("hall", generated(), "chair");
    shard_stage_put(shard, hall, KEY_OBJECT, frozen_record(object), NULL, EVENT_OBJECT_CREATED);
    expect_writes(2);
    cr_assert_eq(tag_of(0), KEY_OBJECT);
    cr_assert_eq(tag_of(1), KEY_LOOKUP);
    cr_assert_eq(key_get_u64(batch_value(batch, &writes[1]).data), hall->id);
    cr_assert_eq(writes[0].part, hall->part);
    record_unref(&object);
}

Test(scene_staging, an_object_that_is_changed_keeps_its_look_up)
{
    const frozen_t *object = bare_object("hall", generated(), "chair");
    shard_stage_put(shard, hall, KEY_OBJECT, frozen_record(object), object, EVENT_OBJECT_UPDATED);
    expect_writes(1);
    record_unref(&object);
}

Test(scene_staging, an_object_that_is_deleted_takes_its_look_up_along)
{
    const frozen_t *object = bare_object("hall", generated(), "chair");
    shard_stage_delete(shard, hall, KEY_OBJECT, object, EVENT_OBJECT_DELETED);
    expect_writes(2);
    cr_assert(writes[0].is_delete);
    cr_assert(writes[1].is_delete);
    record_unref(&object);
}

Test(scene_staging, a_device_has_no_look_up)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "phone"));
    shard_stage_put(shard, hall, KEY_DEVICE, device, NULL, EVENT_DEVICE_REGISTERED);
    expect_writes(1);
}

Test(scene_staging, a_staged_delete_marks_its_scene_and_leaves_a_sweep)
{
    shard_stage_delete(shard, hall, KEY_SCENE, hall->record, EVENT_SCENE_DELETED);
    expect_writes(2);
    cr_assert(writes[0].is_delete);
    cr_assert_eq(tag_of(1), KEY_SWEEP);
    cr_assert(hall->is_deleting);
}

Test(scene_staging, a_change_holds_its_scene)
{
    unsigned holds = hall->holds;
    const frozen_t *object = bare_object("hall", generated(), "chair");
    shard_stage_put(shard, hall, KEY_OBJECT, frozen_record(object), NULL, EVENT_OBJECT_CREATED);
    cr_assert_eq(hall->holds, holds + 1);
    record_unref(&object);
}

Test(scene_staging, a_request_without_room_waits_for_the_next_batch)
{
    struct message *message = message_create(SCENE_PUT);
    cr_assert_eq(shard_make_room(shard, message, 1, 1), OK);
    cr_assert_eq(shard_make_room(shard, message, LIMIT_COMMIT_OPERATIONS, 1), PARKED);
    cr_assert_eq(shard->staging.waiting.count, 1);
}

Test(scene_staging, events_of_a_scene_are_numbered_without_a_gap)
{
    for (uint64_t seq = 1; seq <= 3; seq++) {
        shard_emit(shard, hall, hall->record, EVENT_SCENE_UPDATED);
        cr_assert_eq(hall->seq, seq);
        cr_assert_eq(shard->events->items[seq - 1].seq, seq);
    }
}

Test(scene_staging, an_event_that_repeats_what_is_known_takes_no_number)
{
    hall->seq = 7;
    shard_emit(shard, hall, hall->record, EVENT_DEVICE_KNOWN);
    cr_assert_eq(hall->seq, 7);
    cr_assert_eq(shard->events->items[0].seq, 7);
}

Test(scene_staging, an_answer_names_the_newest_event_that_its_state_includes)
{
    struct message *message = message_create(SCENE_GET);
    shard->settings.epoch = 3;
    hall->seq = 12;
    shard_tell_place(shard, hall, message);
    cr_assert_eq(reply_envelope(message)->epoch, 3);
    cr_assert_eq(reply_envelope(message)->seq, 12);
    message_destroy(&message);
}
