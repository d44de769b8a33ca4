// rocks_memory.c - asks RocksDB how much it has in memory (rocks_memory.h). Any thread; one of them
// looks at a time.
#include "store/rocks_memory.h"

#include "proto/base/clock.h"
#include "proto/message/metrics.h"

enum { LOOK_EVERY_MS = 1000 };

static const struct kind_row {
    const char *property;
    bool is_shared; // by all families
    enum metric_cell gauge;
} rows[ROCKS_MEMORY_KINDS] = {
    [ROCKS_MEMTABLES] = {"rocksdb.size-all-mem-tables", false, GAUGE_STORE_MEMTABLES},
    [ROCKS_BLOCK_CACHE] = {"rocksdb.block-cache-usage", true, GAUGE_STORE_BLOCK_CACHE},
    [ROCKS_TABLES] = {"rocksdb.estimate-table-readers-mem", false, GAUGE_STORE_TABLES},
};

static uint64_t
ask(const struct rocks_database *database, const struct kind_row *row)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < (row->is_shared ? 1 : FAMILY_COUNT); i++) {
        uint64_t bytes = 0;
        if (rocksdb_property_int_cf(database->handle, database->families[i], row->property,
                                    &bytes) == 0)
            sum += bytes;
    }
    return sum;
}

static bool
is_due(const struct rocks_memory *self)
{
    uint64_t looked_ms = atomic_load_explicit(&self->looked_ms, memory_order_relaxed);
    return looked_ms == 0 || clock_now_ms() - looked_ms >= LOOK_EVERY_MS;
}

void
rocks_memory_tell(struct rocks_memory *self, const struct rocks_database *database)
{
    if (!is_due(self) || atomic_flag_test_and_set(&self->is_looking))
        return;
    for (unsigned kind = 0; kind < ROCKS_MEMORY_KINDS; kind++)
        gauge_follow(rows[kind].gauge, &self->told[kind], ask(database, &rows[kind]));
    atomic_store_explicit(&self->looked_ms, clock_now_ms(), memory_order_relaxed);
    atomic_flag_clear(&self->is_looking);
}
