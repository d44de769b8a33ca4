// postgres_steps.c - sorts what a commit guards and writes, and encodes it as arrays
// (postgres_steps.h).
//
// An array in the binary form (PostgreSQL, array_send): dimensions (4) = 1, whether it has nulls
// (4) = 0, type of the elements (4), their number (4), the first index (4) = 1; then each element,
// its size (4) before it. Numbers are big-endian.
#include "store/postgres/postgres_steps.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "store/key.h"

// Numbers of types (pg_type.dat).
enum { TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_INT2 = 21 };

// --- order ---

static int
compare_places(const struct store_address *a, const struct store_address *b)
{
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    size_t common = a->key.size < b->key.size ? a->key.size : b->key.size;
    int order = common ? memcmp(a->key.data, b->key.data, common) : 0;
    if (order)
        return order;
    return a->key.size < b->key.size ? -1 : a->key.size > b->key.size;
}

// Of one place the later operation stands behind the earlier one: both are in one array.
static int
compare_operations(const void *first, const void *second)
{
    const struct store_operation *a = *(const struct store_operation *const *)first;
    const struct store_operation *b = *(const struct store_operation *const *)second;
    int order = compare_places(&a->address, &b->address);
    return order ? order : (a > b) - (a < b);
}

static int
compare_guards(const void *first, const void *second)
{
    return compare_places(&(*(const struct store_guard *const *)first)->address,
                          &(*(const struct store_guard *const *)second)->address);
}

// Pointers to the items of an array, sorted. The caller frees them.
static const void **
sort(const void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    const void **sorted = memory_take((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (const char *)items + i * size;
    if (count)
        qsort(sorted, count, sizeof *sorted, compare);
    return sorted;
}

// --- steps ---

static void
add(struct postgres_steps *self, struct step step)
{
    self->steps[self->count++] = step;
    self->counts[step.kind]++;
}

// One record: what is written to it, if anything, under its guard, if it has one.
static enum store_result
add_record(struct postgres_steps *self, const struct store_operation *operation,
           const struct store_guard *guard)
{
    bool is_put = operation && !operation->is_delete;
    if (guard && guard->version == 0 && !is_put)
        return STORE_BAD;
    if (guard && guard->version != 0 && !is_put)
        add(self, (struct step){&guard->address, {0}, guard->version, STEP_CHECK});
    if (operation && operation->is_delete)
        add(self, (struct step){&operation->address, {0}, 0, STEP_DELETE});
    if (is_put) {
        enum step_kind kind = !guard ? STEP_PUT : guard->version ? STEP_SWAP : STEP_INSERT;
        add(self,
            (struct step){&operation->address, operation->value, guard ? guard->version : 0, kind});
    }
    return STORE_OK;
}

// How many of the first items are of the same place.
static size_t
run_of(const void *const *sorted, size_t count, int (*compare)(const void *, const void *))
{
    size_t run = 1;
    while (run < count && compare(&sorted[0], &sorted[run]) == 0)
        run++;
    return run;
}

static int
compare_operation_places(const void *first, const void *second)
{
    return compare_places(&(*(const struct store_operation *const *)first)->address,
                          &(*(const struct store_operation *const *)second)->address);
}

static bool
guards_differ(const void *const *sorted, size_t run)
{
    for (size_t i = 1; i < run; i++)
        if (((const struct store_guard *)sorted[i])->version !=
            ((const struct store_guard *)sorted[0])->version)
            return true;
    return false;
}

// Walks operations and guards together, both in the order of their places.
static enum store_result
merge(struct postgres_steps *self, const void **operations, size_t operations_left,
      const void **guards, size_t guards_left)
{
    enum store_result result = STORE_OK;
    while ((operations_left || guards_left) && result == STORE_OK) {
        const struct store_operation *operation = operations_left ? operations[0] : NULL;
        const struct store_guard *guard = guards_left ? guards[0] : NULL;
        int order = !operation ? 1
                    : !guard   ? -1
                               : compare_places(&operation->address, &guard->address);
        size_t written =
            order <= 0 ? run_of(operations, operations_left, compare_operation_places) : 0;
        size_t guarded = order >= 0 ? run_of(guards, guards_left, compare_guards) : 0;
        if (guarded && guards_differ(guards, guarded))
            return STORE_CONFLICT;
        result = add_record(self, written ? operations[written - 1] : NULL, guarded ? guard : NULL);
        operations += written, operations_left -= written;
        guards += guarded, guards_left -= guarded;
    }
    return result;
}

enum store_result
postgres_steps_make(const struct store_commit *commit, struct postgres_steps *ret_steps)
{
    struct postgres_steps self = {0};
    const void **operations = sort(commit->operations, commit->operation_count,
                                   sizeof *commit->operations, compare_operations);
    const void **guards =
        sort(commit->guards, commit->guard_count, sizeof *commit->guards, compare_guards);
    self.steps =
        memory_take((commit->operation_count + commit->guard_count + 1) * sizeof *self.steps);
    enum store_result result =
        merge(&self, operations, commit->operation_count, guards, commit->guard_count);
    free(operations);
    free(guards);
    if (result == STORE_OK)
        *ret_steps = self;
    else
        postgres_steps_finish(&self);
    return result;
}

void
postgres_steps_finish(struct postgres_steps *self)
{
    free(self->steps);
    self->steps = NULL;
}

// --- arrays ---

static void
put_u32(struct buffer *bytes, uint32_t number)
{
    const unsigned char encoded[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16),
                                      (unsigned char)(number >> 8), (unsigned char)number};
    buffer_put(bytes, encoded, sizeof encoded);
}

static void
put_bytes(struct buffer *bytes, struct bytes element)
{
    put_u32(bytes, (uint32_t)element.size);
    buffer_put(bytes, element.data, element.size);
}

static void
put_u16(struct buffer *bytes, uint16_t number)
{
    const unsigned char encoded[2] = {(unsigned char)(number >> 8), (unsigned char)number};
    put_bytes(bytes, (struct bytes){encoded, sizeof encoded});
}

static void
put_u64(struct buffer *bytes, uint64_t number)
{
    unsigned char encoded[8];
    key_put_u64(encoded, number);
    put_bytes(bytes, (struct bytes){encoded, sizeof encoded});
}

// What an array has of each step.
enum column { COLUMN_FAMILY, COLUMN_PART, COLUMN_KEY, COLUMN_BEFORE, COLUMN_VALUE };

static void
put_element(struct buffer *bytes, enum column column, const struct step *step)
{
    switch (column) {
    case COLUMN_FAMILY:
        put_u16(bytes, (uint16_t)step->address->family);
        break;
    case COLUMN_PART:
        put_u16(bytes, step->address->part);
        break;
    case COLUMN_KEY:
        put_bytes(bytes, step->address->key);
        break;
    case COLUMN_BEFORE:
        put_u64(bytes, step->before);
        break;
    case COLUMN_VALUE:
        put_bytes(bytes, step->value);
        break;
    }
}

static void
put_array(const struct postgres_steps *self, enum step_kind kind, enum column column,
          struct buffer *bytes)
{
    static const uint32_t types[] = {TYPE_INT2, TYPE_INT2, TYPE_BYTEA, TYPE_INT8, TYPE_BYTEA};
    put_u32(bytes, 1);
    put_u32(bytes, 0);
    put_u32(bytes, types[column]);
    put_u32(bytes, (uint32_t)self->counts[kind]);
    put_u32(bytes, 1);
    for (size_t i = 0; i < self->count; i++)
        if (self->steps[i].kind == kind)
            put_element(bytes, column, &self->steps[i]);
}

// The parameters of each kind: places, the columns here, version, number.
static const struct {
    enum column columns[5];
    int columns_count;
    bool has_version, has_number;
} kinds[STEP_KINDS] = {
    [STEP_CHECK] = {{COLUMN_FAMILY, COLUMN_PART, COLUMN_KEY, COLUMN_BEFORE}, 4, false, true},
    [STEP_SWAP] = {{COLUMN_FAMILY, COLUMN_PART, COLUMN_KEY, COLUMN_BEFORE, COLUMN_VALUE},
                   5,
                   true,
                   true},
    [STEP_INSERT] = {{COLUMN_FAMILY, COLUMN_PART, COLUMN_KEY, COLUMN_VALUE}, 4, true, false},
    [STEP_PUT] = {{COLUMN_FAMILY, COLUMN_PART, COLUMN_KEY, COLUMN_VALUE}, 4, true, false},
    [STEP_DELETE] = {{COLUMN_FAMILY, COLUMN_PART, COLUMN_KEY}, 3, false, false},
};

static void
put_number(struct buffer *bytes, uint64_t number)
{
    unsigned char encoded[8];
    key_put_u64(encoded, number);
    buffer_put(bytes, encoded, sizeof encoded);
}

// Notes the sizes first: the buffer may move while it grows.
void
postgres_steps_encode(const struct postgres_steps *self, enum step_kind kind, store_version_t id,
                      struct buffer *bytes, struct postgres_parameters *ret_parameters)
{
    size_t begins[STATEMENT_PARAMETERS + 1];
    int count = 0;
    buffer_clear(bytes);
    for (begins[0] = 0; count < kinds[kind].columns_count; begins[++count] = bytes->size)
        put_array(self, kind, kinds[kind].columns[count], bytes);
    if (kinds[kind].has_version) {
        put_number(bytes, id);
        begins[++count] = bytes->size;
    }
    if (kinds[kind].has_number) {
        put_number(bytes, self->counts[kind]);
        begins[++count] = bytes->size;
    }
    ret_parameters->count = count;
    for (int i = 0; i < count; i++) {
        ret_parameters->values[i] = bytes->data + begins[i];
        ret_parameters->sizes[i] = (int)(begins[i + 1] - begins[i]);
    }
}
