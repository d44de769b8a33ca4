// stored_objects.c - see the header.
#include "tests/support/stored_objects.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/runtime/batch.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"

enum { NAME = 1, TYPE, PARENT, CHANGED, TAG, WORD_OF, SEEN, MOST_WRITES = 200 };

static int
number_of(const struct record *object)
{
    return atoi(text_chars(record_key(object)));
}

bool
stored_object_is_seen(const void *user, const struct record *object)
{
    bool is_ann = *(const char *)user != '\0';
    return number_of(object) % 2 == 0 || (is_ann && number_of(object) % 7 == 0);
}

// They stand in the rare part of an object, which rows of members do not reach.
static const struct texts *
tags_of(struct arena *arena, const struct record *object)
{
    (void)arena;
    return MEMBER_CONST(const struct texts *, object, schema_field(&object_schema, OBJECT_TAGS));
}

static const struct texts *
seen_of(struct arena *arena, const struct record *object)
{
    bool is_anns = number_of(object) % 7 == 0;
    return list_rows_seen(arena, is_anns ? text_from(arena, "ann") : NULL,
                          number_of(object) % 2 == 0);
}

static const struct index_row rows[] = {
    {.id = NAME, .form = INDEX_ORDER, .member = OBJECT_NAME},
    {.id = TYPE, .form = INDEX_ORDER, .member = OBJECT_TYPE},
    {.id = PARENT, .form = INDEX_ORDER, .member = OBJECT_PARENT},
    {.id = CHANGED, .form = INDEX_NUMBER, .member = OBJECT_CHANGED},
    {.id = TAG, .form = INDEX_MADE, .make = tags_of},
    {.id = WORD_OF, .form = INDEX_MADE, .make = list_rows_words},
    {.id = SEEN, .form = INDEX_MADE, .make = seen_of},
    {0}};

static const struct list_rows lists = {.orders = {[LIST_NAME] = NAME,
                                                  [LIST_TYPE] = TYPE,
                                                  [LIST_PARENT] = PARENT,
                                                  [LIST_CHANGED] = CHANGED,
                                                  [LIST_TAG] = TAG,
                                                  [LIST_WORD] = WORD_OF},
                                       .seen = SEEN};

const struct index_family stored_objects_family = {
    .family = FAMILY_ASSET, .parts = 1, .count = 1, .kinds = {{'O', &object_schema, rows}}};
const struct listed_kind stored_objects_kind = {&stored_objects_family.kinds[0], &lists};

void
stored_objects_begin(struct stored_objects *self)
{
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&self->directory);
    self->store = tested_store_open(&self->directory);
}

void
stored_objects_end(struct stored_objects *self)
{
    store_destroy(&self->store);
    temporary_finish(&self->directory);
}

struct writes {
    size_t count;
    struct key keys[MOST_WRITES];
    struct store_operation operations[MOST_WRITES];
};

static void
add(void *context, const struct key *key, bool is_delete)
{
    struct writes *self = context;
    self->keys[self->count] = *key;
    self->operations[self->count] = (struct store_operation){
        .address = {FAMILY_ASSET, 0, key_bytes(&self->keys[self->count])}, .is_delete = is_delete};
    self->count++;
}

static void
commit(struct stored_objects *self, const struct writes *writes)
{
    const struct store_commit commit = {.id = store_version_new(),
                                        .operations = writes->operations,
                                        .operation_count = writes->count};
    cr_assert_eq(store_commit(self->store, &commit, 0), STORE_OK);
}

void
stored_objects_put(struct stored_objects *self, const frozen_t *object, bool is_bare)
{
    static struct writes writes;
    owned(buffer_finish) struct buffer value = {0};
    const struct text *name = frozen_key(object);
    const struct key key = key_of_text('O', name);
    writes.count = 0;
    record_to_stored(frozen_record(object), &value);
    add(&writes, &key, false);
    writes.operations[0].value = (struct bytes){value.data, value.size};
    if (!is_bare)
        index_records_change(rows, (struct bytes){text_bytes(name), text_size(name)}, NULL,
                             frozen_record(object), add, &writes);
    commit(self, &writes);
}

void
stored_objects_damage(struct stored_objects *self, const char *key)
{
    static struct writes writes;
    owned(arena_finish) struct arena arena = {0};
    const struct key place = key_of_text('O', text_from(&arena, key));
    writes.count = 0;
    add(&writes, &place, false);
    writes.operations[0].value = (struct bytes){"\xc1", 1};
    commit(self, &writes);
}
