// record_packed.c - opens packed records. The block of one is, without gaps: a head, the text of
// its key, then what is present of the other members in the order of their ids: numbers 8 bytes
// each, texts as they are, of lists and nested records an offset of 4 bytes. Those stand aligned at
// its end, as in a plain frozen record. Bools are bits of the head. A text that an earlier member
// has too is a reference of 4 bytes to that member. Pure; any thread.
#include "proto/record/record_packed.h"

#include <string.h>

#include "proto/record/packed_form.h"

// A record that is being opened.
struct opening {
    const struct packed_form *form;
    char *bytes; // of its struct
    char *part;  // of its rare part; NULL: it has none
};

// The place of a member.
static inline char *
opened_member(const struct opening *self, const struct packed_step *step)
{
    return (step->is_rare ? self->part : self->bytes) + step->offset;
}

// Opens a text, which may be that of an earlier member; returns the place behind it.
static inline const char *
open_text(const struct opening *self, const char *at, char *member)
{
    uint32_t size;
    memcpy(&size, at, sizeof size);
    if (!(size & PACKED_SAME_TEXT)) {
        memcpy(member, &at, sizeof at);
        return at + sizeof(struct text) + size + 1;
    }
    const struct packed_step *same =
        &self->form->steps[self->form->by_id[size & ~PACKED_SAME_TEXT]];
    memcpy(member, opened_member(self, same), sizeof at);
    return at + PACKED_REFERENCE_SIZE;
}

// Opens one member into its place; returns the place behind it in the block.
static inline const char *
open_member(const struct opening *self, const struct packed_step *step, const char *at,
            const char *block)
{
    char *member = opened_member(self, step);
    const void *pointed;
    uint32_t offset;
    switch ((enum field_type)step->type) {
    case FIELD_TEXT:
        return open_text(self, at, member);
    case FIELD_INTEGER:
    case FIELD_NUMBER:
        memcpy(member, at, sizeof(uint64_t));
        return at + sizeof(uint64_t);
    case FIELD_TEXTS:
    case FIELD_RECORD:
    case FIELD_RECORDS:
        memcpy(&offset, at, sizeof offset);
        pointed = offset ? block + offset : NULL;
        memcpy(member, &pointed, sizeof pointed);
        return at + PACKED_OFFSET_SIZE;
    case FIELD_NUMBERS:
    case FIELD_BOOL:
        break;
    }
    memcpy(member, at, step->size);
    return at + step->size;
}

// The record with nothing in it, and the part that its rare members go to.
static char *
open_empty(const struct packed_form *form, uint64_t present, char *bytes)
{
    const struct schema *schema = form->schema;
    struct record *record = (void *)bytes;
    char *part = NULL;
    memset(bytes, 0, schema->size);
    record->schema = schema;
    record->present = present;
    if (present & form->rare) {
        part = bytes + schema->size;
        memset(part, 0, schema->rare_size);
        memcpy(bytes + schema->rare, &part, sizeof part);
    }
    return part;
}

// Opens it in memory as large as a loose record of its schema.
static const struct record *
open_at(const packed_t *self, char *bytes)
{
    uint32_t word = packed_head(self);
    const struct packed_form *form = packed_form_of_word(word);
    uint64_t present = packed_present(form, word, self);
    const struct opening opening = {form, bytes, open_empty(form, present, bytes)};
    const char *block = (const char *)self - sizeof(struct block);
    const char *at = (const char *)self + form->head;
    for (uint64_t left = present & form->bools; left; left &= left - 1) {
        const struct packed_step *step = &form->steps[form->by_id[__builtin_ctzll(left)]];
        *opened_member(&opening, step) = word >> step->bit & 1;
    }
    for (uint64_t left = present & ~form->bools & ~RECORD_SCALAR; left;) {
        const struct packed_step *step = packed_next_step(form, &left);
        at = open_member(&opening, step, at, block);
    }
    return (const struct record *)(const void *)bytes;
}

const struct record *
packed_open(const packed_t *self, struct opened *room)
{
    return open_at(self, room->bytes);
}

const struct record *
packed_open_in(const packed_t *self, struct arena *arena)
{
    const struct schema *schema = packed_form_of_word(packed_head(self))->schema;
    return open_at(self, arena_alloc(arena, schema_room(schema)));
}

const packed_t *
packed_lend(const packed_t *self, struct arena *arena)
{
    const struct block *from = block_of(packed_frozen(self));
    struct block *copy = arena_alloc(arena, block_size(from));
    copy->size = from->size | FROZEN_LENT;
    memcpy(copy + 1, from + 1, block_size(from) - sizeof *from);
    return frozen_packed(block_frozen(copy));
}

bool
packed_has(const packed_t *self, unsigned id)
{
    uint32_t word = packed_head(self);
    return (packed_present(packed_form_of_word(word), word, self) & FIELD_BIT(id)) != 0;
}

const struct text *
packed_key_text(const frozen_t *self)
{
    uint32_t word = packed_head(self);
    const struct packed_form *form = packed_form_of_word(word);
    bool has_key = (packed_present(form, word, self) & form->key) != 0;
    return has_key ? (const struct text *)((const char *)self + form->head) : NULL;
}

const frozen_t *
frozen_unpack(const frozen_t *self)
{
    struct opened room;
    if (!self || !frozen_is_packed(self))
        return record_ref(self);
    const struct record *record = packed_open(frozen_packed(self), &room);
    return record_freeze(record->schema, record);
}
