// upload.h - a file that comes as multipart/form-data becomes a blob and the one record of its
// message (interface 4.9; decisions 10). Memory does not grow with the file.
#ifndef DIORAMA_GATEWAY_REQUEST_UPLOAD_H
#define DIORAMA_GATEWAY_REQUEST_UPLOAD_H

#include "gateway/http/http.h"
#include "gateway/request/multipart.h"
#include "proto/message/blob.h"

// Embedded; all zero is one that has not begun.
struct upload {
    struct multipart form;
    struct arena *arena;
    blobs_t *blobs;
    blob_writer_t *writer;         // NULL before the file has begun
    bool is_file;                  // the present part is the file
    const struct text *filename;   // NULL: none
    const struct text *media_type; // of its part; NULL: none, or none that says something
    char *head;                    // its first bytes
    size_t head_size;
};

// Reads the body: its part `file` into a blob, of which nobody knows yet; other parts are passed
// over. Fails with ERR_MEDIA_TYPE, ERR_MISSING (no file), ERR_MALFORMED (no form, torn),
// ERR_TOO_LARGE, ERR_STORAGE_FULL or ERR_UNAVAILABLE.
fallible upload_read(struct upload *self, struct mg_connection *connection,
                     struct http_request *request, blobs_t *blobs, struct arena *arena);

// Makes the blob durable and puts it into the message as its parcel (struct blob_pin), and what the
// file says of itself into the message's record where the query did not say it: contentType,
// fileType. Waits for the disk. Fails as upload_read does, with ERR_INVALID where the query's
// content type is none.
fallible upload_settle(struct upload *self, struct message *message);

// Leaves nothing of a file that was not settled.
void upload_finish(struct upload *self);

#endif
