// upload.h - stores a file that is sent, as multipart/form-data or as a small image, as a blob and
// describes it in the record of its message. Memory does not grow with the file.
#ifndef DIORAMA_GATEWAY_REQUEST_UPLOAD_H
#define DIORAMA_GATEWAY_REQUEST_UPLOAD_H

#include "gateway/http/http.h"
#include "gateway/request/multipart.h"
#include "proto/budget/budget_hold.h"
#include "proto/message/blob.h"

// Embedded; all zero has not begun.
struct upload {
    struct multipart form;
    struct arena *arena;
    blobs_t *blobs;
    blob_writer_t *writer;         // NULL before the file has begun
    bool is_file;                  // the present part is the file
    bool is_image;                 // the body was it
    const struct text *filename;   // NULL: none
    const struct text *media_type; // of its part; NULL: none, or a general one
    char *head;                    // its first bytes
    size_t head_size;
    struct budget_hold *paid; // of asset_bytes: what has come of the file
};

// Reads the part `file` of the body into a new blob and skips other parts. Fails with
// ERR_MEDIA_TYPE, ERR_MISSING (no file), ERR_MALFORMED (no form, torn), ERR_TOO_LARGE,
// ERR_STORAGE_FULL or ERR_UNAVAILABLE, and as soon as more has come than `paid` can take. The
// caller ends `paid` when the file is an asset, which pays for itself, or is none.
fallible upload_read(struct upload *self, struct mg_connection *connection,
                     struct http_request *request, struct budget_hold *paid, blobs_t *blobs,
                     struct arena *arena);

// The same for a body that is a PNG or WebP image of at most `limit` bytes itself. Fails with
// ERR_INVALID if its first bytes are those of neither, or not those of the type that it names.
fallible upload_read_image(struct upload *self, struct mg_connection *connection,
                           struct http_request *request, size_t limit, struct budget_hold *paid,
                           blobs_t *blobs, struct arena *arena);

// Makes the blob durable and puts it into the message as its parcel (struct blob_pin). Fills
// contentType and fileType of the message's record from the file if the query does not say them, of
// an image contentType alone.
// Waits for the disk. Fails as upload_read does, with ERR_INVALID if the query's content type is no
// media type.
fallible upload_settle(struct upload *self, struct message *message);

// Removes a file that was not settled.
void upload_finish(struct upload *self);

#endif
