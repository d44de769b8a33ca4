// backup_folder.h - the folder of all backups, `backup.dir`. Each backup is a folder in it, named
// by the time when it began; one that is being made or removed ends in `.partial`. In a backup:
// `backup.json` says what it is (proto/records/backup.h), SHA256SUMS lists its files, and the
// parts of a data.dir are as they are there. One thread.
#ifndef DIORAMA_STORE_BACKUP_BACKUP_FOLDER_H
#define DIORAMA_STORE_BACKUP_BACKUP_FOLDER_H

#include "proto/base/arena.h"
#include "proto/records/backup.h"
#include "store/backup/backup_file.h"

// The name of a backup that begins at this time: 2026-11-24T19-04-11.512Z.
void backup_name(uint64_t time_us, char ret_name[BACKUP_NAME_SIZE]);

// Makes the folder if it is absent, for this user alone, and removes what a kill left unfinished.
fallible backup_folder_open(const char *dir);

// The names of the complete backups, newest first; the texts are in the arena.
fallible backup_folder_names(const char *dir, struct arena *arena, const struct texts **ret_names);

// Makes the folder of a backup that begins now, still `.partial`: its name, and its path.
fallible backup_folder_begin(const char *dir, uint64_t time_us, char ret_name[BACKUP_NAME_SIZE],
                             char ret_path[BACKUP_PATH_SIZE]);

// The backup is complete: it and all in it are on the disk, then it gets its name.
fallible backup_folder_finish(const char *dir, const char *name);

// Removes the oldest backups, so that `keep` stay. What cannot be removed is logged.
fallible backup_folder_prune(const char *dir, size_t keep);

// The name that the store of a data.dir has of its own: RocksDB gives it when it is made, or
// restored. "" where it cannot be read.
void backup_lineage(const char *data_dir, char ret_lineage[BACKUP_LINEAGE_SIZE]);

// What the folder of one backup says of it. Fails with ERR_INVALID if it is no backup, or one of a
// newer form.
fallible backup_read(const char *path, struct arena *arena, struct backup **ret_backup);
// Writes that into the folder.
fallible backup_write(const char *path, const struct backup *backup);

#endif
