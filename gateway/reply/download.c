// download.c - prepares answers with the bytes of an asset. The worker's thread.
#include "gateway/reply/download.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gateway/http/entity_tags.h"
#include "gateway/http/media_type.h"
#include "gateway/http/percent.h"
#include "gateway/http/range.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/records/asset.h"

enum {
    SMALL_BYTES = 32768, // files up to this size are sent in one write with their head
    NAME_BYTES = 255,    // of a name in a header
};

void
download_write_disposition(const char *filename, struct buffer *out)
{
    struct arena arena = {0};
    bool is_plain = true;
    size_t size = strnlen(filename, NAME_BYTES);
    while (size > 0 && ((unsigned char)filename[size] & 0xc0) == 0x80)
        size--; // never within a character
    buffer_put_chars(out, "attachment; filename=\"");
    for (size_t i = 0; i < size; i++) {
        char byte = filename[i];
        bool is_safe = byte >= ' ' && byte <= '~' && !strchr("\"\\%", byte);
        is_plain &= is_safe;
        buffer_put_char(out, is_safe ? byte : '_');
    }
    buffer_put_char(out, '"');
    if (!is_plain) {
        buffer_put_chars(out, "; filename*=UTF-8''");
        percent_encode(out, text_new(&arena, filename, size));
    }
    arena_finish(&arena);
}

static bool
ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), end_size = strlen(end);
    return size > end_size && name[size - end_size - 1] == '.' &&
           strcasecmp(name + size - end_size, end) == 0;
}

// Writes the name that the URI gives, else that of the asset with the ending of its type.
static void
write_disposition(const struct params *params, const struct asset *asset, struct buffer *out)
{
    char name[2 * NAME_BYTES];
    const char *wanted = text_chars(params->filename), *type = text_chars(asset->file_type);
    const char *base = text_size(asset->name) ? text_chars(asset->name) : text_chars(asset->key);
    if (*wanted)
        snprintf(name, sizeof name, "%s", wanted);
    else
        snprintf(name, sizeof name, "%s%s%s", base, *type && !ends_with(base, type) ? "." : "",
                 *type && !ends_with(base, type) ? type : "");
    utf8_clean(name); // it may have been cut
    for (char *at = name; (at = strpbrk(at, "/\\")) != NULL;)
        *at = '_'; // a name must not lead to other folders
    download_write_disposition(name, out);
}

// The tag of an asset: the beginning of its content's hash.
static void
tag(const struct asset *asset, struct etag *ret_etag)
{
    snprintf(ret_etag->chars, sizeof ret_etag->chars, "%.*s", ETAG_SIZE - 1,
             text_chars(asset->sha256));
}

static fallible
choose_part(const struct http_request *request, uint64_t size, struct http_answer *answer)
{
    struct range range = {0, size};
    const char *wanted = request->method == HTTP_GET ? http_header(request, "Range") : NULL;
    switch (range_decide(wanted, http_header(request, "If-Range"), &answer->etag, size, &range)) {
    case RANGE_WHOLE:
        break;
    case RANGE_PART:
        answer->status = 206;
        snprintf(answer->content_range, sizeof answer->content_range,
                 "%" PRIu64 "-%" PRIu64 "/%" PRIu64, range.first, range.first + range.size - 1,
                 size);
        break;
    case RANGE_NOWHERE:
        snprintf(answer->content_range, sizeof answer->content_range, "*/%" PRIu64, size);
        return fail(ERR_RANGE, "", "the file has %" PRIu64 " bytes", size);
    }
    answer->file.first = range.first;
    answer->file.size = range.size;
    return OK;
}

// Reads a small file into memory, so that it and its head are one packet.
static fallible
read_small(struct http_answer *answer)
{
    struct http_file *file = &answer->file;
    size_t size = (size_t)file->size;
    buffer_reserve(&answer->body, size);
    ssize_t got =
        pread(file->descriptor, answer->body.data + answer->body.size, size, (off_t)file->first);
    if (got != (ssize_t)size)
        return fail(ERR_INTERNAL, "", "the bytes of this asset cannot be read");
    answer->body.size += size;
    close(file->descriptor);
    file->descriptor = -1;
    return OK;
}

static fallible
open_file(const struct http_request *request, blobs_t *blobs, const struct asset *asset,
          struct http_answer *answer)
{
    struct blob_hash hash;
    uint64_t size;
    if (!blob_hash_from_hex(text_bytes(asset->sha256), text_size(asset->sha256), &hash))
        return fail(ERR_INTERNAL, "", "this asset has no bytes");
    TRY(blob_open(blobs, &hash, &answer->file.descriptor, &size));
    TRY(choose_part(request, size, answer));
    return answer->file.size <= SMALL_BYTES && request->method != HTTP_HEAD ? read_small(answer)
                                                                            : OK;
}

fallible
download_prepare(const struct http_request *request, const struct acceptance *acceptance,
                 blobs_t *blobs, const struct message *message, struct http_answer *answer)
{
    if (message->reply.count == 0)
        return fail(ERR_NOT_FOUND, "", "there is no such asset");
    const struct asset *asset = asset_of(reply_record(&message->reply, 0));
    bool is_known;
    enum content_coding coding;
    tag(asset, &answer->etag);
    TRY(entity_tags_decide(message->params, &answer->etag, acceptance, &is_known, &coding));
    answer->is_immutable = answer->has_ranges = answer->is_foreign = true;
    if (is_known) {
        answer->status = 304;
        return OK;
    }
    answer->media_type = text_chars(asset->content_type);
    if (!media_type_is_valid(answer->media_type))
        answer->media_type = "application/octet-stream";
    write_disposition(message->params, asset, &answer->disposition);
    return open_file(request, blobs, asset, answer);
}
