// index_records.c - from values of records to keys, and back (index_records.h).
#include "actors/runtime/index_records.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/memory.h"

enum {
    ROW_SIZE = 2, // tag and id
    NUMBER_SIZE = 8,
    END = 0,    // of a text
    ESCAPE = 1, // before what would be one of these two bytes, plus one
};

static void
put_byte(struct key *self, unsigned byte)
{
    self->data[self->size++] = (unsigned char)byte;
}

const struct index_row *
index_row_with_id(const struct index_row *rows, unsigned id)
{
    for (const struct index_row *row = rows; row && row->id; row++)
        if (row->id == id)
            return row;
    return NULL;
}

struct key
index_prefix(const struct index_row *row)
{
    struct key key = key_of_tag(KEY_INDEX);
    put_byte(&key, row->id);
    return key;
}

// A text without the bytes END, in the order of texts. It is cut between its bytes.
static void
put_text(struct key *self, const struct text *value)
{
    size_t end = self->size + INDEX_VALUE_BYTES;
    for (size_t i = 0; i < text_size(value); i++) {
        unsigned char byte = (unsigned char)text_bytes(value)[i];
        bool is_escaped = byte <= ESCAPE;
        if (self->size + 1 + is_escaped > end)
            return;
        if (is_escaped)
            put_byte(self, ESCAPE);
        put_byte(self, byte + is_escaped);
    }
}

struct key
index_prefix_of_beginning(const struct index_row *row, const struct text *beginning)
{
    struct key key = index_prefix(row);
    put_text(&key, beginning);
    return key;
}

struct key
index_prefix_of_text(const struct index_row *row, const struct text *value)
{
    struct key key = index_prefix_of_beginning(row, value);
    put_byte(&key, END);
    return key;
}

struct key
index_prefix_of_number(const struct index_row *row, int64_t value)
{
    struct key key = index_prefix(row);
    key_put_u64(key.data + key.size, (uint64_t)value ^ UINT64_C(1) << 63);
    key.size += NUMBER_SIZE;
    return key;
}

static void
put_name(struct key *self, struct bytes name)
{
    size_t room = sizeof self->data - self->size, size = name.size < room ? name.size : room;
    memcpy(self->data + self->size, name.data, size);
    self->size += size;
}

struct key
index_key_under(const struct key *prefix, struct bytes name)
{
    struct key key = *prefix;
    put_name(&key, name);
    return key;
}

struct key
index_key_of_text(const struct index_row *row, const struct text *value, struct bytes name)
{
    const struct key prefix = index_prefix_of_text(row, value);
    return index_key_under(&prefix, name);
}

// The keys of one row that lead to a record.
struct key_list {
    size_t count;
    struct key *items;
};

static void
add(struct key_list *self, struct key prefix, struct bytes name)
{
    self->items[self->count++] = index_key_under(&prefix, name);
}

static const struct field *
field_of(const struct schema *schema, unsigned id)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->fields[i].id == id)
            return &schema->fields[i];
    abort(); // the row names a member that its kind does not have
}

static const void *
member_of(const struct record *record, unsigned id)
{
    const struct field *field = field_of(record->schema, id);
    assert(!field->rare);
    return (const char *)(const void *)record + field->offset;
}

static const struct texts *
texts_by(const struct index_row *row, struct arena *arena, const struct record *record)
{
    if (row->form == INDEX_MADE)
        return row->make(arena, record);
    return record_has(record, row->member)
               ? *(const struct texts *const *)member_of(record, row->member)
               : NULL;
}

static void
add_texts(struct key_list *self, const struct index_row *row, struct arena *arena,
          struct bytes name, const struct texts *values)
{
    self->items = arena_alloc(arena, (texts_count(values) + 1) * sizeof *self->items);
    for (size_t i = 0; i < texts_count(values); i++)
        if (text_size(values->items[i]) > 0)
            add(self, index_prefix_of_text(row, values->items[i]), name);
}

static struct key_list
keys_of(const struct index_row *row, struct arena *arena, struct bytes name,
        const struct record *record)
{
    struct key_list self = {.count = 0};
    if (!record)
        return self;
    if (row->form == INDEX_MADE || row->form == INDEX_TEXTS) {
        add_texts(&self, row, arena, name, texts_by(row, arena, record));
        return self;
    }
    self.items = arena_alloc(arena, sizeof *self.items);
    if (row->form == INDEX_NUMBER) {
        bool is_there = record_has(record, row->member);
        int64_t number = is_there ? *(const int64_t *)member_of(record, row->member) : 0;
        add(&self, index_prefix_of_number(row, number), name);
        return self;
    }
    const struct text *value = record_text(record, row->member);
    if (row->form == INDEX_ORDER || text_size(value) > 0)
        add(&self, index_prefix_of_text(row, value), name);
    return self;
}

static int
compare_keys(const void *a, const void *b)
{
    return key_compare(*(const struct key *const *)a, *(const struct key *const *)b);
}

// The keys in order, each once, as a record may say a text twice. The array is in the arena.
static const struct key **
in_order(struct arena *arena, const struct key_list *self, size_t *ret_count)
{
    const struct key **keys = arena_alloc(arena, (self->count + 1) * sizeof *keys);
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        keys[i] = &self->items[i];
    qsort(keys, self->count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < self->count; i++)
        if (count == 0 || key_compare(keys[count - 1], keys[i]) != 0)
            keys[count++] = keys[i];
    *ret_count = count;
    return keys;
}

// Writes what one list has and the other has not.
static void
write_difference(struct arena *arena, const struct key_list *old, const struct key_list *fresh,
                 index_writer *write, void *context)
{
    size_t gone_count, come_count, i = 0, j = 0;
    const struct key **gone = in_order(arena, old, &gone_count);
    const struct key **come = in_order(arena, fresh, &come_count);
    while (i < gone_count || j < come_count) {
        int order = i == gone_count ? 1 : j == come_count ? -1 : key_compare(gone[i], come[j]);
        if (order < 0)
            write(context, gone[i], true);
        if (order > 0)
            write(context, come[j], false);
        i += order <= 0;
        j += order >= 0;
    }
}

void
index_records_change(const struct index_row *rows, struct bytes name, const struct record *before,
                     const struct record *after, index_writer *write, void *context)
{
    struct arena arena = {0};
    for (const struct index_row *row = rows; row && row->id; row++) {
        struct key_list old = keys_of(row, &arena, name, before);
        struct key_list fresh = keys_of(row, &arena, name, after);
        write_difference(&arena, &old, &fresh, write, context);
    }
    arena_finish(&arena);
}

struct staged {
    struct batch *batch;
    uint16_t part;
};

static void
stage(void *context, const struct key *key, bool is_delete)
{
    const struct staged *self = context;
    batch_write_beside(self->batch, self->part, *key, is_delete);
}

void
index_records_stage(const struct index_row *rows, struct batch *batch, uint16_t part,
                    struct bytes name, const struct record *before, const struct record *after)
{
    struct staged staged = {batch, part};
    index_records_change(rows, name, before, after, stage, &staged);
}

// --- from keys ---

static bool
find_row(const struct index_family *family, unsigned id, const struct index_kind **ret_kind,
         const struct index_row **ret_row)
{
    for (size_t i = 0; i < family->count; i++)
        for (const struct index_row *row = family->kinds[i].rows; row && row->id; row++)
            if (row->id == id) {
                *ret_kind = &family->kinds[i];
                *ret_row = row;
                return true;
            }
    return false;
}

bool
index_key_read(const struct index_family *family, struct bytes key,
               const struct index_kind **ret_kind, const struct index_row **ret_row,
               struct bytes *ret_name)
{
    const unsigned char *bytes = key.data;
    if (key.size < ROW_SIZE || bytes[0] != KEY_INDEX ||
        !find_row(family, bytes[1], ret_kind, ret_row))
        return false;
    size_t size = ROW_SIZE + NUMBER_SIZE;
    if ((*ret_row)->form != INDEX_NUMBER) {
        const unsigned char *end = memchr(bytes + ROW_SIZE, END, key.size - ROW_SIZE);
        size = end ? (size_t)(end + 1 - bytes) : key.size + 1;
    }
    if (size > key.size)
        return false;
    *ret_name = (struct bytes){bytes + size, key.size - size};
    return true;
}
