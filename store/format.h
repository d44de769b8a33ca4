// format.h - in which form a store was written. A version reads the formats that it knows, brings
// an older one to its own (actors/migration.h), and refuses a newer one. The number stands in a
// family of its own, which version 0.1 does not know: RocksDB does not open a database without all
// of its families, so that version refuses the folder by itself.
#ifndef DIORAMA_STORE_FORMAT_H
#define DIORAMA_STORE_FORMAT_H

#include "store/store.h"

enum {
    FORMAT_0_1 = 1,             // no number was written
    FORMAT_LIBRARY_INDEXED = 2, // index records of the library and of users
    FORMAT_USES_INDEXED = 3,    // index records of scenes and objects, by asset
    FORMAT_DUES_SUMMED = 4,     // what users pay for in the library, as sums
    FORMAT_LISTS_INDEXED = 5,   // index records by which assets, projects, collections are listed
    FORMAT_USERS_LISTED = 6, // users are listed by index records; sessions say what their user is
    FORMAT_NOW = FORMAT_USERS_LISTED,
};

// In place of a number while a store is filled from elsewhere (archive_import.h).
#define FORMAT_UNFINISHED UINT32_MAX

// The format, and how many steps of the way from it to the next are done. Fails with
// ERR_CONFLICT where a newer version wrote the store or it is unfinished, and as store_error.
fallible format_read(store_t *store, uint32_t *ret_format, uint32_t *ret_steps);

// Writes both, synced.
fallible format_write(store_t *store, uint32_t format, uint32_t steps);

// The record as it is stored, of a store that is copied; false where a record is not that.
bool format_of_record(const struct store_operation *record, uint32_t *ret_format,
                      uint32_t *ret_steps);

#endif
