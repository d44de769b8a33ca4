// packed_form.h - how records of a schema are packed: the form of the schema, made once and kept,
// and the head of a packed record, which names it. Inside of proto/record.
#ifndef DIORAMA_PROTO_RECORD_PACKED_FORM_H
#define DIORAMA_PROTO_RECORD_PACKED_FORM_H

#include <stdatomic.h>
#include <string.h>

#include "proto/record/record_block.h"

enum {
    PACKED_FORM_BITS = 6,                      // of the head: which form
    PACKED_FORMS_MOST = 1 << PACKED_FORM_BITS, // schemas that are ever packed
    // The bit between says that the record is RECORD_SCALAR.
    PACKED_BOOLS_FROM = PACKED_FORM_BITS + 1,
    PACKED_NARROW = sizeof(uint32_t), // bytes of a head, if `present` fits behind the bools,
    PACKED_WIDE = PACKED_NARROW + sizeof(uint64_t), // or else stands apart
    PACKED_OFFSET_SIZE = sizeof(uint32_t),
    PACKED_REFERENCE_SIZE = sizeof(uint32_t), // in the place of a text
};

// In the place of the size of a text: this, and the id of the earlier member that has it. No text
// is as large, as no block is.
#define PACKED_SAME_TEXT (UINT32_C(1) << 31)

// How one member is packed.
struct packed_step {
    const struct field *field;
    uint32_t offset; // in the struct of its part
    uint16_t size;   // in the struct
    uint8_t type;    // enum field_type
    uint8_t bit;     // of a bool, in the head
    bool is_rare;
};

// How records of one schema are packed.
struct packed_form {
    const struct schema *schema;
    uint64_t rare;   // the members of the rare part
    uint64_t bools;  // those that are bits
    uint64_t key;    // the key, or 0
    uint32_t number; // in the table
    uint8_t head;    // PACKED_NARROW or PACKED_WIDE
    uint8_t shift;   // of `present`, in a narrow head
    uint8_t count;   // of steps
    uint8_t by_id[64];
    struct packed_step steps[];
};

// Those that were made, by number; the first NULL ends them.
extern struct packed_form *_Atomic packed_forms[PACKED_FORMS_MOST];

// The form of a schema; made where it is the first time. Any thread.
const struct packed_form *packed_form_of(const struct schema *schema);

static inline struct packed_form *
packed_form_at(uint32_t number)
{
    return atomic_load_explicit(&packed_forms[number], memory_order_acquire);
}

// --- heads ---

// The first word of a packed record.
static inline uint32_t
packed_head(const void *packed)
{
    uint32_t word;
    memcpy(&word, packed, sizeof word);
    return word;
}

// The form that it names.
static inline const struct packed_form *
packed_form_of_word(uint32_t word)
{
    return packed_form_at(word & (PACKED_FORMS_MOST - 1));
}

// The members that are there.
static inline uint64_t
packed_present(const struct packed_form *form, uint32_t word, const void *packed)
{
    uint64_t present = (uint64_t)word >> form->shift;
    if (form->head == PACKED_WIDE)
        memcpy(&present, (const char *)packed + PACKED_NARROW, sizeof present);
    return word & (1u << PACKED_FORM_BITS) ? present | RECORD_SCALAR : present;
}

// Takes the next of the members that are left, none of which is a bool: the key first.
static inline const struct packed_step *
packed_next_step(const struct packed_form *form, uint64_t *left)
{
    uint64_t first = *left & form->key ? form->key : *left & -*left;
    *left &= ~first;
    return &form->steps[form->by_id[__builtin_ctzll(first)]];
}

#endif
