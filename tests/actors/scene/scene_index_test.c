// scene_index_test.c - scenes by key, durable and as they will be, and who may reach them.

#include "actors/scene/scene_index.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/scene/scene_family.h"
#include "actors/scene/scene_staging.h"
#include "proto/feed/event.h"
#include "tests/support/bare_shard.h"

static struct shard *shard;
static struct message *message;

static void
begin(void)
{
    shard = bare_shard_begin();
    message = message_create(SCENE_GET);
}

static void
end(void)
{
    message_destroy(&message);
    bare_shard_end();
}

TestSuite(scene_index, .init = begin, .fini = end);

static const struct text *
text(const char *chars)
{
    return text_from(&message->arena, chars);
}

static void
ask_as(const char *user)
{
    message->caller = (struct caller){.role = CALLER_USER};
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user);
}

Test(scene_index, a_scene_is_found_by_its_key_until_it_leaves_the_index)
{
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    cr_assert_eq(scenes_find(shard, text("hall")), hall);
    cr_assert_null(scenes_find(shard, text("yard")));
    scene_hold(hall);
    scenes_unindex(shard, hall);
    cr_assert_null(scenes_find(shard, text("hall")));
    cr_assert_eq(record_set_count(&shard->catalogue), 0);
    scene_release(&hall);
}

static void
move_to(struct scene_state *scene, double latitude, double longitude)
{
    const frozen_t *old = scene->record;
    struct scene *moved =
        (struct scene *)(void *)record_copy(&message->arena, &scene_schema, frozen_record(old));
    moved->latitude = latitude;
    moved->longitude = longitude;
    moved->base.present |= FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE);
    scene->record = record_freeze(&scene_schema, &moved->base);
    scenes_reindex(shard, scene);
    record_unref(&old);
}

Test(scene_index, a_scene_is_on_the_map_once_until_it_leaves_the_index)
{
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    cr_assert_eq(shard->map.count, 0);
    move_to(hall, 50, 6);
    move_to(hall, -50, 6);
    cr_assert_eq(shard->map.count, 1);
    scene_hold(hall);
    scenes_unindex(shard, hall);
    cr_assert_eq(shard->map.count, 0);
    scene_release(&hall);
}

Test(scene_index, what_is_known_of_a_scene_is_its_newest_record_packed)
{
    struct opened room;
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    move_to(hall, 50, 6);
    const packed_t *known = scenes_known(shard, text("hall"));
    cr_assert(record_equal(packed_open(known, &room), frozen_record(hall->record)));
}

Test(scene_index, writers_miss_a_scene_whose_delete_is_staged_and_readers_find_it)
{
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    shard_stage_delete(shard, hall, KEY_SCENE, hall->record, EVENT_SCENE_DELETED);
    cr_assert_null(scenes_latest(shard, text("hall")));
    cr_assert_eq(scenes_find(shard, text("hall")), hall);
}

Test(scene_index, writers_see_the_staged_record_of_a_scene)
{
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "");
    struct record *changed =
        record_copy(&message->arena, &scene_schema, frozen_record(hall->record));
    record_set_text(changed, SCENE_NAME, text("Hall"));
    shard_stage_put(shard, hall, KEY_SCENE, changed, hall->record, EVENT_SCENE_UPDATED);
    cr_assert_eq(scenes_latest(shard, text("hall")), hall);
    cr_assert(text_is(scene_of(frozen_record(scene_latest_record(shard, hall)))->name, "Hall"));
    cr_assert_eq(text_size(scene_of(frozen_record(hall->record))->name), 0);
}

Test(scene_index, a_private_scene_is_its_owners_and_to_others_it_does_not_exist)
{
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "ann");
    ask_as("ann");
    cr_assert_eq(scene_to_read(shard, message, text("hall"), hall), OK);
    ask_as("bob");
    cr_assert_eq(scene_to_read(shard, message, text("hall"), hall), ERR_NOT_FOUND);
    const char *hidden = text_chars(text(fault_last()->detail));
    cr_assert_eq(scene_to_read(shard, message, text("hall"), NULL), ERR_NOT_FOUND);
    cr_assert_str_eq(fault_last()->detail, hidden);
}

Test(scene_index, who_may_read_is_decided_for_writers_by_the_staged_record)
{
    struct scene_state *hall = bare_shard_add_scene(shard, "hall", "ann");
    struct record *changed =
        record_copy(&message->arena, &scene_schema, frozen_record(hall->record));
    record_set_text(changed, SCENE_USER, text("bob"));
    shard_stage_put(shard, hall, KEY_SCENE, changed, hall->record, EVENT_SCENE_UPDATED);
    ask_as("bob");
    cr_assert_eq(scene_to_write(shard, message, text("hall"), hall), OK);
    cr_assert_eq(scene_to_read(shard, message, text("hall"), hall), ERR_NOT_FOUND);
}
