// user_writes.c - commits and pages of a start (user_writes.h). Runs before the actor does.
#include "actors/user/user_writes.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/user/user_index.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"

struct user_write {
    struct key key;
    size_t offset, size; // of its value
    bool is_delete;
};

static const struct index_kind *
kind_of(key_tag_t tag)
{
    size_t at = 0;
    while (user_indexes.kinds[at].tag != tag) {
        at++;
        assert(at < user_indexes.count);
    }
    return &user_indexes.kinds[at];
}

// --- writing ---

void
user_writes_finish(struct user_writes *self)
{
    buffer_finish(&self->values);
    free(self->items);
    *self = (struct user_writes){0};
}

static void
add(struct user_writes *self, const struct key *key, size_t offset, bool is_delete)
{
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 64;
        self->items = memory_resize(self->items, self->room * sizeof *self->items);
    }
    self->items[self->count++] =
        (struct user_write){*key, offset, self->values.size - offset, is_delete};
}

static void
add_index(void *context, const struct key *key, bool is_delete)
{
    struct user_writes *self = context;
    add(self, key, self->values.size, is_delete);
}

void
user_writes_add(struct user_writes *self, key_tag_t tag, const struct record *before,
                const struct record *after)
{
    const struct text *name = record_key(after ? after : before);
    const struct key key = key_of_text(tag, name);
    size_t offset = self->values.size;
    if (after)
        record_to_stored(after, &self->values);
    add(self, &key, offset, !after);
    index_records_change(kind_of(tag)->rows, (struct bytes){text_bytes(name), text_size(name)},
                         before, after, add_index, self);
}

fallible
user_writes_commit(struct user_writes *self, store_t *store)
{
    if (self->count == 0)
        return OK;
    struct store_operation *operations = memory_take(self->count * sizeof *operations);
    for (size_t i = 0; i < self->count; i++)
        operations[i] = (struct store_operation){
            .address = {FAMILY_USER, 0, key_bytes(&self->items[i].key)},
            .is_delete = self->items[i].is_delete,
            .value = {self->items[i].size ? self->values.data + self->items[i].offset : NULL,
                      self->items[i].size}};
    const struct store_commit commit = {.id = store_version_new(),
                                        .operations = operations,
                                        .operation_count = self->count,
                                        .is_vital = true};
    enum store_result result =
        store_commit(store, &commit, clock_deadline_ms(USER_WRITES_DEADLINE_MS));
    free(operations);
    self->count = self->values.size = 0;
    return result == STORE_OK ? OK : fail(store_error(result), "", "users cannot be written");
}

// --- reading ---

struct record_page *
user_page(key_tag_t tag, unsigned row, const struct text *value)
{
    const struct index_kind *kind = kind_of(tag);
    if (!value)
        return record_page_of_kind(&user_indexes, kind, 0);
    const struct key prefix = index_prefix_of_text(index_row_with_id(kind->rows, row), value);
    return record_page_by_index(&user_indexes, kind, 0, &prefix);
}

struct record_page *
user_page_of_key(key_tag_t tag, const struct text *key)
{
    struct record_page *page = user_page(tag, 0, NULL);
    page->low = key_of_text(tag, key);
    page->high = key_next(&page->low);
    page->limit = 1;
    return page;
}

fallible
user_page_read(struct record_page *self, store_t *store)
{
    record_page_read(self, store, clock_deadline_ms(USER_WRITES_DEADLINE_MS));
    bool is_read =
        self->scanned == STORE_OK && (self->result == STORE_OK || self->result == STORE_BAD);
    return is_read ? OK
                   : fail(store_error(self->scanned != STORE_OK ? self->scanned : self->result), "",
                          "users cannot be read");
}
