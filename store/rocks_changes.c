// rocks_changes.c - commits as they stand in RocksDB's log (rocks_changes.h). One thread at a time.
//
// A record of the log is a batch: position of its first operation (8, little-endian), their number
// (4), then the operations. RocksDB joins the batches of commits that come together into one
// record; the stamps tell where each begins.
#include "store/rocks_changes.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/key.h"

enum {
    HEADER_SIZE = 12,
    STAMP_SIZE = 17, // a letter, the time, the id
    STAMP_LETTER = 'c',
};

// Kinds of entries of a batch, as RocksDB numbers them. No other comes from this engine.
enum { ENTRY_STAMP = 0x03, ENTRY_DELETE = 0x04, ENTRY_PUT = 0x05 };

void
rocks_changes_stamp(rocksdb_writebatch_t *batch, store_version_t id)
{
    unsigned char stamp[STAMP_SIZE] = {STAMP_LETTER};
    key_put_u64(stamp + 1, clock_calendar_us());
    key_put_u64(stamp + 9, id);
    rocksdb_writebatch_put_log_data(batch, (const char *)stamp, sizeof stamp);
}

uint64_t
rocks_changes_position(const struct rocks_database *database)
{
    return rocksdb_get_latest_sequence_number(database->handle);
}

// --- one record of the log ---

struct reader {
    const unsigned char *at, *end;
};

static bool
read_number(struct reader *self, uint32_t *ret_number)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 35 && self->at < self->end; shift += 7) {
        unsigned char byte = *self->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret_number = (uint32_t)number;
            return number <= UINT32_MAX;
        }
    }
    return false;
}

static bool
read_bytes(struct reader *self, struct bytes *ret_bytes)
{
    uint32_t size;
    if (!read_number(self, &size) || size > (size_t)(self->end - self->at))
        return false;
    *ret_bytes = (struct bytes){self->at, size};
    self->at += size;
    return true;
}

static bool
family_of(const struct rocks_database *database, uint32_t number, enum family *ret_family)
{
    for (unsigned i = 0; i < FAMILY_COUNT; i++)
        if (rocksdb_column_family_handle_get_id(database->families[i]) == number) {
            *ret_family = (enum family)i;
            return true;
        }
    return false;
}

static bool
read_operation(struct reader *self, const struct rocks_database *database, bool is_delete,
               struct store_operation *ret_operation)
{
    uint32_t number;
    struct bytes key, value = {NULL, ROCKS_VERSION_SIZE};
    bool is_read = read_number(self, &number) && read_bytes(self, &key) &&
                   (is_delete || read_bytes(self, &value)) && key.size >= ROCKS_PART_SIZE &&
                   value.size >= ROCKS_VERSION_SIZE;
    if (!is_read || !family_of(database, number, &ret_operation->address.family))
        return false;
    const unsigned char *bytes = key.data;
    ret_operation->address.part = (uint16_t)(bytes[0] << 8 | bytes[1]);
    ret_operation->address.key =
        (struct bytes){bytes + ROCKS_PART_SIZE, key.size - ROCKS_PART_SIZE};
    ret_operation->is_delete = is_delete;
    ret_operation->value = (struct bytes){0};
    if (!is_delete)
        ret_operation->value = (struct bytes){(const char *)value.data + ROCKS_VERSION_SIZE,
                                              value.size - ROCKS_VERSION_SIZE};
    return true;
}

// A visit of the commits of one record.
struct visiting {
    struct rocks_changes *changes;
    struct rocks_reader *reader;
    struct rocks_database *database;
    uint64_t after; // what ends there or before is not visited
    store_change_visitor *visit;
    void *context;
    struct store_change change; // being read
    bool is_ended;              // by the visitor
};

static void
emit(struct visiting *self)
{
    struct store_change *change = &self->change;
    if (change->operation_count) {
        change->last = change->first + change->operation_count - 1;
        change->operations = self->changes->operations;
        if (change->last > self->after && !self->is_ended)
            self->is_ended = !self->visit(self->context, change);
    }
    *change = (struct store_change){.first = change->first + change->operation_count};
}

static bool
take_stamp(struct visiting *self, struct bytes stamp)
{
    const unsigned char *bytes = stamp.data;
    if (stamp.size != STAMP_SIZE || bytes[0] != STAMP_LETTER)
        return false;
    emit(self);
    self->change.time_us = key_get_u64(bytes + 1);
    self->change.id = key_get_u64(bytes + 9);
    return true;
}

static struct store_operation *
next_operation(struct visiting *self)
{
    struct rocks_changes *changes = self->changes;
    size_t count = self->change.operation_count++;
    if (count == changes->capacity) {
        changes->capacity = changes->capacity ? 2 * changes->capacity : 64;
        changes->operations =
            memory_resize(changes->operations, changes->capacity * sizeof *changes->operations);
    }
    return &changes->operations[count];
}

// False on bytes that this engine did not write.
static bool
read_record(struct visiting *self, struct reader *reader)
{
    while (reader->at < reader->end) {
        unsigned char kind = *reader->at++;
        struct bytes stamp;
        bool is_operation = kind == ENTRY_PUT || kind == ENTRY_DELETE;
        bool is_read =
            is_operation
                ? read_operation(reader, self->database, kind == ENTRY_DELETE, next_operation(self))
                : kind == ENTRY_STAMP && read_bytes(reader, &stamp) && take_stamp(self, stamp);
        if (!is_read)
            return false;
    }
    emit(self);
    return true;
}

static void
batch_free(rocksdb_writebatch_t **batch)
{
    rocksdb_writebatch_destroy(*batch);
}

// Visits the commits of the record that the iterator stands on.
static enum store_result
visit_record(struct visiting *self, size_t *ret_size)
{
    struct rocks_reader *place = self->reader;
    uint64_t first;
    owned(batch_free) rocksdb_writebatch_t *batch =
        rocksdb_wal_iter_get_batch(place->iterator, &first);
    const char *data = rocksdb_writebatch_data(batch, ret_size);
    if (first > place->position + 1)
        return STORE_ABSENT; // what was between is gone
    struct reader reader = {(const unsigned char *)data + HEADER_SIZE,
                            (const unsigned char *)data + *ret_size};
    self->change = (struct store_change){.first = first};
    if (*ret_size < HEADER_SIZE || !read_record(self, &reader)) {
        log_error("store_log_unknown", "position=%llu", (unsigned long long)first);
        return STORE_BAD;
    }
    if (self->change.first > place->position + 1)
        place->position = self->change.first - 1;
    return STORE_OK;
}

// --- the log ---

static void
reader_close(struct rocks_reader *self)
{
    if (self->iterator)
        rocksdb_wal_iter_destroy(self->iterator);
    self->iterator = NULL;
}

void
rocks_changes_close(struct rocks_changes *self)
{
    for (size_t i = 0; i < ROCKS_READERS; i++)
        reader_close(&self->readers[i]);
}

// The reader that stands there, else the one that was used longest ago: who reads on reads each
// byte once, also where a few read at different places.
static struct rocks_reader *
reader_at(struct rocks_changes *self, uint64_t position)
{
    struct rocks_reader *found = &self->readers[0];
    for (size_t i = 0; i < ROCKS_READERS; i++) {
        struct rocks_reader *reader = &self->readers[i];
        bool is_there = reader->iterator && reader->position == position;
        if (is_there || reader->used < found->used)
            found = reader;
        if (is_there)
            break;
    }
    if (found->position != position)
        reader_close(found);
    found->position = position;
    found->used = ++self->visits;
    return found;
}

void
rocks_changes_finish(struct rocks_changes *self)
{
    free(self->operations);
    *self = (struct rocks_changes){0};
}

// An iterator ends with the logs that were there when it was made; a fresh one goes on.
static enum store_result
step(struct rocks_reader *self, struct rocks_database *database)
{
    owned(rocks_text_free) char *error = NULL;
    if (self->iterator) {
        rocksdb_wal_iter_next(self->iterator);
        if (rocksdb_wal_iter_valid(self->iterator))
            return STORE_OK;
        reader_close(self);
    }
    self->iterator = rocksdb_get_updates_since(database->handle, self->position + 1, NULL, &error);
    if (error || !self->iterator) {
        log_error("store_log_unreadable", "position=%llu detail=%s",
                  (unsigned long long)self->position, error ? error : "");
        return STORE_UNAVAILABLE;
    }
    return rocksdb_wal_iter_valid(self->iterator) ? STORE_OK : STORE_ABSENT;
}

enum store_result
rocks_changes_visit(struct rocks_changes *self, struct rocks_database *database, uint64_t after,
                    size_t bytes, store_change_visitor *visit, void *context)
{
    struct rocks_reader *reader = reader_at(self, after);
    struct visiting visiting = {self, reader, database, after, visit, context, {0}, false};
    uint64_t newest = rocks_changes_position(database);
    enum store_result result = after > newest ? STORE_ABSENT : STORE_OK;
    for (size_t done = 0, size;
         result == STORE_OK && reader->position < newest && done < bytes && !visiting.is_ended;
         done += size) {
        size = 0;
        result = step(reader, database);
        if (result == STORE_OK)
            result = visit_record(&visiting, &size);
    }
    if (result != STORE_OK || visiting.is_ended)
        reader_close(reader);
    return result;
}

// --- logs that were kept ---

static int
is_log(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return size > 4 && strcmp(entry->d_name + size - 4, ".log") == 0;
}

static int
by_number(const struct dirent **a, const struct dirent **b)
{
    unsigned long long left = strtoull((*a)->d_name, NULL, 10);
    unsigned long long right = strtoull((*b)->d_name, NULL, 10);
    return left < right ? -1 : left > right;
}

// Their entries, oldest first; names_free ends them.
static int
read_archive(const char *path, struct dirent ***ret_entries)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/archive", path);
    int count = scandir(folder, ret_entries, is_log, by_number);
    return count < 0 ? 0 : count; // RocksDB makes the folder when it needs it
}

static void
names_free(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count)
        free(entries);
}

static uint64_t
size_of(const char *path, const char *name)
{
    char full[PATH_MAX];
    struct stat status;
    snprintf(full, sizeof full, "%s/archive/%s", path, name);
    return stat(full, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static uint64_t
size_of_all(const char *path, struct dirent **entries, int count)
{
    uint64_t size = 0;
    for (int i = 0; i < count; i++)
        size += size_of(path, entries[i]->d_name);
    return size;
}

// Which logs end where is not told by RocksDB's C interface. But a log in the archive is not
// written any more, so it has nothing beyond the position that is read after the archive.
void
rocks_changes_release(struct rocks_changes *self, struct rocks_database *database, const char *path,
                      uint64_t position, uint64_t kept, uint64_t most)
{
    struct dirent **entries = NULL;
    if (most == 0)
        rocks_changes_close(self); // a log that is open takes its space although it was removed
    int count = read_archive(path, &entries);
    uint64_t left = size_of_all(path, entries, count), last = 0;
    bool is_released = self->archived_last && position >= self->archived_until;
    for (int i = 0; i < count; i++) {
        char name[sizeof "/archive/" + NAME_MAX];
        uint64_t number = strtoull(entries[i]->d_name, NULL, 10);
        bool may_go = is_released && number <= self->archived_last;
        last = number;
        if (left <= (may_go ? kept : most))
            continue;
        left -= size_of(path, entries[i]->d_name);
        snprintf(name, sizeof name, "/archive/%s", entries[i]->d_name);
        rocksdb_delete_file(database->handle, name);
    }
    names_free(entries, count);
    if (is_released || !self->archived_last) {
        self->archived_last = last;
        self->archived_until = rocks_changes_position(database);
    }
}

void
rocks_changes_clear(const char *path)
{
    struct dirent **entries = NULL;
    int count = read_archive(path, &entries);
    for (int i = 0; i < count; i++) {
        char full[PATH_MAX];
        snprintf(full, sizeof full, "%s/archive/%s", path, entries[i]->d_name);
        (void)unlink(full); // it is tried again at the next start
    }
    names_free(entries, count);
}
