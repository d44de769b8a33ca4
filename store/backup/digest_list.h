// digest_list.h - the list of a backup's files with their SHA-256, in the form of sha256sum(1): in
// the folder of a backup `sha256sum -c SHA256SUMS` checks it without a program of ours. A line is a
// digest in hex, two blanks and the path from the folder. Lists are read and written line by line:
// a backup may have a million files. The SHA-256 of the list is the root of the backup.
#ifndef DIORAMA_STORE_BACKUP_DIGEST_LIST_H
#define DIORAMA_STORE_BACKUP_DIGEST_LIST_H

#include "proto/base/buffer.h"
#include "store/backup/backup_file.h"

enum { DIGEST_HEX_SIZE = 2 * FILE_DIGEST_BYTES + 1 }; // with NUL

extern const char digest_list_name[]; // "SHA256SUMS"

void file_digest_to_hex(const struct file_digest *digest, char ret_hex[DIGEST_HEX_SIZE]);

// Appends a line of a list.
void digest_line_put(const struct file_digest *digest, const char *path, struct buffer *out);

typedef struct digest_writer digest_writer_t;

// A new list in the folder of a backup. Fails as backup_file_copy.
fallible digest_writer_create(const char *folder, digest_writer_t **ret_writer);
fallible digest_writer_add(digest_writer_t *self, const struct file_digest *digest,
                           const char *path);
// The list is complete and on the disk; tells its root. The writer ends, also if this fails.
fallible digest_writer_finish(digest_writer_t **self, struct file_digest *ret_root);
// Accepts NULL.
void digest_writer_destroy(digest_writer_t **self);

typedef struct digest_reader digest_reader_t;

struct digest_line {
    struct file_digest digest;
    char path[BACKUP_PATH_SIZE];
};

// Opens the list of a backup. Fails with ERR_NOT_FOUND if there is none.
fallible digest_reader_create(const char *folder, digest_reader_t **ret_reader);
// The next line; *ret_is_end where there is none. Fails with ERR_INVALID on a line that no writer
// wrote: a path must begin with one of the parts of a backup and lead nowhere else.
fallible digest_reader_next(digest_reader_t *self, struct digest_line *ret_line, bool *ret_is_end);
// The root of what was read so far: of the whole list when its end was read.
void digest_reader_root(const digest_reader_t *self, struct file_digest *ret_root);
// Accepts NULL.
void digest_reader_destroy(digest_reader_t **self);

// A folder of a data.dir that a backup has, and how its files come into one.
struct backup_part {
    const char *name;
    bool is_shared;  // files never change: links will do
    bool is_by_hash; // the name of a file is its digest; others are no files of the part
    bool may_go;     // files may be removed meanwhile, and are not missed then
};

// All parts, in bytewise order of their names; a NULL name ends them.
extern const struct backup_part backup_parts[];

// The part that a path is in; NULL if it is in none, or leads out of it.
const struct backup_part *backup_part_of(const char *path);

#endif
