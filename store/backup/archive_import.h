// archive_import.h - makes a data.dir of an archive (archive_export.h). One thread.
#ifndef DIORAMA_STORE_BACKUP_ARCHIVE_IMPORT_H
#define DIORAMA_STORE_BACKUP_ARCHIVE_IMPORT_H

#include "store/backup/archive_export.h"

// Makes `to`, a folder that is missing or empty, with all that the archive has; it appears when all
// of it was read, has its digests, and is on the disk. Fails with ERR_CONFLICT if there is
// something in `to`, with ERR_INVALID if the archive is damaged, is none, or of a newer form, as
// backup_file_copy otherwise; nothing has changed then.
fallible archive_import(const char *file, const char *to, struct backup_check *check,
                        struct archive_counts *ret_counts);

#endif
