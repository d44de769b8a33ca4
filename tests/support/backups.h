// backups.h - a real store and real blobs in a data.dir of a test's own, and backups of them.
#ifndef DIORAMA_TESTS_SUPPORT_BACKUPS_H
#define DIORAMA_TESTS_SUPPORT_BACKUPS_H

#include "store/backup/backup_make.h"
#include "tests/support/temporary.h"

// SHA-256 of "abc", as the path of a blob.
#define ABC_PATH "blobs/ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

struct backups_fixture {
    struct temporary folder;
    struct arena arena;
    store_t *store;
    blobs_t *blobs;
    char data[TEMPORARY_PATH_BYTES]; // the data.dir
    char dir[TEMPORARY_PATH_BYTES];  // backup.dir
    char to[TEMPORARY_PATH_BYTES];   // where a restore goes; not there yet
    struct backup_settings settings;
};

void backups_fixture_init(struct backups_fixture *self);
void backups_fixture_finish(struct backups_fixture *self);

// Stores a blob that one record refers to.
struct blob_hash backups_store_blob(struct backups_fixture *self, const char *bytes);

// Makes a backup that began at this time, which must succeed; the path of its folder.
struct backup *backups_make(struct backups_fixture *self, uint64_t time_us,
                            char ret_path[BACKUP_PATH_SIZE]);

#endif
