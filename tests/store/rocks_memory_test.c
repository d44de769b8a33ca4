// rocks_memory_test.c - the metrics know what the store has in memory.
#include "store/rocks_memory.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"
#include "proto/message/metrics.h"
#include "store/rocks_records.h"
#include "tests/support/temporary.h"

enum { VALUE_BYTES = 1 << 20 };

struct fixture {
    struct temporary directory;
    struct rocks_database database;
    struct rocks_memory memory;
};

static void
fixture_init(struct fixture *self)
{
    char path[TEMPORARY_PATH_BYTES];
    *self = (struct fixture){.memory = {.looked_ms = 0}};
    temporary_init(&self->directory);
    temporary_path(&self->directory, "store", path);
    cr_assert_eq(rocks_database_open(path, ROCKS_REFUSE_DAMAGE, false, false, &self->database), OK);
}

static void
fixture_finish(struct fixture *self)
{
    rocks_database_close(&self->database);
    temporary_finish(&self->directory);
}

static void
write_value(struct fixture *self, enum family family)
{
    static char value[VALUE_BYTES];
    char *error = NULL;
    rocksdb_put_cf(self->database.handle, self->database.writes, self->database.families[family],
                   "key", 3, value, sizeof value, &error);
    cr_assert_null(error);
}

Test(rocks_memory, writes_of_all_families_are_told)
{
    struct fixture self;
    fixture_init(&self);
    write_value(&self, FAMILY_SCENE);
    write_value(&self, FAMILY_USER);
    rocks_memory_tell(&self.memory, &self.database);
    uint64_t told = counter_get(GAUGE_STORE_MEMTABLES);
    cr_assert_geq(told, 2 * VALUE_BYTES);
    cr_assert_lt(told, 4 * VALUE_BYTES);
    fixture_finish(&self);
}

Test(rocks_memory, a_second_passes_between_two_looks)
{
    struct fixture self;
    fixture_init(&self);
    rocks_memory_tell(&self.memory, &self.database);
    uint64_t told = counter_get(GAUGE_STORE_MEMTABLES);
    write_value(&self, FAMILY_SCENE);
    rocks_memory_tell(&self.memory, &self.database);
    cr_assert_eq(counter_get(GAUGE_STORE_MEMTABLES), told);
    self.memory.looked_ms = clock_now_ms() - 1000;
    rocks_memory_tell(&self.memory, &self.database);
    cr_assert_geq(counter_get(GAUGE_STORE_MEMTABLES), told + VALUE_BYTES);
    fixture_finish(&self);
}

static bool
pass(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)key, (void)version, (void)value;
    ++*(unsigned *)context;
    return true;
}

// What the cache of blocks holds after a scan of the one record there is.
static uint64_t
cached_after_scan(struct fixture *self, bool is_last)
{
    const struct store_range all = {{NULL, 0}, {NULL, 0}};
    const struct store_scan scan = {.family = FAMILY_SCENE,
                                    .part = 'k' << 8 | 'e',
                                    .ranges = &all,
                                    .range_count = 1,
                                    .is_last = is_last};
    unsigned found = 0;
    cr_assert_eq(records_scan(&self->database, &scan, 0, pass, &found), STORE_OK);
    cr_assert_eq(found, 1);
    self->memory.looked_ms = 0;
    rocks_memory_tell(&self->memory, &self->database);
    return counter_get(GAUGE_STORE_BLOCK_CACHE);
}

Test(rocks_memory, what_is_read_for_the_last_time_is_not_cached)
{
    struct fixture self;
    char *error = NULL;
    fixture_init(&self);
    write_value(&self, FAMILY_SCENE);
    rocksdb_flushoptions_t *wait = rocksdb_flushoptions_create();
    rocksdb_flush_cf(self.database.handle, wait, self.database.families[FAMILY_SCENE], &error);
    rocksdb_flushoptions_destroy(wait);
    cr_assert_null(error);
    cr_assert_lt(cached_after_scan(&self, true), VALUE_BYTES);
    cr_assert_geq(cached_after_scan(&self, false), VALUE_BYTES);
    fixture_finish(&self);
}
