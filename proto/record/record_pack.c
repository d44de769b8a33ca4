// record_pack.c - packs records (record_packed.h): first what each member takes is added up, then
// they are put into one block of that size. Pure; any thread.
#include <string.h>

#include "proto/record/packed_form.h"
#include "proto/record/record_copy.h"
#include "proto/record/record_packed.h"

enum { TEXTS_MOST = 8 }; // of a record that are compared with those behind them

static const struct text empty_text;

// A member is present or not; a text that is there has its bytes even where it is empty.
static const struct text *
text_of(const struct record *record, const struct field *field)
{
    const struct text *text = MEMBER_CONST(const struct text *, record, field);
    return text ? text : &empty_text;
}

static size_t
text_room(const struct text *text)
{
    return sizeof *text + text->size + 1;
}

static bool
is_apart(const struct packed_step *step)
{
    return step->type == FIELD_TEXTS || step->type == FIELD_RECORD || step->type == FIELD_RECORDS;
}

// The members that are packed: those of the form's schema.
static uint64_t
present_of(const struct packed_form *form, const struct record *record)
{
    uint64_t present = 0;
    for (uint8_t i = 0; i < form->count; i++)
        present |= record->present & FIELD_BIT(form->steps[i].field->id);
    return present;
}

struct packing {
    const struct packed_form *form;
    const struct record *record;
    uint64_t members; // that are present, without bools
    size_t side;      // bytes of the block up to the end of what stands side by side
    size_t size;      // bytes of the block
    // The texts that stand in the block, and the member of each.
    unsigned text_count;
    const struct text *texts[TEXTS_MOST];
    uint8_t ids[TEXTS_MOST];
    uint64_t references; // the members whose text is that of an earlier one
    uint8_t same[64];    // the id of that, by the id of the member
};

// Notes a text, and whether an earlier member has it. Of a record with very many only the first
// ones are compared; an empty one takes hardly more than a reference.
static void
note_text(struct packing *self, const struct packed_step *step)
{
    const struct text *text = text_of(self->record, step->field);
    uint8_t id = step->field->id;
    for (unsigned i = 0; i < self->text_count; i++)
        if (text_equal(self->texts[i], text)) {
            self->references |= FIELD_BIT(id);
            self->same[id] = self->ids[i];
            return;
        }
    if (text->size == 0 || self->text_count == TEXTS_MOST)
        return;
    self->texts[self->text_count] = text;
    self->ids[self->text_count++] = id;
}

// Bytes of the member among those that stand side by side.
static size_t
inline_size(const struct packing *self, const struct packed_step *step)
{
    switch ((enum field_type)step->type) {
    case FIELD_BOOL:
        return 0;
    case FIELD_TEXT:
        return self->references & FIELD_BIT(step->field->id)
                   ? PACKED_REFERENCE_SIZE
                   : text_room(text_of(self->record, step->field));
    case FIELD_TEXTS:
    case FIELD_RECORD:
    case FIELD_RECORDS:
        return PACKED_OFFSET_SIZE;
    case FIELD_INTEGER:
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        break;
    }
    return step->size;
}

static void
measure(struct packing *self)
{
    self->side = sizeof(struct block) + self->form->head;
    for (uint64_t left = self->members; left;) {
        const struct packed_step *step = packed_next_step(self->form, &left);
        if (step->type == FIELD_TEXT)
            note_text(self, step);
        self->side += inline_size(self, step);
    }
    self->size = self->side;
    for (uint64_t left = self->members; left;) {
        const struct packed_step *step = packed_next_step(self->form, &left);
        if (is_apart(step))
            self->size = record_measure_member(self->size, step->field, self->record);
    }
}

// Where the next list or record was put, of this block; 0 of an empty one.
static uint32_t
put_apart(const struct packing *self, const struct packed_step *step, struct place *apart,
          const char *block)
{
    const void *copy = record_copy_member(apart, step->field, self->record);
    return copy ? (uint32_t)((const char *)copy - block) : 0;
}

// Puts a text, or that an earlier member has it; returns the place behind it.
static char *
put_text(const struct packing *self, const struct packed_step *step, char *at)
{
    const struct text *text = text_of(self->record, step->field);
    uint8_t id = step->field->id;
    if (self->references & FIELD_BIT(id)) {
        uint32_t reference = PACKED_SAME_TEXT | self->same[id];
        memcpy(at, &reference, sizeof reference);
        return at + PACKED_REFERENCE_SIZE;
    }
    memcpy(at, text, sizeof *text + text->size);
    at += text_room(text);
    at[-1] = '\0';
    return at;
}

static void
put_members(const struct packing *self, char *block)
{
    char *at = block + sizeof(struct block) + self->form->head;
    struct place apart = {.next = block + self->side};
    for (uint64_t left = self->members; left;) {
        const struct packed_step *step = packed_next_step(self->form, &left);
        if (is_apart(step)) {
            uint32_t offset = put_apart(self, step, &apart, block);
            memcpy(at, &offset, sizeof offset);
            at += PACKED_OFFSET_SIZE;
        } else if (step->type == FIELD_TEXT) {
            at = put_text(self, step, at);
        } else {
            memcpy(at, record_member_const(self->record, step->field), step->size);
            at += step->size;
        }
    }
    assert(at == block + self->side);
    assert(apart.next == block + self->size);
}

static void
write_head(const struct packed_form *form, const struct record *record, uint64_t present, char *to)
{
    uint32_t word = form->number;
    if (record->present & RECORD_SCALAR)
        word |= 1u << PACKED_FORM_BITS;
    for (uint64_t left = present & form->bools; left; left &= left - 1) {
        const struct packed_step *step = &form->steps[form->by_id[__builtin_ctzll(left)]];
        word |= (uint32_t)MEMBER_CONST(bool, record, step->field) << step->bit;
    }
    if (form->head == PACKED_NARROW)
        word |= (uint32_t)(present << form->shift);
    else
        memcpy(to + PACKED_NARROW, &present, sizeof present);
    memcpy(to, &word, sizeof word);
}

const packed_t *
record_pack(const struct schema *schema, const struct record *record)
{
    const struct packed_form *form = packed_form_of(schema);
    uint64_t present = present_of(form, record);
    struct packing packing;
    packing.form = form;
    packing.record = record;
    packing.members = present & ~form->bools;
    packing.text_count = 0;
    packing.references = 0;
    measure(&packing);
    struct block *block = block_create(packing.size, BLOCK_PACKED);
    write_head(form, record, present, (char *)(block + 1));
    put_members(&packing, (char *)block);
    if (form->head == PACKED_NARROW && present & form->key)
        block->size |= FROZEN_KEYED;
    return frozen_packed(block_frozen(block));
}
