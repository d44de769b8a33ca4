// store.h - typed persistence behind one interface, so that a second engine is possible. Addresses
// are (family, part, key); keys are ordered bytewise. Nothing about column families, SQL or clocks
// is visible here. Any thread may call; every call has an absolute monotonic deadline (clock.h; 0 =
// none).
#ifndef DIORAMA_STORE_STORE_H
#define DIORAMA_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

typedef struct store store_t;
struct blob_provider;

// One family per kind of actor, and one for the format of all (format.h), which stands behind those
// of version 0.1.
enum family {
    FAMILY_SCENE,
    FAMILY_ASSET,
    FAMILY_USER,
    FAMILY_STREAMER,
    FAMILY_FORMAT,
    FAMILY_COUNT
};

// Their names on the disk and in the log.
extern const char *const store_family_names[FAMILY_COUNT];

enum store_result {
    STORE_OK,
    STORE_ABSENT,      // get: there is no such record
    STORE_CONFLICT,    // commit: a guard failed; nothing was written
    STORE_UNAVAILABLE, // not now; nothing was written
    STORE_UNKNOWN,     // commit: it may have been written; re-read and compare versions
    STORE_FULL,        // commit: no room on the disk; nothing was written
    STORE_LIMIT,       // commit: too many operations, guards or bytes; nothing was written
    STORE_BAD,         // something is corrupt, or the call is wrong; nothing was written
};

enum { STORE_KEY_BYTES = 1024 }; // of one key
enum { STORE_GUARDS = 512 };     // of one commit

struct bytes {
    const void *data;
    size_t size;
};

struct store_address {
    enum family family;
    uint16_t part; // 0 to 1023
    struct bytes key;
};

// The random id of the commit that wrote a record; 0 = absent.
typedef uint64_t store_version_t;

// A guard of absence needs a put of the same record beside it, in the same commit: a database can
// lock what is there, not what is not.
struct store_guard {
    struct store_address address;
    store_version_t version; // still this one; 0 = still absent
};

struct store_operation {
    struct store_address address;
    bool is_delete;
    struct bytes value; // of a put
};

struct store_commit {
    store_version_t id; // random, never 0: becomes the version of every record put
    const struct store_guard *guards;
    size_t guard_count;
    const struct store_operation *operations; // at most 40,000, 4 MiB in all
    size_t operation_count;
    bool is_fenced; // a guard of it is a fence of its own (fence.h)
    bool is_beat;   // comes by the clock: faults of a test leave it alone, and do not count it
    bool is_copy;   // of what a leader has committed, and where (followed.h)
    bool is_vital;  // small and indispensable: may use the space that is kept back
};

// Keys low <= key < high; an empty `high` is no bound.
struct store_range {
    struct bytes low, high;
};

enum { STORE_RANGES = 8 }; // of one scan, at most

// What a scan reads: ranges of one part in the order of their keys, none of which overlap.
struct store_scan {
    enum family family;
    uint16_t part;
    const struct store_range *ranges;
    size_t range_count;
    bool backward; // the last range first
    size_t limit;  // records of all ranges, at most; 0 = all
    bool is_last;  // what it reads is kept elsewhere: no cache of the store need have it
};

// One record found by a scan; the bytes are valid during the call only. False ends the scan. It
// must not call the store.
typedef bool store_visitor(void *context, struct bytes key, store_version_t version,
                           struct bytes value);

// One commit as the engine's log has it. Positions count the operations of all commits; a commit
// begins at the one behind the end of the commit before.
struct store_change {
    uint64_t first, last;
    uint64_t time_us;   // of the calendar, shortly before it was written; 0 = not noted
    store_version_t id; // of the commit; 0 = not noted
    const struct store_operation *operations;
    size_t operation_count;
};

// The change is valid during the call only. False ends the visit. It must not call the store.
typedef bool store_change_visitor(void *context, const struct store_change *change);

// What an engine has: its struct begins with this.
struct store {
    const struct store_engine *engine;
    bool is_shared; // other processes may write to it: who reads, then writes, guards the write
    store_version_t fence; // of the charge that this process has (fence.h); 0 = none
};

struct store_engine {
    const char *name;
    enum store_result (*get)(store_t *self, const struct store_address *address,
                             uint64_t deadline_ms, store_version_t *ret_version, void **ret_value,
                             size_t *ret_size);
    enum store_result (*scan)(store_t *self, const struct store_scan *scan, uint64_t deadline_ms,
                              store_visitor *visit, void *context);
    enum store_result (*commit)(store_t *self, const struct store_commit *commit,
                                uint64_t deadline_ms);
    enum store_result (*ping)(store_t *self, uint64_t deadline_ms);
    enum store_result (*checkpoint)(store_t *self, const char *folder);
    enum store_result (*position)(store_t *self, uint64_t *ret_position);
    enum store_result (*changes)(store_t *self, uint64_t after, size_t bytes,
                                 store_change_visitor *visit, void *context);
    void (*release)(store_t *self, uint64_t position, uint64_t kept, uint64_t most);
    // NULL: it has no room for the bytes of assets.
    enum error (*provide_blobs)(store_t *self, store_version_t fence, struct blob_provider **ret);
    void (*destroy)(store_t **self);
};

// Reads one record; *ret_value is malloc'd and yours. Outputs are untouched unless STORE_OK.
enum store_result store_get(store_t *self, const struct store_address *address,
                            uint64_t deadline_ms, store_version_t *ret_version, void **ret_value,
                            size_t *ret_size);

// Visits the records with low <= key < high of one part, in bytewise order of their keys (or
// backward), at most `limit` (0 = all). An empty `high` is no bound. Sees one consistent state.
enum store_result store_scan(store_t *self, enum family family, uint16_t part, struct bytes low,
                             struct bytes high, bool backward, size_t limit, uint64_t deadline_ms,
                             store_visitor *visit, void *context);

// The same over several ranges, in one call of the engine. Each range is seen in one consistent
// state; what is committed meanwhile may be in a later one and not in an earlier one.
enum store_result store_scan_ranges(store_t *self, const struct store_scan *scan,
                                    uint64_t deadline_ms, store_visitor *visit, void *context);

// Writes all operations or none, if every guard holds; durable when it returns STORE_OK
// (store.sync=always).
enum store_result store_commit(store_t *self, const struct store_commit *commit,
                               uint64_t deadline_ms);

// Whether the engine can read and write now; STORE_FULL where it can only read.
enum store_result store_ping(store_t *self, uint64_t deadline_ms);

// Makes the folder `folder`, which must not exist, with all that is committed at one moment: whole
// commits, on the disk, in the engine's own files. Reads and commits go on meanwhile. Files that
// never change are shared with the store where the file system can do that. May take a second.
// BAD if the folder is there already or the engine has no files, UNAVAILABLE or FULL if it could
// not be written; the folder may have been begun then.
enum store_result store_checkpoint(store_t *self, const char *folder);

// The end of the newest commit; a store that is empty has 0. BAD where the store is shared, as the
// log is the database's own.
enum store_result store_position(store_t *self, uint64_t *ret_position);

// Visits the commits behind position `after`, which is the end of one, oldest first, until about
// `bytes` of them were visited: all that they wrote, durable if commits are. ABSENT if those
// directly behind `after` are no longer there, or `after` is beyond the newest. One reader that
// goes on where it stopped reads each byte once. Only a store that was opened to keep them has
// them (store_open.h).
enum store_result store_changes(store_t *self, uint64_t after, size_t bytes,
                                store_change_visitor *visit, void *context);

// Of the commits up to `position` the newest stay for store_changes, while all that are kept beside
// what recovery needs are at most `kept` bytes; of the others, while they are at most `most`.
void store_release(store_t *self, uint64_t position, uint64_t kept, uint64_t most);

// The bytes of assets beside the records (blob_provider.h), where the engine has room for them:
// their table is made where it is missing. Behind fence_set; before the store is destroyed the
// provider is. Fails with ERR_INVALID where there is no such room, else with ERR_UNAVAILABLE.
fallible store_provide_blobs(store_t *self, struct blob_provider **ret_provider);

void store_destroy(store_t **self);

// Whether keys and values of the commit take at most `bytes`.
bool store_commit_fits(const struct store_commit *commit, size_t bytes);

// A fresh commit id: random, never 0.
store_version_t store_version_new(void);

// The error for a failed result; STORE_OK is OK.
enum error store_error(enum store_result result);

#endif
