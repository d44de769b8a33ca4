// upload.c - stores a file that is sent as multipart/form-data or as the body itself. The worker's
// thread.
#include "gateway/request/upload.h"

#include <ctype.h>
#include <strings.h>

#include "gateway/http/media_type.h"
#include "gateway/request/image_type.h"
#include "gateway/request/media_sniffer.h"
#include "proto/base/limits.h"
#include "proto/records/asset.h"

enum { FILENAME_BYTES = 255, EXTENSION_BYTES = 16 };

// The last part of a path, with either kind of slash.
static const struct text *
without_folders(struct arena *arena, const struct text *filename)
{
    const char *start = text_chars(filename);
    for (const char *at = start; *at; at++)
        if (*at == '/' || *at == '\\')
            start = at + 1;
    size_t size = strlen(start);
    return size > 0 && size <= FILENAME_BYTES ? text_new(arena, start, size) : NULL;
}

// Whether the type tells something: clients that know none write application/octet-stream.
static bool
says_something(const struct text *media_type)
{
    return text_size(media_type) && !text_is(media_type, "application/octet-stream") &&
           media_type_is_valid(text_chars(media_type));
}

static enum error
begin_part(void *context, const struct multipart_part *part)
{
    struct upload *self = context;
    self->is_file = text_is(part->name, "file") && !self->writer;
    if (!self->is_file)
        return OK;
    self->filename = without_folders(self->arena, part->filename);
    self->media_type = says_something(part->media_type) ? part->media_type : NULL;
    self->head = arena_alloc(self->arena, LIMIT_SNIFF_BYTES);
    return blob_begin(self->blobs, LIMIT_ASSET_BYTES, &self->writer);
}

static enum error
take_data(void *context, const char *data, size_t size)
{
    struct upload *self = context;
    if (!self->is_file)
        return OK;
    size_t room = LIMIT_SNIFF_BYTES - self->head_size;
    size_t kept = size < room ? size : room;
    memcpy(self->head + self->head_size, data, kept);
    self->head_size += kept;
    TRY(budget_hold_more(self->paid, (int64_t)size));
    return blob_write(self->writer, data, size);
}

static enum error
end_part(void *context)
{
    struct upload *self = context;
    // Browsers send such a part if no file was chosen.
    if (self->is_file && self->head_size == 0 && !self->filename)
        return fail(ERR_MISSING, "", "the part `file` has neither a name nor bytes");
    self->is_file = false;
    return OK;
}

static const struct multipart_sink sink = {begin_part, take_data, end_part};

fallible
upload_read(struct upload *self, struct mg_connection *connection, struct http_request *request,
            struct budget_hold *paid, blobs_t *blobs, struct arena *arena)
{
    *self = (struct upload){.arena = arena, .blobs = blobs, .paid = paid};
    TRY(multipart_init(&self->form, http_header(request, "Content-Type"), &sink, self, arena));
    TRY(http_body_begin(connection, request, LIMIT_ASSET_BYTES + LIMIT_FORM_BYTES));
    while (!request->body_read) {
        size_t size;
        char *room = multipart_room(&self->form, &size);
        TRY(http_body_read(connection, request, room, size, &size));
        TRY(multipart_take(&self->form, size));
    }
    TRY(multipart_end(&self->form));
    if (!self->writer)
        return fail(ERR_MISSING, "", "the form has no part called `file`");
    return OK;
}

// --- an image as the body ---

// The type that the request names, or NULL.
static fallible
named_type(const struct http_request *request, const char **ret_type)
{
    const char *named = http_header(request, "Content-Type");
    const char *coding = http_header(request, "Content-Encoding");
    if (coding && strcasecmp(coding, "identity") != 0)
        return fail(ERR_MEDIA_TYPE, "", "bodies must not be compressed");
    *ret_type = named ? image_type_named(named) : NULL;
    if (named && !*ret_type)
        return fail(ERR_MEDIA_TYPE, "", "the body must be image/png or image/webp");
    return OK;
}

// Reads a body of at most `limit` bytes, for which there is room and one byte more.
static fallible
read_small_body(struct mg_connection *connection, struct http_request *request, size_t limit,
                char *bytes, size_t *ret_size)
{
    *ret_size = 0;
    TRY(http_body_begin(connection, request, limit));
    while (!request->body_read) {
        size_t size;
        TRY(http_body_read(connection, request, bytes + *ret_size, limit + 1 - *ret_size, &size));
        *ret_size += size;
    }
    return OK;
}

fallible
upload_read_image(struct upload *self, struct mg_connection *connection,
                  struct http_request *request, size_t limit, struct budget_hold *paid,
                  blobs_t *blobs, struct arena *arena)
{
    const char *named;
    size_t size;
    *self = (struct upload){.arena = arena, .blobs = blobs, .paid = paid, .is_image = true};
    TRY(named_type(request, &named));
    char *bytes = arena_alloc(arena, limit + 1);
    TRY(read_small_body(connection, request, limit, bytes, &size));
    if (size == 0)
        return fail(ERR_MISSING, "", "a body is needed");
    const char *type = image_type_of(bytes, size);
    if (!type)
        return fail(ERR_INVALID, "", "the bytes are those of neither a PNG nor a WebP image");
    if (named && named != type)
        return fail(ERR_INVALID, "", "the bytes are not %s but %s", named, type);
    self->media_type = text_from(arena, type);
    TRY(budget_hold_more(paid, (int64_t)size));
    TRY(blob_begin(blobs, limit, &self->writer));
    return blob_write(self->writer, bytes, size);
}

// --- what is known of the file ---

// The part after the last dot of the name in lower case; "" if there is none or it is long.
static void
extension_of(const struct text *filename, char ret_extension[EXTENSION_BYTES])
{
    const char *dot = strrchr(text_chars(filename), '.');
    size_t size = dot && dot > text_chars(filename) ? strlen(dot + 1) : 0;
    if (size >= EXTENSION_BYTES)
        size = 0;
    for (size_t i = 0; i < size; i++)
        ret_extension[i] = (char)tolower((unsigned char)dot[1 + i]);
    ret_extension[size] = '\0';
}

// Sets a copy, because the message may outlive the request.
static void
set_unless_present(struct message *message, unsigned id, const char *value)
{
    struct record *record = message->records->items[0];
    if (!record_has(record, id) && *value)
        record_set_text(record, id, text_from(&message->arena, value));
}

// Fills the members that the query does not say.
static fallible
describe(const struct upload *self, struct message *message)
{
    const struct record *record = message->records->items[0];
    const struct asset *asset = (const struct asset *)(const void *)record;
    char extension[EXTENSION_BYTES];
    if (record_has(record, ASSET_CONTENT_TYPE) &&
        !media_type_is_valid(text_chars(asset->content_type)))
        return fail(ERR_INVALID, "", "content-type must be a media type");
    extension_of(self->filename, extension);
    set_unless_present(message, ASSET_CONTENT_TYPE, text_chars(self->media_type));
    set_unless_present(message, ASSET_FILE_TYPE, extension);
    if (record_has(record, ASSET_CONTENT_TYPE) && record_has(record, ASSET_FILE_TYPE))
        return OK;
    struct sniffed sniffed;
    media_sniff(self->head, self->head_size, extension, &sniffed);
    set_unless_present(message, ASSET_CONTENT_TYPE, sniffed.media_type);
    set_unless_present(message, ASSET_FILE_TYPE, sniffed.extension);
    return OK;
}

fallible
upload_settle(struct upload *self, struct message *message)
{
    struct blob_pin *pin;
    if (self->is_image)
        record_set_text(message->records->items[0], THUMBNAIL_CONTENT_TYPE,
                        text_copy(&message->arena, self->media_type));
    else
        TRY(describe(self, message));
    TRY(blob_finish(&self->writer, &pin));
    message->parcel = &pin->parcel;
    return OK;
}

void
upload_finish(struct upload *self)
{
    blob_abort(&self->writer);
}
