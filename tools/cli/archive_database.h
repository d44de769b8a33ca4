// archive_database.h - the database of a server, as the place from which `export` takes records and
// into which `import` puts them. Nobody else has it meanwhile.
#ifndef DIORAMA_TOOLS_CLI_ARCHIVE_DATABASE_H
#define DIORAMA_TOOLS_CLI_ARCHIVE_DATABASE_H

#include "proto/base/buffer.h"
#include "store/backup/archive_engine.h"

// Named as the settings of the server are; all "" and false = there is no database.
struct database_values {
    const char *uri, *uri_file;
    const char *blobs; // "" = none
    const char *blob_store;
    bool allow_async;
};

struct charge_keeper;

struct archive_database {
    const struct database_values *values;
    bool must_be_empty; // for an import
    struct buffer uri;
    struct charge_keeper *keeper;
    struct archive_engine engine;
};

// `*ret_engine` is NULL where there is no database; else it borrows from both. Fails with
// ERR_INVALID where the values do not go together, and as secret_file_read_uri.
fallible archive_database_init(struct archive_database *self, const struct database_values *values,
                               bool must_be_empty, const struct archive_engine **ret_engine);
void archive_database_finish(struct archive_database *self);

#endif
