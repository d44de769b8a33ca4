// backup_file.h - the work on single files that makes, checks and restores backups: digests,
// copies, links. Errors name the path and the reason. Any thread.
#ifndef DIORAMA_STORE_BACKUP_BACKUP_FILE_H
#define DIORAMA_STORE_BACKUP_BACKUP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "proto/base/error.h"

enum {
    FILE_DIGEST_BYTES = 32,
    BACKUP_PATH_SIZE = 1024, // of a path, with NUL: paths stand on stacks
};

// SHA-256 of the bytes of a file.
struct file_digest {
    unsigned char bytes[FILE_DIGEST_BYTES];
};

// Who does the work asks before each MiB: an error ends it there. All zero: it never ends early.
struct backup_pace {
    enum error (*go_on)(void *context);
    void *context;
};

// For owned(): frees what the pointer at `memory` points to.
static inline void
backup_release(void *memory)
{
    free(*(void **)memory);
}

// Fails with the reason (errno) why `path` could not be worked on: ERR_NOT_FOUND if it is not
// there, ERR_STORAGE_FULL if the disk is full, ERR_UNAVAILABLE otherwise.
fallible backup_file_failed(const char *what, const char *path);

// "folder/name". Fails with ERR_INVALID if that is too long for a path.
fallible backup_path(const char *folder, const char *name, char ret_path[BACKUP_PATH_SIZE]);

// Opens a file to read it; *ret_file is yours to close. Fails with ERR_INVALID where it is a pipe,
// a link or a folder.
fallible backup_file_open(const char *path, int *ret_file);

// Reads the file to its end. `ret_size`: its bytes.
fallible backup_file_digest(const char *path, const struct backup_pace *pace,
                            struct file_digest *ret_digest, uint64_t *ret_size);

// Copies a file to a new one, which is on the disk then; its name is not. What was copied when an
// error came is left. Fails with ERR_NOT_FOUND if there is no file `from`, with ERR_CONFLICT if
// there is one `to`, with ERR_STORAGE_FULL if the disk is full, with ERR_UNAVAILABLE otherwise.
fallible backup_file_copy(const char *from, const char *to, const struct backup_pace *pace,
                          struct file_digest *ret_digest, uint64_t *ret_size);

// Gives the file a second name. False where the file system cannot do that here: the two places
// are on different disks, or it has too many names already. Fails as backup_file_copy.
fallible backup_file_link(const char *from, const char *to, bool *ret_is_linked);

// Writes a new file, which is on the disk then; its name is not.
fallible backup_file_write(const char *path, const void *data, size_t size);

// Reads a file of at most `most` bytes; *ret_data is malloc'd and yours, with a NUL behind it.
fallible backup_file_read(const char *path, size_t most, char **ret_data, size_t *ret_size);

// Makes a folder for this user alone. Fails with ERR_CONFLICT if there is something of that name.
fallible backup_folder_make(const char *path);

// Makes a folder that gets another name when all is in it, and locks it: what a process that was
// killed left there is removed. `*ret_lock` is a descriptor, yours to close. Fails with
// ERR_CONFLICT while another process makes it.
fallible backup_folder_claim(const char *path, int *ret_lock);

// Makes the folders that the path of a file names below `to`; they may be there.
fallible backup_folders_make(const char *to, const char *path);

// Puts the names in a folder, and in the folders below it, on the disk.
fallible backup_tree_sync(const char *path);

// Removes a folder and all in it, as far as that goes. It does not follow links.
void backup_tree_remove(const char *path);

#endif
