// archive_export.h - all that a data.dir has, as one file that any version and any engine of the
// store can read: a tar file with
//
//   manifest.json                   {"form":1}
//   records/<family>/<number>.jsonl a line a record: {"part":5,"key":…,"value":…}, bytes in base64
//   blobs/<aa>/<sha256>             bytes of assets
//   audit/… pub/…                   as in a data.dir
//   SHA256SUMS                      of all files before it, as sha256sum(1) writes it
//
// It depends on what is stored alone: equal contents make equal files, whatever engine has them.
// One thread.
#ifndef DIORAMA_STORE_BACKUP_ARCHIVE_EXPORT_H
#define DIORAMA_STORE_BACKUP_ARCHIVE_EXPORT_H

#include "store/backup/archive_engine.h"
#include "store/backup/backup_check.h"

enum {
    ARCHIVE_FORM_NOW = 1,          // what is newer is refused
    ARCHIVE_CHUNK_BYTES = 4 << 20, // of one file of records, and what its last record is beyond
    ARCHIVE_CHUNK_MOST = 16 << 20, // that is read
};

extern const char archive_manifest_name[]; // "manifest.json"

struct archive_counts {
    uint64_t records, blobs, files, bytes;
};

// Writes what is in the folder to a new file. `from` is a data.dir that no server uses, or a
// backup, which is restored beside the file for that. The file appears when it is complete. A blob
// that is damaged is left out, and told as a problem. Fails with ERR_CONFLICT if the file is there
// already, with ERR_UNAVAILABLE if a server uses the folder, as backup_file_copy otherwise; nothing
// is left then. With an engine `from` is the data.dir of a server whose records are there.
fallible archive_export(const char *from, const struct archive_engine *engine, const char *file,
                        struct backup_check *check, struct archive_counts *ret_counts);

#endif
