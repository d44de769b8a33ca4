// store.c - the calls of a store: checks once what every engine would have to check, then calls the
// engine through its table. Any thread.
#include "store/store.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"
#include "store/fence.h"

const char *const store_family_names[FAMILY_COUNT] = {
    [FAMILY_SCENE] = "scene",       [FAMILY_ASSET] = "asset",   [FAMILY_USER] = "user",
    [FAMILY_STREAMER] = "streamer", [FAMILY_FORMAT] = "format",
};

static bool
deadline_has_passed(uint64_t deadline_ms)
{
    return deadline_ms && clock_left_ms(deadline_ms) == 0;
}

static bool
is_place(enum family family, uint16_t part)
{
    return (unsigned)family < FAMILY_COUNT && part < PARTITION_COUNT;
}

static bool
is_address(const struct store_address *address)
{
    return is_place(address->family, address->part) && address->key.size <= STORE_KEY_BYTES;
}

static_assert(COUNT_STORE_BAD - COUNT_STORE_CONFLICT == STORE_BAD - STORE_CONFLICT,
              "the metrics have a row for each result that is a failure, in the same order");

static enum store_result
counted(enum store_result result)
{
    if (result >= STORE_CONFLICT)
        counter_add(COUNT_STORE_CONFLICT + (result - STORE_CONFLICT), 1);
    return result;
}

enum store_result
store_get(store_t *self, const struct store_address *address, uint64_t deadline_ms,
          store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    if (!is_address(address))
        return STORE_BAD;
    if (deadline_has_passed(deadline_ms))
        return STORE_UNAVAILABLE;
    return counted(self->engine->get(self, address, deadline_ms, ret_version, ret_value, ret_size));
}

static bool
is_empty_range(struct bytes low, struct bytes high)
{
    if (high.size == 0)
        return false;
    size_t common = low.size < high.size ? low.size : high.size;
    int order = common ? memcmp(low.data, high.data, common) : 0;
    return order ? order > 0 : low.size >= high.size;
}

enum store_result
store_scan(store_t *self, enum family family, uint16_t part, struct bytes low, struct bytes high,
           bool backward, size_t limit, uint64_t deadline_ms, store_visitor *visit, void *context)
{
    const struct store_range range = {low, high};
    const struct store_scan scan = {.family = family,
                                    .part = part,
                                    .ranges = &range,
                                    .range_count = 1,
                                    .backward = backward,
                                    .limit = limit};
    return store_scan_ranges(self, &scan, deadline_ms, visit, context);
}

static bool
scan_is_sound(const struct store_scan *scan)
{
    if (!is_place(scan->family, scan->part) || scan->range_count > STORE_RANGES)
        return false;
    for (size_t i = 0; i < scan->range_count; i++)
        if (scan->ranges[i].low.size > STORE_KEY_BYTES ||
            scan->ranges[i].high.size > STORE_KEY_BYTES)
            return false;
    return true;
}

enum store_result
store_scan_ranges(store_t *self, const struct store_scan *scan, uint64_t deadline_ms,
                  store_visitor *visit, void *context)
{
    struct store_range ranges[STORE_RANGES];
    struct store_scan sound = *scan;
    if (!scan_is_sound(scan))
        return STORE_BAD;
    if (deadline_has_passed(deadline_ms))
        return STORE_UNAVAILABLE;
    sound.ranges = ranges;
    sound.range_count = 0;
    for (size_t i = 0; i < scan->range_count; i++)
        if (!is_empty_range(scan->ranges[i].low, scan->ranges[i].high))
            ranges[sound.range_count++] = scan->ranges[i];
    if (sound.range_count == 0)
        return STORE_OK;
    return counted(self->engine->scan(self, &sound, deadline_ms, visit, context));
}

static bool
is_same_place(const struct store_address *a, const struct store_address *b)
{
    return a->family == b->family && a->part == b->part && a->key.size == b->key.size &&
           (a->key.size == 0 || memcmp(a->key.data, b->key.data, a->key.size) == 0);
}

// The last operation on a record counts.
static bool
is_put(const struct store_commit *commit, const struct store_address *address)
{
    for (size_t i = commit->operation_count; i-- > 0;)
        if (is_same_place(&commit->operations[i].address, address))
            return !commit->operations[i].is_delete;
    return false;
}

static bool
guard_is_sound(const struct store_commit *commit, const struct store_guard *guard)
{
    return is_address(&guard->address) && (guard->version != 0 || is_put(commit, &guard->address));
}

static bool
commit_is_sound(const struct store_commit *commit)
{
    for (size_t i = 0; i < commit->guard_count; i++)
        if (!guard_is_sound(commit, &commit->guards[i]))
            return false;
    for (size_t i = 0; i < commit->operation_count; i++)
        if (!is_address(&commit->operations[i].address))
            return false;
    return commit->id != 0;
}

bool
store_commit_fits(const struct store_commit *commit, size_t bytes)
{
    size_t left = bytes;
    for (size_t i = 0; i < commit->operation_count; i++) {
        const struct store_operation *operation = &commit->operations[i];
        size_t value_size = operation->is_delete ? 0 : operation->value.size;
        if (value_size > left || operation->address.key.size > left - value_size)
            return false;
        left -= value_size + operation->address.key.size;
    }
    return true;
}

enum store_result
store_commit(store_t *self, const struct store_commit *commit, uint64_t deadline_ms)
{
    enum { BESIDE_OPERATIONS = 1, BESIDE_BYTES = 64 }; // a copy says where it was copied
    bool is_copy = commit->is_copy;
    if (commit->guard_count > STORE_GUARDS ||
        commit->operation_count > LIMIT_COMMIT_WRITES + (is_copy ? BESIDE_OPERATIONS : 0) ||
        !store_commit_fits(commit, LIMIT_COMMIT_BYTES + (is_copy ? BESIDE_BYTES : 0)))
        return STORE_LIMIT;
    if (!commit_is_sound(commit))
        return STORE_BAD;
    if (deadline_has_passed(deadline_ms))
        return STORE_UNAVAILABLE;
    bool is_guarded = self->fence && !commit->is_fenced && !commit->is_beat;
    return counted((is_guarded ? fence_commit : self->engine->commit)(self, commit, deadline_ms));
}

enum store_result
store_ping(store_t *self, uint64_t deadline_ms)
{
    if (deadline_has_passed(deadline_ms))
        return STORE_UNAVAILABLE;
    return self->engine->ping(self, deadline_ms);
}

enum store_result
store_checkpoint(store_t *self, const char *folder)
{
    return counted(self->engine->checkpoint(self, folder));
}

enum store_result
store_position(store_t *self, uint64_t *ret_position)
{
    return counted(self->engine->position(self, ret_position));
}

// ABSENT is an answer, not a failure.
enum store_result
store_changes(store_t *self, uint64_t after, size_t bytes, store_change_visitor *visit,
              void *context)
{
    return counted(self->engine->changes(self, after, bytes, visit, context));
}

void
store_release(store_t *self, uint64_t position, uint64_t kept, uint64_t most)
{
    self->engine->release(self, position, kept, most);
}

fallible
store_provide_blobs(store_t *self, struct blob_provider **ret_provider)
{
    if (!self->engine->provide_blobs)
        return fail(ERR_INVALID, "", "%s has no room for the bytes of assets", self->engine->name);
    return self->engine->provide_blobs(self, self->fence, ret_provider);
}

void
store_destroy(store_t **self)
{
    if (*self)
        (*self)->engine->destroy(self);
}

store_version_t
store_version_new(void)
{
    store_version_t version = 0;
    while (version == 0)
        randombytes_buf(&version, sizeof version);
    return version;
}

enum error
store_error(enum store_result result)
{
    // clang-format off
    static const struct {
        enum error error;
        const char *detail;
    } rows[] = {
        [STORE_OK]          = {OK,              ""},
        [STORE_ABSENT]      = {ERR_NOT_FOUND,   "there is no such record"},
        [STORE_CONFLICT]    = {ERR_CONFLICT,    "the record has changed meanwhile"},
        [STORE_UNAVAILABLE] = {ERR_UNAVAILABLE, "the store cannot do this now; nothing was written"},
        [STORE_UNKNOWN]     = {ERR_UNAVAILABLE, "the store did not confirm the write; read again before repeating it"},
        [STORE_FULL]        = {ERR_STORAGE_FULL, "the disk of the store is full; nothing was written"},
        [STORE_LIMIT]       = {ERR_TOO_LARGE,   "the change is too large to be written at once"},
        [STORE_BAD]         = {ERR_INTERNAL,    "the store is damaged: what was asked for cannot be read, or not be written"},
    };
    // clang-format on
    if (result == STORE_OK)
        return OK;
    return fail(rows[result].error, "", "%s", rows[result].detail);
}
