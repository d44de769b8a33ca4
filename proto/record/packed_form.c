// packed_form.c - forms of packed records: one for each schema that is ever packed (packed_form.h).
#include "proto/record/packed_form.h"

#include <assert.h>
#include <pthread.h>

#include "proto/record/record_packed.h"

enum { NO_STEP = UINT8_MAX };

struct packed_form *_Atomic packed_forms[PACKED_FORMS_MOST];
static pthread_mutex_t forms_lock = PTHREAD_MUTEX_INITIALIZER;

static void
add_step(struct packed_form *self, const struct field *field, unsigned *bit)
{
    struct packed_step *step = &self->steps[self->count];
    *step = (struct packed_step){.field = field,
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

static struct packed_form *
form_create(const struct schema *schema, uint32_t number)
{
    struct packed_form *self =
        memory_take_zeroed(sizeof *self + schema->count * sizeof self->steps[0]);
    unsigned bit = PACKED_BOOLS_FROM, last = 0;
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
    self->head = bit + last < 32 ? PACKED_NARROW : PACKED_WIDE;
    return self;
}

// The form of the schema among those from `*number` on, or NULL with the first free number.
static struct packed_form *
find_form(const struct schema *schema, uint32_t *number)
{
    struct packed_form *form;
    for (; *number < PACKED_FORMS_MOST && (form = packed_form_at(*number)) != NULL; ++*number)
        if (form->schema == schema)
            return form;
    return NULL;
}

const struct packed_form *
packed_form_of(const struct schema *schema)
{
    uint32_t number = 0;
    struct packed_form *form = find_form(schema, &number);
    if (form)
        return form;
    pthread_mutex_lock(&forms_lock);
    form = find_form(schema, &number);
    if (!form) {
        assert(number < PACKED_FORMS_MOST);
        form = form_create(schema, number);
        atomic_store_explicit(&packed_forms[number], form, memory_order_release);
    }
    pthread_mutex_unlock(&forms_lock);
    return form;
}
