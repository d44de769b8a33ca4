// charge_record.c - see charge_record.h.
#include "actors/standby/charge_record.h"

#include <stdlib.h>
#include <string.h>

#include "store/key.h"

enum {
    LAYOUT = 1,
    STATE_AT = 1,
    PROCESS_AT = 2,
    PLACE_AT = 10,
    VALUE_SIZE = PLACE_AT + 2 * CHARGE_TEXT_SIZE,
};

static size_t
encode(const struct charge *charge, unsigned char ret_value[VALUE_SIZE])
{
    size_t place = strlen(charge->place) + 1, name = strlen(charge->name) + 1;
    ret_value[0] = LAYOUT;
    ret_value[STATE_AT] = (unsigned char)charge->state;
    key_put_u64(ret_value + PROCESS_AT, charge->process);
    memcpy(ret_value + PLACE_AT, charge->place, place);
    memcpy(ret_value + PLACE_AT + place, charge->name, name);
    return PLACE_AT + place + name;
}

// Takes a text with its NUL from the front of the bytes.
static bool
take_text(struct bytes *bytes, char ret_text[CHARGE_TEXT_SIZE])
{
    size_t most = bytes->size < CHARGE_TEXT_SIZE ? bytes->size : CHARGE_TEXT_SIZE;
    const char *end = most ? memchr(bytes->data, '\0', most) : NULL;
    if (!end)
        return false;
    size_t size = (size_t)(end - (const char *)bytes->data) + 1;
    memcpy(ret_text, bytes->data, size);
    *bytes = (struct bytes){end + 1, bytes->size - size};
    return true;
}

static bool
decode(struct bytes value, struct charge *ret_charge)
{
    const unsigned char *bytes = value.data;
    if (value.size < PLACE_AT || bytes[0] != LAYOUT)
        return false;
    struct bytes rest = {bytes + PLACE_AT, value.size - PLACE_AT};
    ret_charge->state = bytes[STATE_AT];
    ret_charge->process = key_get_u64(bytes + PROCESS_AT);
    return (ret_charge->state == CHARGE_FREE || ret_charge->state == CHARGE_HELD) &&
           take_text(&rest, ret_charge->place) && take_text(&rest, ret_charge->name) &&
           rest.size == 0;
}

enum store_result
charge_read(store_t *store, uint64_t deadline_ms, struct seen_charge *ret_seen)
{
    const struct key key = key_of_tag(KEY_CHARGE);
    const struct store_address address = {FAMILY_STREAMER, 0, key_bytes(&key)};
    struct seen_charge seen = {.charge = {.state = CHARGE_FREE}};
    void *value = NULL;
    size_t size = 0;
    enum store_result result =
        store_get(store, &address, deadline_ms, &seen.version, &value, &size);
    if (result == STORE_OK && !decode((struct bytes){value, size}, &seen.charge))
        result = STORE_BAD;
    if (result == STORE_ABSENT)
        result = STORE_OK;
    free(value);
    if (result == STORE_OK)
        *ret_seen = seen;
    return result;
}

static enum store_result
put(store_t *store, const struct charge *charge, bool is_seized, uint64_t deadline_ms,
    struct seen_charge *seen)
{
    unsigned char value[VALUE_SIZE];
    const struct key key = key_of_tag(KEY_CHARGE);
    const struct store_guard guard = {{FAMILY_STREAMER, 0, key_bytes(&key)}, seen->version};
    const struct store_operation puts[] = {
        {.address = guard.address, .value = {value, encode(charge, value)}},
        {.address = fence_place()},
    };
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = &guard,
                                        .guard_count = 1,
                                        .operations = puts,
                                        .operation_count = is_seized ? 2 : 1,
                                        .is_beat = true,
                                        .is_vital = true};
    enum store_result result = store_commit(store, &commit, deadline_ms);
    if (result == STORE_OK)
        *seen = (struct seen_charge){*charge, commit.id};
    return result;
}

enum store_result
charge_write(store_t *store, const struct charge *charge, uint64_t deadline_ms,
             struct seen_charge *seen)
{
    return put(store, charge, false, deadline_ms, seen);
}

enum store_result
charge_seize(store_t *store, const struct charge *charge, uint64_t deadline_ms,
             struct seen_charge *seen)
{
    return put(store, charge, true, deadline_ms, seen);
}
