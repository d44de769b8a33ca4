// rocks_database.c - RocksDB's options, opening and closing (decisions: store/README.md).
#include "store/rocks_database.h"

#include <string.h>

#include "proto/base/log.h"
#include "proto/base/owned.h"

enum {
    WRITE_BUFFER_BYTES = 8 << 20,   // of one family, before it is flushed
    WRITE_BUFFERS_BYTES = 16 << 20, // of all families
    BLOCK_BYTES = 16 << 10,         // so the indexes of twenty million keys fit into the cache
    BLOCK_CACHE_BYTES = 32 << 20,   // of all families, indexes and filters included
    BLOCK_CACHE_SHARD_BITS = 2,     // each of its parts has room for the index of a large table
    WAL_BYTES = 64 << 20,           // bounds the time of recovery
    OPEN_FILES = 256,               // of tables
    BACKGROUND_JOBS = 2,            // flushes and compactions
    BLOOM_BITS = 10,                // per key: one look-up in a hundred reads for nothing
    INDEX_WITH_FIRST_KEYS = 3,      // RocksDB's kBinarySearchWithFirstKey, not named in C
    INFO_LOG_FATAL = 4,             // RocksDB's level of that name
    INFO_LOG_FILES = 2,
    LOG_KEPT_S = 100 * 365 * 86400u, // for ever: rocks_changes.c removes logs
    HANDLE_COUNT = FAMILY_COUNT + 1,
    FAMILIES_0_1 = FAMILY_FORMAT, // those before it
};

// How blocks are stored in table files and in memory. All families share one cache.
static void
options_set_tables(rocksdb_options_t *options)
{
    rocksdb_block_based_table_options_t *tables = rocksdb_block_based_options_create();
    rocksdb_lru_cache_options_t *lru = rocksdb_lru_cache_options_create();
    rocksdb_lru_cache_options_set_capacity(lru, BLOCK_CACHE_BYTES);
    rocksdb_lru_cache_options_set_num_shard_bits(lru, BLOCK_CACHE_SHARD_BITS);
    rocksdb_cache_t *cache = rocksdb_cache_create_lru_opts(lru);
    rocksdb_lru_cache_options_destroy(lru);
    rocksdb_block_based_options_set_block_size(tables, BLOCK_BYTES);
    rocksdb_block_based_options_set_block_cache(tables, cache);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(tables, 1);
    rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(tables, 1);
    rocksdb_block_based_options_set_filter_policy(
        tables, rocksdb_filterpolicy_create_bloom_full(BLOOM_BITS));
    rocksdb_block_based_options_set_index_type(tables, INDEX_WITH_FIRST_KEYS);
    rocksdb_options_set_block_based_table_factory(options, tables);
    rocksdb_cache_destroy(cache);
    rocksdb_block_based_options_destroy(tables);
}

static rocksdb_options_t *
options_create(enum rocks_mode mode, bool keeps_log)
{
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    rocksdb_options_set_create_missing_column_families(options, 1);
    rocksdb_options_set_paranoid_checks(options, 1);
    rocksdb_options_set_wal_recovery_mode(
        options, mode == ROCKS_POINT_IN_TIME ? rocksdb_point_in_time_recovery
                                             : rocksdb_tolerate_corrupted_tail_records_recovery);
    rocksdb_options_set_write_buffer_size(options, WRITE_BUFFER_BYTES);
    rocksdb_options_set_db_write_buffer_size(options, WRITE_BUFFERS_BYTES);
    rocksdb_options_set_max_total_wal_size(options, WAL_BYTES);
    rocksdb_options_set_max_open_files(options, OPEN_FILES);
    rocksdb_options_set_max_background_jobs(options, BACKGROUND_JOBS);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_optimize_filters_for_hits(options, 1);
    rocksdb_options_set_stats_dump_period_sec(options, 0);
    rocksdb_options_set_stats_persist_period_sec(options, 0);
    // RocksDB's own log stays empty. Debian's build ends the process at the line after one that
    // could not be written, so a full disk would be a crash. Our log has what matters.
    rocksdb_options_set_info_log_level(options, INFO_LOG_FATAL);
    rocksdb_options_set_keep_log_file_num(options, INFO_LOG_FILES);
    if (keeps_log)
        rocksdb_options_set_WAL_ttl_seconds(options, LOG_KEPT_S);
    options_set_tables(options);
    return options;
}

// Says what to do; RocksDB's own words say only what it noticed.
static fallible
open_failed(const char *path, const char *text)
{
    // clang-format off
    static const struct {
        const char *fragment;
        const char *advice;
    } rows[] = {
        {"While lock file",            "another server has it open; stop that one or set another data.dir"},
        {"lock hold by current",       "this process has it open already"},
        {"Permission denied",          "give this user permission to read and write it, or set another data.dir"},
        {"Read-only file system",      "the file system is read-only; set another data.dir"},
        {"not a directory",            "a file stands where the data should; set another data.dir"},
        {"No space left",              "the disk is full; make room"},
        {"Column families not opened", "a newer version wrote it; run that one"},
        {"/MANIFEST-",                 "it is damaged; restore a backup"},
        {"CURRENT file",               "it is damaged; restore a backup"},
        {"Corruption",                 "it is damaged; restore a backup, or start once with store.recover=point-in-time, which drops what was written after the damage"},
        {"",                           "see the log"},
    };
    // clang-format on
    size_t i = 0;
    while (!strstr(text, rows[i].fragment))
        i++;
    log_error("store_open_failed", "path=%s detail=%s", path, text);
    return fail(ERR_UNAVAILABLE, "", "cannot open %s: %s", path, rows[i].advice);
}

// Opens the first `family_count` families.
static fallible
open_families(const char *path, enum rocks_mode mode, bool sync, bool keeps_log, int family_count,
              struct rocks_database *ret_database)
{
    rocksdb_options_t *options = options_create(mode, keeps_log);
    const char *names[HANDLE_COUNT] = {"default"};
    const rocksdb_options_t *each[HANDLE_COUNT] = {options};
    rocksdb_column_family_handle_t *handles[HANDLE_COUNT] = {NULL};
    for (int i = 0; i < family_count; i++) {
        names[i + 1] = store_family_names[i];
        each[i + 1] = options;
    }
    owned(rocks_text_free) char *error = NULL;
    rocksdb_t *handle = mode == ROCKS_READ_ONLY
                            ? rocksdb_open_for_read_only_column_families(
                                  options, path, family_count + 1, names, each, handles, 0, &error)
                            : rocksdb_open_column_families(options, path, family_count + 1, names,
                                                           each, handles, &error);
    rocksdb_options_destroy(options);
    if (error)
        return open_failed(path, error);
    ret_database->handle = handle;
    ret_database->keeps_log = keeps_log;
    ret_database->fallback = handles[0];
    memcpy(ret_database->families, handles + 1, sizeof ret_database->families);
    ret_database->reads = rocksdb_readoptions_create();
    rocksdb_readoptions_set_verify_checksums(ret_database->reads, 1);
    ret_database->writes = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(ret_database->writes, sync);
    return OK;
}

fallible
rocks_database_open(const char *path, enum rocks_mode mode, bool sync, bool keeps_log,
                    struct rocks_database *ret_database)
{
    return open_families(path, mode, sync, keeps_log, FAMILY_COUNT, ret_database);
}

fallible
rocks_database_open_older(const char *path, enum rocks_mode mode,
                          struct rocks_database *ret_database)
{
    return open_families(path, mode, true, false, FAMILIES_0_1, ret_database);
}

// A database that cannot be read is none here: opening it says why.
bool
rocks_database_is_older(const char *path)
{
    owned(rocks_text_free) char *error = NULL;
    size_t count = 0;
    rocksdb_options_t *options = rocksdb_options_create();
    char **names = rocksdb_list_column_families(options, path, &count, &error);
    bool is_older = !error && count > 0;
    for (size_t i = 0; i < count; i++)
        is_older = is_older && strcmp(names[i], store_family_names[FAMILIES_0_1]) != 0;
    rocksdb_list_column_families_destroy(names, count); // also the empty list of a failure
    rocksdb_options_destroy(options);
    return is_older;
}

// Handles are destroyed before the database.
void
rocks_database_close(struct rocks_database *self)
{
    if (!self->handle)
        return;
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (self->families[i])
            rocksdb_column_family_handle_destroy(self->families[i]);
    rocksdb_column_family_handle_destroy(self->fallback);
    rocksdb_close(self->handle);
    rocksdb_readoptions_destroy(self->reads);
    rocksdb_writeoptions_destroy(self->writes);
    *self = (struct rocks_database){0};
}
