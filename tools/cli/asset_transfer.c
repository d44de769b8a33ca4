// asset_transfer.c - uploads and downloads of files, with a progress bar on a terminal. The bytes
// of an asset's key never change, so a download continues an earlier one of the same key: the bytes
// received so far are kept beside the file, under a name that has the key.
#include "tools/cli/asset_transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/file_digest.h"
#include "tools/cli/file_text.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"

struct upload_values {
    struct connection_values connection;
    const char *file;
    const char *update;
    const char *name;
    const char *content_type;
    const char *file_type;
    const char *asset_type;
    const char *related_id;
    const char *related_type;
    bool is_public;
};

struct download_values {
    struct connection_values connection;
    const char *key;
    const char *output;
};

// clang-format off
static const struct option_row upload_rows[] = {
    OPTION (struct upload_values, file,         "FILE",         NULL,   NULL, "File to upload.", .is_operand = true),
    OPTION (struct upload_values, update,       "update",       "KEY",  "",   "Make a new version of this asset; its relationships move to the new key."),
    OPTION (struct upload_values, name,         "name",         "TEXT", "",   "Name of the asset."),
    OPTION (struct upload_values, content_type, "content-type", "TYPE", "",   "Media type, such as model/gltf-binary; by default the server detects it."),
    OPTION (struct upload_values, file_type,    "file-type",    "TEXT", "",   "Type of the file, such as glb; by default the end of its name."),
    OPTION (struct upload_values, asset_type,   "asset-type",   "TEXT", "",   "Any word, such as mesh."),
    OPTION (struct upload_values, related_id,   "related-id",   "KEY",  "",   "Relate the asset to this record; needs --related-type."),
    OPTION (struct upload_values, related_type, "related-type", "TYPE", "",   "Type of that record, such as scene or object; needs --related-id."),
    OPTION (struct upload_values, is_public,    "public",       NULL,   "no", "Let everybody read the asset."),
    CONNECTION_URL (struct upload_values, connection),
    CONNECTION_PROFILE (struct upload_values, connection),
};
static const struct option_row download_rows[] = {
    OPTION (struct download_values, key,        "KEY",          NULL,   NULL, "Key of the asset.", .is_operand = true),
    OPTION (struct download_values, output,     "output",       "FILE", "",   "File to write; - = standard output. [the key]", .letter = 'o'),
    CONNECTION_URL (struct download_values, connection),
    CONNECTION_PROFILE (struct download_values, connection),
};
// clang-format on

static void
put_upload_path(struct buffer *out, const struct upload_values *values)
{
    const struct {
        const char *name, *value;
    } parameters[] = {
        {"name", values->name},
        {"content-type", values->content_type},
        {"file-type", values->file_type},
        {"asset-type", values->asset_type},
        {"related-id", values->related_id},
        {"related-type", values->related_type},
        {"isPublic", values->is_public ? "true" : ""},
    };
    buffer_put_chars(out, "/v1/asset");
    if (values->update[0]) {
        buffer_put_char(out, '/');
        http_client_escape(out, values->update);
    }
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (parameters[i].value[0])
            members_put_parameter(out, parameters[i].name, strlen(parameters[i].name),
                                  parameters[i].value);
}

static fallible
check_upload(const struct upload_values *values)
{
    struct stat status;
    if (!values->related_id[0] != !values->related_type[0])
        return fail(ERR_INVALID, "", "--related-id and --related-type need each other");
    if (stat(values->file, &status) < 0 || access(values->file, R_OK) < 0)
        return file_text_failed(values->file);
    if (!S_ISREG(status.st_mode))
        return fail(ERR_UNAVAILABLE, "", "%s: is not a regular file", values->file);
    return OK;
}

static enum outcome
upload_run(const void *untyped)
{
    const struct upload_values *values = untyped;
    owned(buffer_finish) struct buffer path = {0};
    owned(http_client_destroy) http_client_t *http = NULL;
    struct progress progress;
    enum error error = check_upload(values);
    if (error == OK)
        error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("asset upload", error);
    const struct http_upload upload = {
        .path = values->file,
        .content_type = values->content_type[0] ? values->content_type : NULL,
    };
    put_upload_path(&path, values);
    progress_begin(&progress, "upload", 0);
    progress.is_bytes = true;
    error = http_client_upload(http, &path, &upload, &progress);
    progress_end(&progress);
    if (error != OK)
        return command_refused("asset upload", error);
    const struct buffer *key = http_client_answer(http);
    printf("%.*s\n", (int)key->size, key->data ? key->data : "");
    return fflush(stdout) == 0 ? OUTCOME_DONE : OUTCOME_FILE;
}

// One download: where the bytes go, and the name of the complete file.
struct fetch {
    http_client_t *http;
    struct buffer path;
    struct buffer output; // name, with its NUL
    struct buffer part;   // name of the incomplete file, with its NUL
    struct http_download download;
    struct progress progress;
};

static void
fetch_finish(struct fetch *self)
{
    if (self->download.file > STDERR_FILENO)
        close(self->download.file);
    http_client_destroy(&self->http);
    buffer_finish(&self->path);
    buffer_finish(&self->output);
    buffer_finish(&self->part);
}

// Opens the incomplete file of an earlier try, or a new one.
static fallible
open_part(struct fetch *self, const struct download_values *values)
{
    struct stat status;
    buffer_put_format(&self->part, "%s.", self->output.data);
    http_client_escape(&self->part, values->key);
    buffer_put(&self->part, ".part", sizeof ".part");
    self->download.file = open(self->part.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (self->download.file < 0 || fstat(self->download.file, &status) < 0)
        return file_text_failed(self->part.data);
    self->download.have = (uint64_t)status.st_size;
    return OK;
}

// Opens the output. Standard output, and a device or FIFO of this name, take the bytes directly;
// otherwise they go to an incomplete file first.
static fallible
open_output(struct fetch *self, const struct download_values *values)
{
    struct stat status;
    buffer_put_chars(&self->path, "/v1/asset/");
    http_client_escape(&self->path, values->key);
    if (values->output[0])
        buffer_put_chars(&self->output, values->output);
    else
        http_client_escape(&self->output, values->key);
    buffer_put_char(&self->output, '\0');
    if (strcmp(values->output, "-") == 0) {
        self->download = (struct http_download){.file = STDOUT_FILENO, .is_pipe = true};
        return OK;
    }
    if (stat(self->output.data, &status) < 0 || S_ISREG(status.st_mode))
        return open_part(self, values);
    self->download.is_pipe = true;
    self->download.file = open(self->output.data, O_WRONLY | O_CLOEXEC);
    return self->download.file >= 0 ? OK : file_text_failed(self->output.data);
}

// Whether the server refused the range because all bytes are here already.
static bool
is_complete(struct fetch *self)
{
    uint64_t total;
    return sscanf(http_client_header(self->http, "Content-Range"), "bytes */%" SCNu64, &total) ==
               1 &&
           total == self->download.have;
}

// Whether the bytes of several tries are the asset: a power cut may have left zeros among them.
// They are taken for it if the server does not tell a digest.
static bool
is_intact(struct fetch *self, const char *key)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *assets = NULL;
    char digest[FILE_DIGEST_BYTES];
    buffer_put_chars(&path, "/v1/asset");
    members_put_parameter(&path, "key", strlen("key"), key);
    if (http_client_call(self->http, "GET", &path, NULL, &assets) != OK || !assets ||
        assets->type != JSON_ARRAY || assets->count == 0)
        return true;
    const char *expected = json_value_chars(&assets->items[0], "sha256", "");
    return !expected[0] ||
           (file_digest(self->part.data, digest) == OK && strcmp(digest, expected) == 0);
}

// Continues an earlier try; starts again if its bytes are no part of the asset.
static fallible
fetch_bytes(struct fetch *self, const char *key)
{
    struct http_download *download = &self->download;
    uint64_t had = download->have;
    enum error error = http_client_download(self->http, &self->path, download, &self->progress);
    if (had == 0 || (error != OK && error != ERR_RANGE))
        return error;
    if ((error == OK || is_complete(self)) && is_intact(self, key))
        return OK;
    download->have = 0;
    return http_client_download(self->http, &self->path, download, &self->progress);
}

// Reports a failed download. Its incomplete file stays unless it is empty.
static enum outcome
download_failed(struct fetch *self, enum error error)
{
    if (self->part.size && self->download.have == 0)
        unlink(self->part.data);
    if (self->download.write_errno == 0)
        return command_refused("asset download", error);
    errno = self->download.write_errno;
    error = file_text_failed(self->part.size ? self->part.data : self->output.data);
    return command_failed("asset download", error, OUTCOME_FILE);
}

static enum outcome
download_run(const void *untyped)
{
    const struct download_values *values = untyped;
    owned(fetch_finish) struct fetch self = {.download.file = -1};
    enum error error = connection_open(&values->connection, &self.http);
    if (error == OK)
        error = open_output(&self, values);
    if (error != OK)
        return connection_failed("asset download", error);
    progress_begin(&self.progress, "download", 0);
    self.progress.is_bytes = true;
    error = fetch_bytes(&self, values->key);
    progress_end(&self.progress);
    if (error != OK)
        return download_failed(&self, error);
    if (self.download.is_pipe || rename(self.part.data, self.output.data) == 0)
        return OUTCOME_DONE;
    return command_failed("asset download", file_text_failed(self.output.data), OUTCOME_FILE);
}

const struct command asset_upload_command = {
    .name = "asset upload",
    .about = "Upload a file as an asset or a new version of one; prints its key.",
    .options = upload_rows,
    .option_count = sizeof upload_rows / sizeof upload_rows[0],
    .values_size = sizeof(struct upload_values),
    .run = upload_run,
};

const struct command asset_download_command = {
    .name = "asset download",
    .about = "Download an asset; continues an earlier try.",
    .options = download_rows,
    .option_count = sizeof download_rows / sizeof download_rows[0],
    .values_size = sizeof(struct download_values),
    .run = download_run,
};
