// tested_store.c - see the header.
#include "tests/support/tested_store.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/error.h"
#include "store/fault.h"
#include "store/rocks.h"

#define MUST(call) cr_assert_eq((call), OK, "%s", fault_last()->detail)

store_t *
tested_store_open(const struct temporary *directory)
{
    char path[TEMPORARY_PATH_BYTES], plan[TEMPORARY_PATH_BYTES + sizeof "file="];
    store_t *rocks = NULL, *faulty = NULL;
    temporary_path(directory, "store", path);
    MUST(rocks_open(path, false, false, &rocks));
    temporary_path(directory, "faults", path);
    snprintf(plan, sizeof plan, "file=%s", path);
    MUST(fault_wrap(&rocks, plan, &faulty));
    return gate_wrap(&faulty);
}

void
tested_store_set_faults(const struct temporary *directory, const char *plan)
{
    char fresh[TEMPORARY_PATH_BYTES], path[TEMPORARY_PATH_BYTES];
    temporary_path(directory, "faults.new", fresh);
    temporary_path(directory, "faults", path);
    FILE *file = fopen(fresh, "w");
    cr_assert_not_null(file);
    fputs(plan, file);
    fclose(file);
    cr_assert_eq(rename(fresh, path), 0);
}
