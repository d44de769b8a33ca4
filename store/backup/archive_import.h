// archive_import.h - makes a data.dir of an archive (archive_export.h). One thread.
#ifndef DIORAMA_STORE_BACKUP_ARCHIVE_IMPORT_H
#define DIORAMA_STORE_BACKUP_ARCHIVE_IMPORT_H

#include "store/backup/archive_export.h"

// Makes `to`, a folder that is missing or empty, with all that the archive has; it appears when all
// of it was read, has its digests, and is on the disk. Fails with ERR_CONFLICT if there is
// something in `to`, with ERR_INVALID if the archive is damaged, is none, or of a newer form, as
// backup_file_copy otherwise; nothing has changed then.
//
// With an engine the records go to its store, which is empty, and `to` gets all else; the bytes of
// assets go to the store too, or to a folder of their own that is missing or empty, as it says.
// That store is marked as unfinished (format.h), which each start refuses, until everything is
// there: after a kill or a failure it stays so, and is to be made anew.
fallible archive_import(const char *file, const char *to, const struct archive_engine *engine,
                        struct backup_check *check, struct archive_counts *ret_counts);

#endif
