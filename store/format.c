// format.c - one record, format and steps as 8 bytes each (format.h).
#include "store/format.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "store/key.h"

enum { CALL_DEADLINE_MS = 30000, NUMBER_SIZE = 8, VALUE_SIZE = 2 * NUMBER_SIZE };

static const struct store_address place = {FAMILY_FORMAT, 0, {"F", 1}};

fallible
format_read(store_t *store, uint32_t *ret_format, uint32_t *ret_steps)
{
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    enum store_result result =
        store_get(store, &place, clock_deadline_ms(CALL_DEADLINE_MS), &version, &value, &size);
    if (result != STORE_OK && result != STORE_ABSENT)
        return fail(store_error(result), "", "the format of the store cannot be read");
    bool is_there = result == STORE_OK && size == VALUE_SIZE;
    uint64_t format = is_there ? key_get_u64(value) : FORMAT_0_1;
    uint64_t steps = is_there ? key_get_u64((unsigned char *)value + NUMBER_SIZE) : 0;
    free(value);
    if (result == STORE_OK && !is_there)
        return fail(ERR_INTERNAL, "", "the format of the store is damaged; restore a backup");
    if (format == FORMAT_UNFINISHED)
        return fail(ERR_CONFLICT, "",
                    "an import into the store was not completed; import again, into an empty one");
    if (format > FORMAT_NOW)
        return fail(ERR_CONFLICT, "",
                    "a newer version wrote the store (format %llu, this one reads up to %d); run "
                    "that one",
                    (unsigned long long)format, FORMAT_NOW);
    *ret_format = (uint32_t)format;
    *ret_steps = (uint32_t)steps;
    return OK;
}

fallible
format_write(store_t *store, uint32_t format, uint32_t steps)
{
    unsigned char value[VALUE_SIZE];
    key_put_u64(value, format);
    key_put_u64(value + NUMBER_SIZE, steps);
    const struct store_operation put = {.address = place, .value = {value, sizeof value}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1, .is_vital = true};
    enum store_result result = store_commit(store, &commit, clock_deadline_ms(CALL_DEADLINE_MS));
    if (result != STORE_OK)
        return fail(store_error(result), "", "the format of the store cannot be written");
    return OK;
}

bool
format_of_record(const struct store_operation *record, uint32_t *ret_format, uint32_t *ret_steps)
{
    const struct store_address *at = &record->address;
    if (at->family != place.family || at->part != place.part || at->key.size != place.key.size ||
        memcmp(at->key.data, place.key.data, place.key.size) != 0 ||
        record->value.size != VALUE_SIZE)
        return false;
    *ret_format = (uint32_t)key_get_u64(record->value.data);
    *ret_steps = (uint32_t)key_get_u64((const unsigned char *)record->value.data + NUMBER_SIZE);
    return true;
}
