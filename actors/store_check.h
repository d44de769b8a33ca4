// store_check.h - whether all that is stored agrees with itself: records and the index records that
// lead to them, in each family.
#ifndef DIORAMA_ACTORS_STORE_CHECK_H
#define DIORAMA_ACTORS_STORE_CHECK_H

#include <stdint.h>

#include "store/store.h"

// Compares the index records of each family with its records, and mends them. Prints a line for
// each family on standard output. `*ret_mended` counts what was put and deleted. Nobody else uses
// the store. Fails with ERR_INTERNAL where something is damaged.
fallible store_check(store_t *store, uint64_t *ret_mended);

#endif
