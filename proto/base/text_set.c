// text_set.c - a table of a list's texts, made when it is asked for the first time.

#include "proto/base/text_set.h"

enum { FEW = 8 }; // compared one by one

static bool
is_text(const void *value, const void *key)
{
    return text_equal(value, key);
}

void
text_set_finish(struct text_set *self)
{
    table_finish(&self->table);
    *self = (struct text_set){0};
}

void
text_set_of(struct text_set *self, const struct texts *list)
{
    if (self->list == list)
        return;
    table_clear(&self->table);
    self->list = list;
    self->is_hashed = false;
}

static bool
add(struct text_set *self, const struct text *text)
{
    uint64_t hash = table_hash_text(text);
    if (table_find(&self->table, hash, is_text, text))
        return false;
    table_add(&self->table, hash, (void *)(uintptr_t)text);
    return true;
}

static void
hash_all(struct text_set *self)
{
    if (self->is_hashed)
        return;
    self->is_hashed = true;
    for (size_t i = 0; i < texts_count(self->list); i++)
        add(self, self->list->items[i]);
}

bool
text_set_has(struct text_set *self, const struct text *text)
{
    if (!self->is_hashed && texts_count(self->list) <= FEW)
        return texts_contain(self->list, text);
    hash_all(self);
    return table_find(&self->table, table_hash_text(text), is_text, text) != NULL;
}

bool
text_set_add(struct text_set *self, const struct text *text)
{
    hash_all(self);
    return add(self, text);
}

const struct texts *
texts_once(struct arena *arena, const struct texts *list)
{
    struct text_set seen = {0};
    struct texts *once =
        arena_alloc(arena, sizeof *once + texts_count(list) * sizeof once->items[0]);
    once->count = 0;
    for (uint32_t i = 0; i < texts_count(list); i++)
        if (text_set_add(&seen, list->items[i]))
            once->items[once->count++] = list->items[i];
    text_set_finish(&seen);
    return once;
}
