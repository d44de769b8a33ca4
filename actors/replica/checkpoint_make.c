// checkpoint_make.c - see checkpoint_make.h.
#include "actors/replica/checkpoint_make.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/owned.h"
#include "store/backup/backup_file.h"
#include "store/key.h"
#include "store/store_open.h"

static void
folder_close(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

static void
file_close(FILE **file)
{
    if (*file)
        fclose(*file);
}

// --- the list of blobs ---

static bool
write_blob(FILE *out, int folder, const char *name)
{
    struct stat status;
    struct blob_hash hash;
    unsigned char size[8];
    if (!blob_hash_from_hex(name, strlen(name), &hash) || fstatat(folder, name, &status, 0) != 0)
        return true; // nothing of ours, or removed meanwhile: no record has it
    key_put_u64(size, (uint64_t)status.st_size);
    return fwrite(hash.bytes, sizeof hash.bytes, 1, out) == 1 &&
           fwrite(size, sizeof size, 1, out) == 1;
}

// The blobs of one first byte; there may be none.
static bool
write_blobs_of(FILE *out, const char *data_dir, unsigned first)
{
    char path[BACKUP_PATH_SIZE];
    snprintf(path, sizeof path, "%s/blobs/%02x", data_dir, first);
    owned(folder_close) DIR *folder = opendir(path);
    bool is_written = true;
    for (struct dirent *entry; folder && is_written && (entry = readdir(folder)) != NULL;)
        is_written = write_blob(out, dirfd(folder), entry->d_name);
    return is_written;
}

static fallible
write_blobs(const char *data_dir, const char *folder)
{
    char path[BACKUP_PATH_SIZE];
    TRY(backup_path(folder, REPLICA_BLOBS, path));
    owned(file_close) FILE *out = fopen(path, "wbxe");
    bool is_written = out != NULL;
    for (unsigned first = 0; first < 256 && is_written; first++)
        is_written = write_blobs_of(out, data_dir, first);
    if (!is_written || fflush(out) != 0)
        return backup_file_failed("write", path);
    return OK;
}

// --- the list of files ---

// What RocksDB writes about its work is of no use elsewhere.
static bool
is_for_followers(const char *name)
{
    return name[0] != '.' && strncmp(name, "LOG", 3) != 0 && strcmp(name, "LOCK") != 0;
}

static fallible
list_files(const char *path, struct buffer *files)
{
    owned(folder_close) DIR *folder = opendir(path);
    if (!folder)
        return backup_file_failed("list", path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat status;
        struct replica_file file = {.size = 0};
        if (!is_for_followers(entry->d_name))
            continue;
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            return backup_file_failed("list", path);
        snprintf(file.name, sizeof file.name, "%s", entry->d_name);
        file.size = (uint64_t)status.st_size;
        replica_put_file(files, &file);
    }
    return OK;
}

fallible
checkpoint_make(store_t *store, const char *data_dir, const char *folder, uint64_t *ret_position,
                struct buffer *files)
{
    TRY(store_error(store_checkpoint(store, folder)));
    TRY(store_position_in(folder, ret_position));
    TRY(write_blobs(data_dir, folder));
    return list_files(folder, files);
}
