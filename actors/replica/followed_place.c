// followed_place.c - see followed_place.h.
#include "actors/replica/followed_place.h"

#include <stdlib.h>

#include "actors/replica/replica_family.h"
#include "proto/base/clock.h"

enum { PLACE_DEADLINE_MS = 30000, EPOCH_AT = 1, POSITION_AT = 9 };

fallible
followed_place_read(store_t *store, struct followed_place *ret_place)
{
    const struct key key = key_of_tag(KEY_FOLLOWED);
    const struct store_address address = {FAMILY_STREAMER, 0, key_bytes(&key)};
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(PLACE_DEADLINE_MS), &version, &value, &size);
    *ret_place = (struct followed_place){0};
    const unsigned char *bytes = value;
    bool is_known = result == STORE_OK && size == FOLLOWED_VALUE_SIZE && bytes[0] >= FOLLOWED_NOW &&
                    bytes[0] <= FOLLOWED_ONCE;
    if (is_known)
        *ret_place = (struct followed_place){
            bytes[0],
            {.epoch = key_get_u64(bytes + EPOCH_AT), .position = key_get_u64(bytes + POSITION_AT)}};
    free(value);
    if (result == STORE_OK && !is_known)
        return fail(ERR_INTERNAL, "", "how far the store has followed a leader cannot be read");
    if (result != STORE_OK && result != STORE_ABSENT)
        return store_error(result);
    return OK;
}

struct store_operation
followed_place_operation(const struct followed_place *place, struct key *key,
                         unsigned char value[FOLLOWED_VALUE_SIZE])
{
    *key = key_of_tag(KEY_FOLLOWED);
    value[0] = (unsigned char)place->state;
    key_put_u64(value + EPOCH_AT, place->leader.epoch);
    key_put_u64(value + POSITION_AT, place->leader.position);
    return (struct store_operation){.address = {FAMILY_STREAMER, 0, key_bytes(key)},
                                    .value = {value, FOLLOWED_VALUE_SIZE}};
}

fallible
followed_place_write(store_t *store, const struct followed_place *place)
{
    struct key key;
    unsigned char value[FOLLOWED_VALUE_SIZE];
    const struct store_operation put = followed_place_operation(place, &key, value);
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1, .is_vital = true};
    enum store_result result = store_commit(store, &commit, clock_deadline_ms(PLACE_DEADLINE_MS));
    return result == STORE_OK ? OK : store_error(result);
}
