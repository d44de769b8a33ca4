// archive.c - `diorama export` and `diorama import`: all that a server stores, as one file, between
// machines, versions and engines of the store. Neither needs a server, and none may use the folder.
#include <inttypes.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "store/backup/archive_export.h"
#include "store/backup/archive_import.h"
#include "tools/cli/archive_database.h"
#include "tools/cli/checking.h"

enum { MIB = 1 << 20 };

struct archive_values {
    const char *file;
    const char *folder;
    struct database_values database;
};

// clang-format off
#define DATABASE(what_)                                                                            \
    OPTION (struct archive_values, database.uri,         "store.uri",         "URI",  "", "Database " what_ ": postgresql://…"), \
    OPTION (struct archive_values, database.uri_file,    "store.uri_file",    "FILE", "", "File that holds store.uri."), \
    OPTION (struct archive_values, database.allow_async, "store.allow_async", NULL,   "no", "A database without a standby in step will do."), \
    OPTION (struct archive_values, database.blobs,       "blob.dir",          "FOLDER", "", "Folder of the bytes of assets. [in the data.dir]"), \
    OPTION (struct archive_values, database.blob_store,  "blob.store",        "folder|database", "folder", "Where they are, or go.")

static const struct option_row export_rows[] = {
    OPTION (struct archive_values, file,   "FILE",   NULL, NULL, "The archive to make; must not exist.", .is_operand = true),
    OPTION (struct archive_values, folder, "FOLDER", NULL, NULL, "A backup, or the data.dir of a server that is stopped.", .is_operand = true),
    DATABASE ("that has the records"),
};

static const struct option_row import_rows[] = {
    OPTION (struct archive_values, file,   "FILE", NULL, NULL, "An archive.", .is_operand = true),
    OPTION (struct archive_values, folder, "DATA", NULL, NULL, "The data.dir to make: a folder that is missing or empty.", .is_operand = true),
    DATABASE ("that gets the records, an empty one"),
};
// clang-format on

typedef fallible worker(const struct archive_values *values, const struct archive_engine *engine,
                        struct backup_check *check, struct archive_counts *ret_counts);

static enum outcome
run(const char *command, const struct archive_values *values, bool is_import, worker *work)
{
    struct checking checking;
    struct archive_counts counts = {0};
    owned(archive_database_finish) struct archive_database database = {0};
    const struct archive_engine *engine;
    checking_begin(&checking, command, 0);
    enum error error = archive_database_init(&database, &values->database, is_import, &engine);
    if (error == OK)
        error = work(values, engine, &checking.check, &counts);
    enum outcome outcome = checking_end(&checking, command, error);
    if (outcome == OUTCOME_DONE)
        printf("%" PRIu64 " records, %" PRIu64 " files of assets, %.1f MB\n", counts.records,
               counts.blobs, (double)checking.check.bytes / MIB);
    return outcome;
}

static fallible export(const struct archive_values *values, const struct archive_engine *engine,
                       struct backup_check *check, struct archive_counts *ret_counts)
{
    return archive_export(values->folder, engine, values->file, check, ret_counts);
}

static fallible
import(const struct archive_values *values, const struct archive_engine *engine,
       struct backup_check *check, struct archive_counts *ret_counts)
{
    return archive_import(values->file, values->folder, engine, check, ret_counts);
}

static enum outcome
export_run(const void *values)
{
    return run("export", values, false, export);
}

static enum outcome
import_run(const void *values)
{
    return run("import", values, true, import);
}

const struct command export_command = {
    .name = "export",
    .about = "Write all that a server stores into one file: a tar of JSON lines and of assets.",
    .more =
        "Of a server that runs: of its newest backup (diorama backup create). Equal contents make\n"
        "equal files. Everything is in it, secrets too. To look into it:\n"
        "tar -xOf FILE records/scene/000000.jsonl; to check it: tar -xf FILE && sha256sum -c "
        "SHA256SUMS\n"
        "Where records are in a database: diorama export FILE DATA --store.uri_file=...\n",
    .options = export_rows,
    .option_count = sizeof export_rows / sizeof export_rows[0],
    .values_size = sizeof(struct archive_values),
    .run = export_run,
};

const struct command import_command = {
    .name = "import",
    .about = "Make a data.dir from a file that `export` wrote, all of it verified.",
    .more = "Start a server with it: dioramad --data.dir=DATA. Keys, users, times and versions are "
            "as they\n"
            "were. Nothing is there before all of the file is right. With --store.uri_file the "
            "records go\n"
            "to an empty database, which no server takes until everything is there.\n",
    .options = import_rows,
    .option_count = sizeof import_rows / sizeof import_rows[0],
    .values_size = sizeof(struct archive_values),
    .run = import_run,
};
