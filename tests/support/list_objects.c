// list_objects.c - makes objects and keeps the orders of a set of them (list_objects.h).
#include "tests/support/list_objects.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "proto/record/record_packed.h"
#include "proto/records/object.h"

static const struct texts *
split(struct arena *arena, const char *words)
{
    struct texts *list = arena_alloc(arena, sizeof *list + 16 * sizeof list->items[0]);
    list->count = 0;
    while (*words) {
        size_t size = strcspn(words, " ");
        list->items[list->count++] = text_new(arena, words, size);
        words += size + (words[size] == ' ');
    }
    return list;
}

const frozen_t *
list_object(const char *key, const char *name, const char *type, const char *tags,
            int64_t changed_us)
{
    owned(arena_finish) struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    record_set_text(object, OBJECT_NAME, text_from(&arena, name));
    record_set_text(object, OBJECT_TYPE, text_from(&arena, type));
    MEMBER(const struct texts *, object, schema_field(&object_schema, OBJECT_TAGS)) =
        split(&arena, tags);
    record_mark(object, OBJECT_TAGS);
    object_set_changed(object, changed_us);
    return record_freeze(&object_schema, object);
}

// As a packed one, with the reference of the plain one.
static const frozen_t *
packed(const frozen_t *object)
{
    const packed_t *packed = record_pack(&object_schema, frozen_record(object));
    record_unref(&object);
    return packed_frozen(packed);
}

const frozen_t *
list_object_random(struct random *random, unsigned number)
{
    static const char *const names[] = {
        "red pump", "Red door", "blue pump", "", "a name that is longer", "a name that is long",
        "zebra"};
    static const char *const types[] = {"Mesh", "Curve", ""};
    static const char *const tags[] = {"", "hot", "hot cold", "new hot new", "cold"};
    char key[16];
    snprintf(key, sizeof key, "%06u", number);
    const frozen_t *object =
        list_object(key, names[random_below(random, 7)], types[random_below(random, 3)],
                    tags[random_below(random, 5)], (int64_t)random_below(random, 40) - 20);
    return random_below(random, 2) ? packed(object) : object;
}

void
list_set_put(struct list_set *self, const frozen_t *object)
{
    record_orders_replace(&self->orders, record_set_find(&self->set, frozen_key(object)), object);
    record_set_put(&self->set, object);
}

void
list_set_remove(struct list_set *self, unsigned number)
{
    owned(arena_finish) struct arena arena = {0};
    const struct text *key = text_format(&arena, "%06u", number);
    const frozen_t *old = record_set_find(&self->set, key);
    if (!old)
        return;
    record_orders_replace(&self->orders, old, NULL);
    record_set_remove(&self->set, key);
}

void
list_set_finish(struct list_set *self)
{
    record_orders_finish(&self->orders);
    record_set_finish(&self->set);
}

void
list_set_make(struct list_set *self, enum list_order order, const actor_t *actor)
{
    while (!record_orders_make(&self->orders, list_kind_of(&object_schema), order, &self->set,
                               actor)) {
    }
}
