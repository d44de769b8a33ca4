// rocks_records.c - records in an open RocksDB database. Any thread.
// Stored key = part, key; stored value = version, value (layout: store/README.md).
#include "store/rocks_records.h"

#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/key.h"
#include "store/rocks_changes.h"

enum {
    PART_SIZE = ROCKS_PART_SIZE,
    VERSION_SIZE = ROCKS_VERSION_SIZE,
    DEADLINE_RECORDS = 64, // a scan looks at the clock this often
};

// A key as RocksDB sees it.
struct stored_key {
    char data[PART_SIZE + STORE_KEY_BYTES];
    size_t size;
};

static void
value_free(rocksdb_pinnableslice_t **value)
{
    if (*value)
        rocksdb_pinnableslice_destroy(*value);
    *value = NULL;
}

static void
part_put(char *ret_bytes, unsigned part)
{
    ret_bytes[0] = (char)(part >> 8);
    ret_bytes[1] = (char)part;
}

static void
stored_key_init(struct stored_key *self, unsigned part, struct bytes key)
{
    part_put(self->data, part);
    if (key.size)
        memcpy(self->data + PART_SIZE, key.data, key.size);
    self->size = PART_SIZE + key.size;
}

static store_version_t
stored_version(const char *value)
{
    return key_get_u64((const unsigned char *)value);
}

// RocksDB reports a failure as a sentence; these are the fragments that matter. The first fragment
// that matches decides.
struct error_row {
    const char *fragment;
    enum store_result result;
};

static enum store_result
error_classify(const struct error_row *rows, const char *text)
{
    while (*rows->fragment && !strstr(text, rows->fragment))
        rows++;
    return rows->result;
}

static enum store_result
read_failed(enum family family, const char *text)
{
    static const struct error_row rows[] = {
        {"Corruption", STORE_BAD},
        {"", STORE_UNAVAILABLE},
    };
    log_error("store_read_failed", "family=%s detail=%s", store_family_names[family], text);
    return error_classify(rows, text);
}

static enum store_result
value_too_short(enum family family)
{
    return read_failed(family, "Corruption: a value without a version");
}

// A failed append leaves a torn record, which recovery drops: nothing was written. A failed sync
// leaves a whole record that may or may not be on the disk. Corruption was found by a compaction,
// after which RocksDB takes no writes.
static enum store_result
write_failed(const char *text)
{
    // clang-format off
    static const struct error_row rows[] = {
        {"While fsync",          STORE_UNKNOWN},
        {"While fdatasync",      STORE_UNKNOWN},
        {"Corruption",           STORE_BAD},
        {"No space left",        STORE_FULL},
        {"Disk quota exceeded",  STORE_FULL},
        {"While appending",      STORE_UNAVAILABLE},
        {"While open",           STORE_UNAVAILABLE},
        {"has previous error",   STORE_UNAVAILABLE},
        {"Write stall",          STORE_UNAVAILABLE},
        {"Shutdown in progress", STORE_UNAVAILABLE},
        {"",                     STORE_UNKNOWN},
    };
    // clang-format on
    log_error("store_write_failed", "detail=%s", text);
    return error_classify(rows, text);
}

// On STORE_OK *ret_value is the stored value with its version; its size was checked.
static enum store_result
record_find(struct rocks_database *self, const struct store_address *address,
            rocksdb_pinnableslice_t **ret_value)
{
    struct stored_key key;
    stored_key_init(&key, address->part, address->key);
    owned(rocks_text_free) char *error = NULL;
    owned(value_free) rocksdb_pinnableslice_t *value = rocksdb_get_pinned_cf(
        self->handle, self->reads, self->families[address->family], key.data, key.size, &error);
    if (error)
        return read_failed(address->family, error);
    if (!value)
        return STORE_ABSENT;
    size_t size;
    rocksdb_pinnableslice_value(value, &size);
    if (size < VERSION_SIZE)
        return value_too_short(address->family);
    *ret_value = value;
    value = NULL;
    return STORE_OK;
}

enum store_result
records_get(struct rocks_database *self, const struct store_address *address,
            store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    owned(value_free) rocksdb_pinnableslice_t *value = NULL;
    enum store_result result = record_find(self, address, &value);
    if (result != STORE_OK)
        return result;
    size_t stored_size;
    const char *stored = rocksdb_pinnableslice_value(value, &stored_size);
    size_t size = stored_size - VERSION_SIZE;
    void *copy = memory_take(size);
    memcpy(copy, stored + VERSION_SIZE, size);
    *ret_version = stored_version(stored);
    *ret_value = copy;
    *ret_size = size;
    return STORE_OK;
}

// The iterator borrows the bounds, so they live as long as it does. Every scan fills the cache: one
// that leaves it alone does not keep the index of a table either, which is a megabyte in a large
// one, and would be read and unpacked for each scan. (Indexes have a half of the cache to
// themselves.) Nothing is said about reading ahead: RocksDB does it once a scan has read two blocks
// in a row, and most that may be long (what is in a scene, a partition at the start) end before.
struct range {
    struct stored_key low;
    struct stored_key high;
    bool backward;
    rocksdb_readoptions_t *options;
    rocksdb_iterator_t *iterator;
};

// A scan under way. Each range has an iterator with bounds of its own: one over all of them would
// step through what was deleted between them. No snapshot is over them: when one is released,
// RocksDB begins compactions that nothing else calls for.
struct walk {
    struct rocks_database *database;
    const struct store_scan *scan;
    uint64_t deadline_ms;
    store_visitor *visit;
    void *context;
    size_t count;
    bool is_over; // the visitor or the limit has ended it
};

static void
range_init(struct range *self, const struct walk *walk, const struct store_range *bounds)
{
    const struct store_scan *scan = walk->scan;
    stored_key_init(&self->low, scan->part, bounds->low);
    stored_key_init(&self->high, bounds->high.size ? scan->part : scan->part + 1u, bounds->high);
    self->backward = scan->backward;
    self->options = rocksdb_readoptions_create();
    rocksdb_readoptions_set_fill_cache(self->options, !scan->is_last);
    rocksdb_readoptions_set_verify_checksums(self->options, 1);
    rocksdb_readoptions_set_iterate_lower_bound(self->options, self->low.data, self->low.size);
    rocksdb_readoptions_set_iterate_upper_bound(self->options, self->high.data, self->high.size);
    self->iterator = rocksdb_create_iterator_cf(walk->database->handle, self->options,
                                                walk->database->families[scan->family]);
    if (self->backward)
        rocksdb_iter_seek_to_last(self->iterator);
    else
        rocksdb_iter_seek_to_first(self->iterator);
}

static void
range_finish(struct range *self)
{
    rocksdb_iter_destroy(self->iterator);
    rocksdb_readoptions_destroy(self->options);
}

static void
range_step(struct range *self)
{
    if (self->backward)
        rocksdb_iter_prev(self->iterator);
    else
        rocksdb_iter_next(self->iterator);
}

static enum store_result
range_visit(struct range *self, struct walk *walk)
{
    size_t key_size, value_size;
    const char *key = rocksdb_iter_key(self->iterator, &key_size);
    const char *value = rocksdb_iter_value(self->iterator, &value_size);
    if (value_size < VERSION_SIZE)
        return value_too_short(walk->scan->family);
    bool more = walk->visit(walk->context, (struct bytes){key + PART_SIZE, key_size - PART_SIZE},
                            stored_version(value),
                            (struct bytes){value + VERSION_SIZE, value_size - VERSION_SIZE});
    walk->count++;
    walk->is_over = !more || walk->count == walk->scan->limit;
    return STORE_OK;
}

static enum store_result
range_error(struct range *self, enum family family)
{
    owned(rocks_text_free) char *error = NULL;
    rocksdb_iter_get_error(self->iterator, &error);
    return error ? read_failed(family, error) : STORE_OK;
}

static enum store_result
range_walk(struct walk *walk, const struct store_range *bounds)
{
    owned(range_finish) struct range range;
    range_init(&range, walk, bounds);
    for (; rocksdb_iter_valid(range.iterator); range_step(&range)) {
        if (walk->count % DEADLINE_RECORDS == 0 && walk->deadline_ms &&
            clock_left_ms(walk->deadline_ms) == 0)
            return STORE_UNAVAILABLE;
        enum store_result result = range_visit(&range, walk);
        if (result != STORE_OK || walk->is_over)
            return result;
    }
    return range_error(&range, walk->scan->family);
}

enum store_result
records_scan(struct rocks_database *self, const struct store_scan *scan, uint64_t deadline_ms,
             store_visitor *visit, void *context)
{
    struct walk walk = {.database = self,
                        .scan = scan,
                        .deadline_ms = deadline_ms,
                        .visit = visit,
                        .context = context};
    enum store_result result = STORE_OK;
    for (size_t i = 0; i < scan->range_count && result == STORE_OK && !walk.is_over; i++)
        result = range_walk(&walk, &scan->ranges[scan->backward ? scan->range_count - 1 - i : i]);
    return result;
}

enum store_result
records_check(struct rocks_database *self, const struct store_commit *commit)
{
    for (size_t i = 0; i < commit->guard_count; i++) {
        const struct store_guard *guard = &commit->guards[i];
        owned(value_free) rocksdb_pinnableslice_t *value = NULL;
        enum store_result result = record_find(self, &guard->address, &value);
        if (result != STORE_OK && result != STORE_ABSENT)
            return result;
        size_t size;
        store_version_t version =
            value ? stored_version(rocksdb_pinnableslice_value(value, &size)) : 0;
        if (version != guard->version)
            return STORE_CONFLICT;
    }
    return STORE_OK;
}

// Keys and values are passed in two pieces, so that RocksDB makes the only copy.
static void
batch_put(rocksdb_writebatch_t *batch, struct rocks_database *self,
          const struct store_operation *operation, const char *version)
{
    const struct store_address *address = &operation->address;
    char part[PART_SIZE];
    part_put(part, address->part);
    const char *key[] = {part, address->key.data};
    const size_t key_sizes[] = {PART_SIZE, address->key.size};
    const char *value[] = {version, operation->value.data};
    const size_t value_sizes[] = {VERSION_SIZE, operation->value.size};
    if (operation->is_delete)
        rocksdb_writebatch_deletev_cf(batch, self->families[address->family], 2, key, key_sizes);
    else
        rocksdb_writebatch_putv_cf(batch, self->families[address->family], 2, key, key_sizes, 2,
                                   value, value_sizes);
}

static enum store_result
batch_write(struct rocks_database *self, rocksdb_writebatch_t *batch)
{
    owned(rocks_text_free) char *error = NULL;
    rocksdb_write(self->handle, self->writes, batch, &error);
    return error ? write_failed(error) : STORE_OK;
}

enum store_result
records_write(struct rocks_database *self, const struct store_commit *commit)
{
    unsigned char version[VERSION_SIZE];
    key_put_u64(version, commit->id);
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    if (self->keeps_log && commit->operation_count)
        rocks_changes_stamp(batch, commit->id);
    for (size_t i = 0; i < commit->operation_count; i++)
        batch_put(batch, self, &commit->operations[i], (const char *)version);
    enum store_result result = batch_write(self, batch);
    rocksdb_writebatch_destroy(batch);
    return result;
}

static void
checkpoint_free(rocksdb_checkpoint_t **checkpoint)
{
    if (*checkpoint)
        rocksdb_checkpoint_object_destroy(*checkpoint);
    *checkpoint = NULL;
}

// Nothing of the store changes, so no failure leaves a write unknown.
static enum store_result
checkpoint_failed(const char *folder, const char *text)
{
    // clang-format off
    static const struct error_row rows[] = {
        {"No space left",        STORE_FULL},
        {"Disk quota exceeded",  STORE_FULL},
        {"Corruption",           STORE_BAD},
        {"Directory exists",     STORE_BAD},
        {"",                     STORE_UNAVAILABLE},
    };
    // clang-format on
    log_error("store_checkpoint_failed", "folder=%s detail=%s", folder, text);
    return error_classify(rows, text);
}

enum store_result
records_checkpoint(struct rocks_database *self, const char *folder)
{
    enum { ALWAYS_FLUSH = 0 }; // whatever the size of the log
    owned(rocks_text_free) char *error = NULL;
    owned(checkpoint_free) rocksdb_checkpoint_t *checkpoint =
        rocksdb_checkpoint_object_create(self->handle, &error);
    if (checkpoint)
        rocksdb_checkpoint_create(checkpoint, folder, ALWAYS_FLUSH, &error);
    return error ? checkpoint_failed(folder, error) : STORE_OK;
}
