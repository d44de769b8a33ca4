// tested_store.h - a store of a test's own: a gate over faults over RocksDB, in its directory.
#ifndef DIORAMA_TESTS_SUPPORT_TESTED_STORE_H
#define DIORAMA_TESTS_SUPPORT_TESTED_STORE_H

#include "tests/support/gate.h"
#include "tests/support/temporary.h"

// Opens what is in the directory, or a new one. No faults at first.
store_t *tested_store_open(const struct temporary *directory);

// The faults from the next commit on (store/fault.h); "" is none.
void tested_store_set_faults(const struct temporary *directory, const char *plan);

#endif
