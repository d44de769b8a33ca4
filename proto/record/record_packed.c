// record_packed.c - the form of packed records. The block of a record is, without gaps: a head, the
// text of its key, then what is present of the other members in the order of their ids: numbers 8
// bytes each, texts as they are, of lists and nested records an offset of 4 bytes. Those stand
// aligned at its end, as in a plain frozen record. Bools are bits of the head. A text that an
// earlier member has too is a reference of 4 bytes to that member. Pure; any thread.
#include "proto/record/record_packed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "proto/record/record_block.h"
#include "proto/record/record_copy.h"

enum {
    FORM_BITS = 6,                    // of the head: which form
    FORMS_MOST = 1 << FORM_BITS,      // schemas that are ever packed
    BOOLS_FROM = FORM_BITS + 1,       // the bit between says that the record is RECORD_SCALAR
    NARROW = sizeof(uint32_t),        // bytes of a head, if `present` fits behind the bools,
    WIDE = NARROW + sizeof(uint64_t), // or else stands apart
    NO_STEP = UINT8_MAX,
    OFFSET_SIZE = sizeof(uint32_t),
    REFERENCE_SIZE = sizeof(uint32_t), // in the place of a text
    TEXTS_MOST = 8,                    // of a record that are compared with those behind them
};

// In the place of the size of a text: this, and the id of the earlier member that has it. No text
// is as large, as no block is.
#define SAME_TEXT (UINT32_C(1) << 31)

// How one member is packed.
struct step {
    const struct field *field;
    uint32_t offset; // in the struct of its part
    uint16_t size;   // in the struct
    uint8_t type;    // enum field_type
    uint8_t bit;     // of a bool, in the head
    bool is_rare;
};

// How records of one schema are packed.
struct form {
    const struct schema *schema;
    uint64_t rare;   // the members of the rare part
    uint64_t bools;  // those that are bits
    uint64_t key;    // the key, or 0
    uint32_t number; // in the table
    uint8_t head;    // NARROW or WIDE
    uint8_t shift;   // of `present`, in a narrow head
    uint8_t count;   // of steps
    uint8_t by_id[64];
    struct step steps[];
};

// --- forms: made once for each schema that is packed, and kept ---

static struct form *_Atomic forms[FORMS_MOST];
static pthread_mutex_t forms_lock = PTHREAD_MUTEX_INITIALIZER;

static struct form *
form_at(uint32_t number)
{
    return atomic_load_explicit(&forms[number], memory_order_acquire);
}

static void
add_step(struct form *self, const struct field *field, unsigned *bit)
{
    struct step *step = &self->steps[self->count];
    *step = (struct step){.field = field,
                          .offset = field->offset,
                          .size = (uint16_t)field_size(field),
                          .type = field->type,
                          .is_rare = field->rare != 0};
    self->by_id[field->id] = self->count++;
    if (step->is_rare)
        self->rare |= FIELD_BIT(field->id);
    else if (field->type == FIELD_TEXT && field->offset == offsetof(struct keyed, key))
        self->key = FIELD_BIT(field->id);
    if (field->type != FIELD_BOOL)
        return;
    self->bools |= FIELD_BIT(field->id);
    step->bit = (uint8_t)(*bit)++;
}

static struct form *
form_create(const struct schema *schema, uint32_t number)
{
    struct form *self = memory_take_zeroed(sizeof *self + schema->count * sizeof self->steps[0]);
    unsigned bit = BOOLS_FROM, last = 0;
    assert(schema_room(schema) <= OPENED_SIZE);
    self->schema = schema;
    self->number = number;
    memset(self->by_id, NO_STEP, sizeof self->by_id);
    for (uint32_t i = 0; i < schema->count; i++) {
        add_step(self, &schema->fields[i], &bit);
        last = schema->fields[i].id > last ? schema->fields[i].id : last;
    }
    assert(bit <= 32);
    self->shift = (uint8_t)bit;
    self->head = bit + last < 32 ? NARROW : WIDE;
    return self;
}

// The form of the schema among those from `*number` on, or NULL with the first free number.
static struct form *
find_form(const struct schema *schema, uint32_t *number)
{
    struct form *form;
    for (; *number < FORMS_MOST && (form = form_at(*number)) != NULL; ++*number)
        if (form->schema == schema)
            return form;
    return NULL;
}

static const struct form *
form_of(const struct schema *schema)
{
    uint32_t number = 0;
    struct form *form = find_form(schema, &number);
    if (form)
        return form;
    pthread_mutex_lock(&forms_lock);
    form = find_form(schema, &number);
    if (!form) {
        assert(number < FORMS_MOST);
        form = form_create(schema, number);
        atomic_store_explicit(&forms[number], form, memory_order_release);
    }
    pthread_mutex_unlock(&forms_lock);
    return form;
}

// --- heads ---

static uint32_t
head_word(const void *packed)
{
    uint32_t word;
    memcpy(&word, packed, sizeof word);
    return word;
}

static const struct form *
form_of_packed(uint32_t word)
{
    return form_at(word & (FORMS_MOST - 1));
}

static uint64_t
read_present(const struct form *form, uint32_t word, const void *packed)
{
    uint64_t present = (uint64_t)word >> form->shift;
    if (form->head == WIDE)
        memcpy(&present, (const char *)packed + NARROW, sizeof present);
    return word & (1u << FORM_BITS) ? present | RECORD_SCALAR : present;
}

static void
write_head(const struct form *form, const struct record *record, uint64_t present, char *to)
{
    uint32_t word = form->number;
    if (record->present & RECORD_SCALAR)
        word |= 1u << FORM_BITS;
    for (uint64_t left = present & form->bools; left; left &= left - 1) {
        const struct step *step = &form->steps[form->by_id[__builtin_ctzll(left)]];
        word |= (uint32_t)MEMBER_CONST(bool, record, step->field) << step->bit;
    }
    if (form->head == NARROW)
        word |= (uint32_t)(present << form->shift);
    else
        memcpy(to + NARROW, &present, sizeof present);
    memcpy(to, &word, sizeof word);
}

// --- packing ---

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
is_apart(const struct step *step)
{
    return step->type == FIELD_TEXTS || step->type == FIELD_RECORD || step->type == FIELD_RECORDS;
}

// The members that are packed: those of the form's schema.
static uint64_t
present_of(const struct form *form, const struct record *record)
{
    uint64_t present = 0;
    for (uint8_t i = 0; i < form->count; i++)
        present |= record->present & FIELD_BIT(form->steps[i].field->id);
    return present;
}

// Takes the next of the members that are left, none of which is a bool: the key first.
static const struct step *
next_step(const struct form *form, uint64_t *left)
{
    uint64_t first = *left & form->key ? form->key : *left & -*left;
    *left &= ~first;
    return &form->steps[form->by_id[__builtin_ctzll(first)]];
}

struct packing {
    const struct form *form;
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
note_text(struct packing *self, const struct step *step)
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
inline_size(const struct packing *self, const struct step *step)
{
    switch ((enum field_type)step->type) {
    case FIELD_BOOL:
        return 0;
    case FIELD_TEXT:
        return self->references & FIELD_BIT(step->field->id)
                   ? REFERENCE_SIZE
                   : text_room(text_of(self->record, step->field));
    case FIELD_TEXTS:
    case FIELD_RECORD:
    case FIELD_RECORDS:
        return OFFSET_SIZE;
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
        const struct step *step = next_step(self->form, &left);
        if (step->type == FIELD_TEXT)
            note_text(self, step);
        self->side += inline_size(self, step);
    }
    self->size = self->side;
    for (uint64_t left = self->members; left;) {
        const struct step *step = next_step(self->form, &left);
        if (is_apart(step))
            self->size = record_measure_member(self->size, step->field, self->record);
    }
}

// Where the next list or record was put, of this block; 0 of an empty one.
static uint32_t
put_apart(const struct packing *self, const struct step *step, struct place *apart,
          const char *block)
{
    const void *copy = record_copy_member(apart, step->field, self->record);
    return copy ? (uint32_t)((const char *)copy - block) : 0;
}

// Puts a text, or that an earlier member has it; returns the place behind it.
static char *
put_text(const struct packing *self, const struct step *step, char *at)
{
    const struct text *text = text_of(self->record, step->field);
    uint8_t id = step->field->id;
    if (self->references & FIELD_BIT(id)) {
        uint32_t reference = SAME_TEXT | self->same[id];
        memcpy(at, &reference, sizeof reference);
        return at + REFERENCE_SIZE;
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
        const struct step *step = next_step(self->form, &left);
        if (is_apart(step)) {
            uint32_t offset = put_apart(self, step, &apart, block);
            memcpy(at, &offset, sizeof offset);
            at += OFFSET_SIZE;
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

const packed_t *
record_pack(const struct schema *schema, const struct record *record)
{
    const struct form *form = form_of(schema);
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
    if (form->head == NARROW && present & form->key)
        block->size |= FROZEN_KEYED;
    return frozen_packed(block_frozen(block));
}

// --- opening ---

// A record that is being opened.
struct opening {
    const struct form *form;
    char *bytes; // of its struct
    char *part;  // of its rare part; NULL: it has none
};

// The place of a member.
static inline char *
opened_member(const struct opening *self, const struct step *step)
{
    return (step->is_rare ? self->part : self->bytes) + step->offset;
}

// Opens a text, which may be that of an earlier member; returns the place behind it.
static inline const char *
open_text(const struct opening *self, const char *at, char *member)
{
    uint32_t size;
    memcpy(&size, at, sizeof size);
    if (!(size & SAME_TEXT)) {
        memcpy(member, &at, sizeof at);
        return at + sizeof(struct text) + size + 1;
    }
    const struct step *same = &self->form->steps[self->form->by_id[size & ~SAME_TEXT]];
    memcpy(member, opened_member(self, same), sizeof at);
    return at + REFERENCE_SIZE;
}

// Opens one member into its place; returns the place behind it in the block.
static inline const char *
open_member(const struct opening *self, const struct step *step, const char *at, const char *block)
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
        return at + OFFSET_SIZE;
    case FIELD_NUMBERS:
    case FIELD_BOOL:
        break;
    }
    memcpy(member, at, step->size);
    return at + step->size;
}

// The record with nothing in it, and the part that its rare members go to.
static char *
open_empty(const struct form *form, uint64_t present, char *bytes)
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
    uint32_t word = head_word(self);
    const struct form *form = form_of_packed(word);
    uint64_t present = read_present(form, word, self);
    const struct opening opening = {form, bytes, open_empty(form, present, bytes)};
    const char *block = (const char *)self - sizeof(struct block);
    const char *at = (const char *)self + form->head;
    for (uint64_t left = present & form->bools; left; left &= left - 1) {
        const struct step *step = &form->steps[form->by_id[__builtin_ctzll(left)]];
        *opened_member(&opening, step) = word >> step->bit & 1;
    }
    for (uint64_t left = present & ~form->bools & ~RECORD_SCALAR; left;) {
        const struct step *step = next_step(form, &left);
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
    const struct schema *schema = form_of_packed(head_word(self))->schema;
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
    uint32_t word = head_word(self);
    return (read_present(form_of_packed(word), word, self) & FIELD_BIT(id)) != 0;
}

const struct text *
packed_key_text(const frozen_t *self)
{
    uint32_t word = head_word(self);
    const struct form *form = form_of_packed(word);
    bool has_key = (read_present(form, word, self) & form->key) != 0;
    return has_key ? (const struct text *)((const char *)self + form->head) : NULL;
}

const frozen_t *
frozen_unpack(const frozen_t *self)
{
    struct opened room;
    if (!frozen_is_packed(self))
        return record_ref(self);
    const struct record *record = packed_open(frozen_packed(self), &room);
    return record_freeze(record->schema, record);
}
