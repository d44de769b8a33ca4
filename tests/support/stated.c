// stated.c - see the header.
#include "tests/support/stated.h"

#include "proto/records/correction.h"
#include "proto/records/device.h"
#include "proto/records/scene.h"

const frozen_t *
stated_correction(struct arena *arena, const struct stated *stated)
{
    struct record *record = record_new(arena, &correction_schema);
    struct correction_record *correction = (struct correction_record *)(void *)record;
    struct pose *pose = (struct pose *)(void *)record_new(arena, &pose_schema);
    pose->translation[0] = stated->x;
    record_mark(&pose->base, POSE_TRANSLATION);
    record_mark(&pose->base, POSE_ROTATION);
    correction->transform = &pose->base;
    record_mark(record, CORRECTION_TRANSFORM);
    record_set_text(record, CORRECTION_ID,
                    text_format(arena, "%013llx%08x000", (unsigned long long)stated->time_us,
                                (unsigned)stated->scene_id));
    record_set_text(record, CORRECTION_METHOD,
                    text_from(arena, stated->method ? stated->method : ""));
    record_set_text(record, CORRECTION_DEVICE, text_from(arena, stated->device));
    correction->sigma_t_m = 0.05;
    correction->sigma_r_rad = 0.02;
    record_mark(record, CORRECTION_SIGMA_T);
    record_mark(record, CORRECTION_SIGMA_R);
    record_set_integer(record, CORRECTION_TIME, stated->time_us);
    record_set_integer(record, CORRECTION_SINCE, stated->since_us);
    record_set_integer(record, CORRECTION_UNTIL, stated->until_us);
    return record_freeze(&correction_schema, record);
}

void
stated_scene(atlas_t *atlas, struct arena *arena, int64_t id, bool is_public)
{
    struct scene *scene = (struct scene *)(void *)record_new(arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_format(arena, "scene%d", (int)id));
    record_set_text(&scene->base, SCENE_USER, text_from(arena, "ann"));
    record_set_integer(&scene->base, SCENE_ID, id);
    scene->is_public = is_public;
    record_mark(&scene->base, SCENE_PUBLIC);
    const packed_t *packed = record_pack(&scene_schema, &scene->base);
    atlas_put_scene(atlas, packed);
    packed_unref(&packed);
}
