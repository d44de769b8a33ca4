// store_open_sync_test.c - a data folder that is made is durable in its parents before anything is
// written into it.
#include <criterion/criterion.h>
#include <stdio.h>

#include "store/store_open.h"
#include "tests/support/synced.h"
#include "tests/support/temporary.h"

Test(store_open_sync, folders_that_are_made_are_durable_in_their_parents)
{
    struct temporary folder;
    char outer[TEMPORARY_PATH_BYTES], data[TEMPORARY_PATH_BYTES];
    store_t *store = NULL;
    temporary_init(&folder);
    temporary_path(&folder, "outer", outer);
    temporary_path(&folder, "outer/data", data);
    synced_begin();
    const struct config config = {.data_dir = data, .store_sync = true};
    cr_assert_eq(store_open(&config, &store), OK);
    cr_assert(synced_has(folder.path), "the folder in which outer/ was made was not synced");
    cr_assert(synced_has(outer), "outer/ was not synced, in which data/ was made");
    cr_assert(synced_has(data), "data/ was not synced, in which store/ was made");
    store_destroy(&store);
    temporary_finish(&folder);
}
