// download.h - the bytes of an asset as an answer: whole or a part, or the word that the client has
// them already (interface 4.9; decisions 10; RFC 9110, 6266).
#ifndef DIORAMA_GATEWAY_REPLY_DOWNLOAD_H
#define DIORAMA_GATEWAY_REPLY_DOWNLOAD_H

#include "gateway/http/content_coding.h"
#include "gateway/http/http_answer.h"
#include "proto/message/blob.h"

// Prepares the answer from the asset in the message's reply. Fails with ERR_NOT_FOUND,
// ERR_PRECONDITION, ERR_RANGE (the answer says how large the file is) or, where the bytes are
// damaged, ERR_INTERNAL.
fallible download_prepare(const struct http_request *request, const struct acceptance *acceptance,
                          blobs_t *blobs, const struct message *message,
                          struct http_answer *answer);

// `attachment` and a name that every client understands: in ASCII, and in UTF-8 where it has more.
// Of the name only printable characters travel.
void download_write_disposition(const char *filename, struct buffer *out);

#endif
