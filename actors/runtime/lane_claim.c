// lane_claim.c - finds the markers of committers and takes them over (lane_claim.h). Two starts at
// the same time: each guards one record that each puts, so the later one sees what the earlier one
// wrote.
#include "actors/runtime/lane_claim.h"

#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/message/lease.h"
#include "store/key.h"

// The number of the marker that starts guard; no committer has it.
#define MARKER_OF_STARTS UINT64_MAX

enum {
    MARKERS_MOST = 256, // of all families; a process has at most 64 scene actors
    ATTEMPTS = 20,
    CALL_MS = 30000,
};

// The markers that are put, and the guarded record.
struct claim {
    const struct lane_family *families;
    size_t families_count;
    enum family family; // of the scan that is under way
    struct key keys[MARKERS_MOST + 1];
    struct store_operation operations[MARKERS_MOST + 1];
    size_t count;
};

static bool
add(struct claim *self, enum family family, struct key key)
{
    if (self->count > MARKERS_MOST)
        return false;
    self->keys[self->count] = key;
    self->operations[self->count] = (struct store_operation){
        .address = {family, COMMIT_PART, key_bytes(&self->keys[self->count])}};
    self->count++;
    return true;
}

static bool
add_found(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct claim *self = context;
    uint64_t number;
    (void)version;
    (void)value;
    return !key_number(key, &number) || add(self, self->family, key_of_number(KEY_COMMIT, number));
}

static enum store_result
find_markers(struct claim *self, store_t *store)
{
    struct key low = key_of_tag(KEY_COMMIT), high = key_after(&low);
    enum store_result result = STORE_OK;
    for (size_t i = 0; i < self->families_count && result == STORE_OK; i++) {
        self->family = self->families[i].family;
        result = store_scan(store, self->family, COMMIT_PART, key_bytes(&low), key_bytes(&high),
                            false, 0, clock_deadline_ms(CALL_MS), add_found, self);
    }
    return result;
}

static bool
add_own(struct claim *self)
{
    bool is_added = true;
    for (size_t i = 0; i < self->families_count; i++)
        for (unsigned number = 0; number < self->families[i].committers; number++)
            is_added =
                is_added && add(self, self->families[i].family, key_of_number(KEY_COMMIT, number));
    return is_added;
}

// The version of the record that says who claimed last; 0 = nobody.
static enum store_result
read_turn(store_t *store, const struct store_address *turn, store_version_t *ret_version)
{
    void *value = NULL;
    size_t size;
    *ret_version = 0;
    enum store_result result =
        store_get(store, turn, clock_deadline_ms(CALL_MS), ret_version, &value, &size);
    free(value);
    return result == STORE_ABSENT ? STORE_OK : result;
}

static enum store_result
try_claim(struct claim *self, store_t *store, store_version_t *ret_last)
{
    const struct key turn = key_of_number(KEY_COMMIT, MARKER_OF_STARTS);
    struct store_guard guard = {.address = {self->families->family, COMMIT_PART, key_bytes(&turn)}};
    self->count = 0;
    enum store_result result = read_turn(store, &guard.address, &guard.version);
    if (result == STORE_OK)
        result = find_markers(self, store);
    if (result != STORE_OK)
        return result;
    if (!add_own(self) || !add(self, self->families->family, turn))
        return STORE_LIMIT;
    if (!lease_holds()) // it was frozen, and another process may have begun
        return STORE_UNAVAILABLE;
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = &guard,
                                        .guard_count = 1,
                                        .operations = self->operations,
                                        .operation_count = self->count,
                                        .is_vital = true};
    result = store_commit(store, &commit, clock_deadline_ms(CALL_MS));
    if (result == STORE_OK)
        *ret_last = commit.id;
    return result;
}

fallible
lane_claim(store_t *store, const struct lane_family *families, size_t count,
           store_version_t *ret_last)
{
    *ret_last = 0;
    if (!store->is_shared)
        return OK;
    struct claim *self = memory_take(sizeof *self);
    enum store_result result = STORE_CONFLICT;
    *self = (struct claim){.families = families, .families_count = count};
    for (int i = 0; i < ATTEMPTS && result == STORE_CONFLICT; i++)
        result = try_claim(self, store, ret_last);
    free(self);
    if (result != STORE_OK)
        return fail(ERR_UNAVAILABLE, "",
                    "the place of the server that wrote to the store before cannot be taken");
    return OK;
}
