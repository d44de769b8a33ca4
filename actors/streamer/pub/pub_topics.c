// pub_topics.c - a set of texts and its size (pub_topics.h).
#include "actors/streamer/pub/pub_topics.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

static bool
is_topic(const void *value, const void *key)
{
    return text_equal(value, key);
}

static struct text *
topic_new(const char *topic, size_t size)
{
    struct text *text = memory_take(sizeof *text + size + 1);
    text->size = (uint32_t)size;
    memcpy(text->data, topic, size);
    text->data[size] = '\0';
    return text;
}

void
pub_topics_note(struct pub_topics *self, const char *topic, size_t size, bool is_wanted)
{
    struct text *text = topic_new(topic, size);
    uint64_t hash = table_hash_text(text);
    struct text *known = table_find(&self->table, hash, is_topic, text);
    if (is_wanted && !known) {
        table_add(&self->table, hash, text);
        self->size += size;
        return;
    }
    if (!is_wanted && known) {
        table_remove(&self->table, hash, known);
        self->size -= size;
        free(known);
    }
    free(text);
}

void
pub_topics_finish(struct pub_topics *self)
{
    void *topic;
    for (size_t cursor = 0; (topic = table_next(&self->table, &cursor)) != NULL;)
        free(topic);
    table_finish(&self->table);
    self->size = 0;
}
