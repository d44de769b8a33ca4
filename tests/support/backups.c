// backups.c - a data.dir with a store and blobs, and its backups (backups.h).
#include "tests/support/backups.h"

#include <criterion/criterion.h>
#include <string.h>

#include "store/blob.h"
#include "store/store_open.h"

static bool
unlimited(const char *path, uint64_t *ret_free)
{
    (void)path;
    *ret_free = UINT64_MAX;
    return true;
}

void
backups_fixture_init(struct backups_fixture *self)
{
    *self = (struct backups_fixture){0};
    temporary_init(&self->folder);
    temporary_path(&self->folder, "data", self->data);
    temporary_path(&self->folder, "backups", self->dir);
    temporary_path(&self->folder, "restored", self->to);
    const struct config config = {.data_dir = self->data, .store_sync = true};
    cr_assert_eq(store_open(&config, &self->store), OK);
    cr_assert_eq(blob_folder_open(&config, unlimited, &self->blobs), OK);
    self->settings = (struct backup_settings){.data_dir = self->data,
                                              .dir = self->dir,
                                              .store = self->store,
                                              .blobs = self->blobs,
                                              .version = "1",
                                              .epoch = 7};
}

void
backups_fixture_finish(struct backups_fixture *self)
{
    blobs_destroy(&self->blobs);
    store_destroy(&self->store);
    arena_finish(&self->arena);
    temporary_finish(&self->folder);
}

struct blob_hash
backups_store_blob(struct backups_fixture *self, const char *bytes)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    cr_assert_eq(blob_begin(self->blobs, 1000, &writer), OK);
    cr_assert_eq(blob_write(writer, bytes, strlen(bytes)), OK);
    cr_assert_eq(blob_finish(&writer, &pin), OK);
    struct blob_hash hash = pin->hash;
    blob_keep(self->blobs, &hash);
    blob_unpin(&pin);
    return hash;
}

struct backup *
backups_make(struct backups_fixture *self, uint64_t time_us, char ret_path[BACKUP_PATH_SIZE])
{
    struct backup *backup = backup_begin(&self->settings, &self->arena, time_us);
    cr_assert_eq(backup_make(&self->settings, &self->arena, backup), OK, "%s",
                 fault_last()->detail);
    cr_assert_eq(backup_path(self->dir, text_chars(backup->key), ret_path), OK);
    return backup;
}
