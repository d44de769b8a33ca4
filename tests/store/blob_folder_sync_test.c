// blob_folder_sync_test.c - the folders of blobs are as durable as the blobs in them: their names
// are on the disk before anything relies on them, also where a process that was killed made them.
#include <criterion/criterion.h>
#include <sys/stat.h>

#include "store/blob.h"
#include "tests/support/synced.h"
#include "tests/support/temporary.h"

static struct temporary folder;
static blobs_t *blobs;

static void
begin(void)
{
    temporary_init(&folder);
    synced_begin();
}

static void
end(void)
{
    blobs_destroy(&blobs);
    temporary_finish(&folder);
}

TestSuite(blob_folder_sync, .init = begin, .fini = end);

static const char *
path_of(const char *name)
{
    static char path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, name, path);
    return path;
}

static bool
has_room(const char *path, uint64_t *ret_free)
{
    (void)path;
    *ret_free = UINT64_MAX;
    return true;
}

static void
check_open(void)
{
    const struct config config = {.data_dir = folder.path, .store_sync = true};
    cr_assert_eq(blob_folder_open(&config, has_room, &blobs), OK);
    cr_assert(synced_has(folder.path), "the data folder was not synced, in which blobs/ stands");
    cr_assert(synced_has(path_of("blobs")), "blobs/ was not synced, in which tmp/ stands");
}

Test(blob_folder_sync, folders_that_are_made_are_durable)
{
    check_open();
}

Test(blob_folder_sync, folders_that_were_there_are_durable)
{
    cr_assert_eq(mkdir(path_of("blobs"), 0700), 0);
    cr_assert_eq(mkdir(path_of("blobs/tmp"), 0700), 0);
    check_open();
}
