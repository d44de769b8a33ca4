// archive_database.c - opens the database as a server does, and takes charge of it
// (archive_database.h).
#include "tools/cli/archive_database.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actors/standby/charge_hold.h"
#include "proto/config/secret_file.h"
#include "store/blob_place.h"
#include "store/format.h"
#include "store/store_open.h"
#include "tools/cli/command.h"

// A server took the place of this command, which was frozen.
static void
end_command(void)
{
    fprintf(stderr, "diorama: a server has taken charge of the database meanwhile\n");
    _exit(OUTCOME_FILE);
}

static struct config
config_of(const struct archive_database *self, const char *data_dir)
{
    return (struct config){.data_dir = data_dir,
                           .store_uri = self->uri.data,
                           .store_allow_async = self->values->allow_async,
                           .store_sync = true,
                           .blob_dir = self->values->blobs,
                           .blob_database = self->engine.has_blobs,
                           .http_host = "diorama"};
}

// One whose import was not completed says that rather than what else is wrong with it.
static fallible
check(const struct archive_database *self, store_t *store)
{
    uint32_t format, steps;
    TRY(format_read(store, &format, &steps));
    return self->must_be_empty ? archive_engine_check_empty(store) : OK;
}

// Looks twice: what is refused is not touched, and what came in between is found.
static fallible
open_database(void *context, const char *data_dir, store_t **ret_store)
{
    struct archive_database *self = context;
    const struct config config = config_of(self, data_dir);
    TRY(store_open(&config, ret_store));
    TRY(check(self, *ret_store));
    TRY(self->must_be_empty ? blob_place_check(&config, *ret_store)
                            : blob_place_check_source(&config, *ret_store));
    TRY(charge_hold_soon(*ret_store, &config, end_command, &self->keeper));
    return check(self, *ret_store);
}

static void
close_database(void *context, store_t **store)
{
    struct archive_database *self = context;
    charge_keeper_destroy(&self->keeper);
    store_destroy(store);
}

// Servers look for the bytes of assets there from now on.
static fallible
note_place(void *context, store_t *store)
{
    const struct archive_database *self = context;
    const struct config config = config_of(self, "");
    return blob_place_note(&config, store);
}

static fallible
read_uri(struct archive_database *self)
{
    const struct database_values *values = self->values;
    if (*values->uri && *values->uri_file)
        return fail(ERR_INVALID, "", "store.uri and store.uri_file: give one of them");
    char line[SECRET_FILE_LINE_SIZE] = "";
    if (*values->uri_file)
        TRY(secret_file_read_uri("store.uri_file", values->uri_file, line));
    buffer_put_chars(&self->uri, *values->uri_file ? line : values->uri);
    buffer_put(&self->uri, "", 1);
    explicit_bzero(line, sizeof line);
    return OK;
}

fallible
archive_database_init(struct archive_database *self, const struct database_values *values,
                      bool must_be_empty, const struct archive_engine **ret_engine)
{
    *self = (struct archive_database){.values = values, .must_be_empty = must_be_empty};
    bool has_blobs = strcmp(values->blob_store, "database") == 0;
    self->engine = (struct archive_engine){.open = open_database,
                                           .close = close_database,
                                           .context = self,
                                           .complete = note_place,
                                           .blobs = values->blobs,
                                           .has_blobs = has_blobs};
    bool is_there = *values->uri || *values->uri_file;
    *ret_engine = is_there ? &self->engine : NULL;
    if (!has_blobs && strcmp(values->blob_store, "folder") != 0)
        return fail(ERR_INVALID, "", "blob.store is folder or database");
    if ((*values->blobs || has_blobs) && !is_there)
        return fail(ERR_INVALID, "",
                    "blob.dir and blob.store are of servers that share a database: store.uri");
    if (*values->blobs && has_blobs)
        return fail(ERR_INVALID, "", "blob.dir and blob.store=database: give one of them");
    return is_there ? read_uri(self) : OK;
}

void
archive_database_finish(struct archive_database *self)
{
    buffer_finish(&self->uri);
}
