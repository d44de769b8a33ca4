// golden.c - lines of golden packets (golden.h).
#include "tests/golden/golden.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/codec/json_tree.h"
#include "proto/codec/record_json.h"
#include "proto/records/device.h"
#include "proto/records/lock.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

void
golden_finish(struct golden *self)
{
    while (self->kept_count > 0)
        record_unref(&self->kept[--self->kept_count]);
    free(self->kept);
    arena_finish(&self->arena);
    buffer_finish(&self->lines);
    buffer_finish(&self->bytes);
    buffer_finish(&self->json);
}

void
golden_begin(struct golden *self, const char *name)
{
    buffer_put_format(&self->lines, "{\"name\":\"%s\",\"form\":\"%s\",\"hex\":\"", name,
                      self->form);
    self->is_open = false;
    self->count++;
}

void
golden_hex(struct golden *self, const struct buffer *bytes)
{
    if (self->is_open)
        buffer_put_char(&self->lines, ' ');
    self->is_open = true;
    for (size_t i = 0; i < bytes->size; i++)
        buffer_put_format(&self->lines, "%02x", (unsigned char)bytes->data[i]);
}

void
golden_end(struct golden *self, const struct buffer *json)
{
    const struct json *tree;
    assert(json_parse(&self->arena, json->data, json->size, &tree) == OK);
    buffer_put_chars(&self->lines, "\",\"json\":");
    buffer_put(&self->lines, json->data, json->size);
    buffer_put_chars(&self->lines, "}\n");
}

void
golden_text(struct golden *self, const char *name, const struct buffer *text)
{
    struct buffer json = {0};
    const struct json *tree;
    assert(json_parse(&self->arena, text->data, text->size, &tree) == OK);
    golden_put_tree(tree, &json);
    golden_begin(self, name);
    golden_hex(self, text);
    golden_end(self, &json);
    buffer_finish(&json);
}

void
golden_put_tree(const struct json *tree, struct buffer *out)
{
    buffer_clear(out);
    assert(json_tree_put(out, tree, SIZE_MAX));
}

static const frozen_t *
keep(struct golden *self, const struct record *loose)
{
    const size_t size = (self->kept_count + 1) * sizeof *self->kept;
    self->kept = memory_resize(self->kept, size);
    return self->kept[self->kept_count++] = record_freeze(loose->schema, loose);
}

const frozen_t *
golden_record(struct golden *self, const struct schema *schema, const char *json)
{
    const struct json *tree;
    struct record *record;
    assert(json_parse(&self->arena, json, strlen(json), &tree) == OK);
    if (record_from_json(&self->arena, schema, tree, "", &record) != OK) {
        fprintf(stderr, "%s: %s: %s\n", json, fault_last()->pointer, fault_last()->detail);
        abort();
    }
    return keep(self, record);
}

const frozen_t *
golden_scene(struct golden *self, const char *key)
{
    struct record *scene = record_new(&self->arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&self->arena, key));
    return keep(self, scene);
}

const struct schema *
golden_schema(uint8_t msg_type)
{
    static const struct {
        const char *noun;
        const struct schema *schema;
    } nouns[] = {
        {"property", &property_schema},
        {"scene", &scene_schema},
        {"device", &device_schema},
        {"alignment", &device_schema},
    };
    if (msg_type == EVENT_LOCK_ASKED)
        return &lock_ask_schema;
    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++)
        if (strcmp(event_noun(msg_type), nouns[i].noun) == 0)
            return nouns[i].schema;
    return &object_schema; // of locks too
}

struct event
golden_event(struct golden *self, const struct golden_sample *sample, unsigned index)
{
    return (struct event){
        .seq = GOLDEN_FIRST_SEQ + 1 + index,
        .time_us = GOLDEN_TIME_US + index,
        .scene = golden_scene(self, "s1"),
        .record = golden_record(self, golden_schema(sample->msg_type), sample->json),
        .msg_type = sample->msg_type,
        .reason = sample->reason,
    };
}
