// asset_thumbnail.c - sets or reads the thumbnail of an asset. It is small: it is held in memory.
// The server says what is wrong with one; here only the end of its name is looked at.
#include "tools/cli/asset_thumbnail.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/file_text.h"

struct thumbnail_values {
    struct connection_values connection;
    const char *key;
    const char *picture;
    const char *output;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct thumbnail_values, key,     "KEY",    NULL,   NULL, "Key of the asset.", .is_operand = true),
    OPTION (struct thumbnail_values, picture, "set",    "FILE", "",   "Set this PNG or WebP image, of at most 64 KiB; - = standard input."),
    OPTION (struct thumbnail_values, output,  "output", "FILE", "-",  "File to write the thumbnail to; - = standard output.", .letter = 'o'),
    CONNECTION_URL (struct thumbnail_values, connection),
    CONNECTION_PROFILE (struct thumbnail_values, connection),
};
// clang-format on

// The type for the end of the name.
static const char *
type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".webp") == 0 ? "image/webp" : "image/png";
}

static bool
keep(void *context, const char *data, size_t size)
{
    buffer_put(context, data, size);
    return true;
}

static fallible
write_file(const char *path, const struct buffer *bytes)
{
    bool is_standard = strcmp(path, "-") == 0;
    FILE *file = is_standard ? stdout : fopen(path, "wb");
    if (!file)
        return file_text_failed(path);
    bool is_written = fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    bool is_closed = (is_standard ? fflush(file) : fclose(file)) == 0;
    return is_written && is_closed ? OK : file_text_failed(path);
}

static enum outcome
set(http_client_t *http, const struct buffer *path, const char *picture)
{
    owned(buffer_finish) struct buffer bytes = {0};
    enum error error = file_text_read(picture, &bytes);
    if (error != OK)
        return command_failed("asset thumbnail", error, OUTCOME_FILE);
    error = http_client_put(http, path, type_of(picture), &bytes);
    return error == OK ? OUTCOME_DONE : command_refused("asset thumbnail", error);
}

static enum outcome
get(http_client_t *http, const struct buffer *path, const char *output)
{
    owned(buffer_finish) struct buffer bytes = {0};
    enum error error = http_client_receive(http, path, "image/*", keep, &bytes);
    if (error != OK)
        return command_refused("asset thumbnail", error);
    error = write_file(output, &bytes);
    return error == OK ? OUTCOME_DONE : command_failed("asset thumbnail", error, OUTCOME_FILE);
}

static enum outcome
run(const void *untyped)
{
    const struct thumbnail_values *values = untyped;
    owned(buffer_finish) struct buffer path = {0};
    owned(http_client_destroy) http_client_t *http = NULL;
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("asset thumbnail", error);
    buffer_put_chars(&path, "/v1/asset/");
    http_client_escape(&path, values->key);
    buffer_put_chars(&path, "/thumbnail");
    return values->picture[0] ? set(http, &path, values->picture)
                              : get(http, &path, values->output);
}

const struct command asset_thumbnail_command = {
    .name = "asset thumbnail",
    .about = "Write the thumbnail of an asset to a file, or set it.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct thumbnail_values),
    .run = run,
};
