// download.h - answers with the bytes of an asset: all, a range, or 304 if the client has them (RFC
// 9110).
#ifndef DIORAMA_GATEWAY_REPLY_DOWNLOAD_H
#define DIORAMA_GATEWAY_REPLY_DOWNLOAD_H

#include "gateway/http/content_coding.h"
#include "gateway/http/http_answer.h"
#include "proto/message/blob.h"

// Prepares the answer from the asset in the message's reply. Fails with ERR_NOT_FOUND,
// ERR_PRECONDITION, ERR_RANGE (the answer then says how large the file is) or, if the bytes are
// damaged, ERR_INTERNAL.
fallible download_prepare(const struct http_request *request, const struct acceptance *acceptance,
                          blobs_t *blobs, const struct message *message,
                          struct http_answer *answer);

// Writes `attachment` and the name in ASCII, and in UTF-8 too if it has other characters.
// Characters that are not printable become `_`.
void download_write_disposition(const char *filename, struct buffer *out);

#endif
