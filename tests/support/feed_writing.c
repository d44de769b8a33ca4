// feed_writing.c - arena, output and kept records of one test; criterion runs each test in a
// process of its own.
#include "tests/support/feed_writing.h"

#include <criterion/criterion.h>

#include "proto/records/scene.h"

struct arena arena;
struct buffer out;

static const frozen_t *kept[32];
static size_t kept_count;

void
feed_writing_begin(void)
{
    arena_init(&arena);
    buffer_init(&out);
}

void
feed_writing_end(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
    while (kept_count > 0)
        record_unref(&kept[--kept_count]);
}

void
set(struct record *record, unsigned id, const char *value)
{
    record_set_text(record, id, text_from(&arena, value));
}

const frozen_t *
keep(const struct record *loose)
{
    cr_assert_lt(kept_count, sizeof kept / sizeof kept[0]);
    return kept[kept_count++] = record_freeze(loose->schema, loose);
}

struct record *
scene_called(const char *key)
{
    struct record *scene = record_new(&arena, &scene_schema);
    set(scene, SCENE_KEY, key);
    return scene;
}

void
expect_bytes(const void *bytes, size_t size)
{
    cr_assert_eq(out.size, size, "%zu bytes, not %zu", out.size, size);
    cr_assert_arr_eq(out.data, bytes, size);
}
