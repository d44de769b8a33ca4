// http_answer.h - the answer to one request as plain data, and how it is sent.
#ifndef DIORAMA_GATEWAY_HTTP_HTTP_ANSWER_H
#define DIORAMA_GATEWAY_HTTP_HTTP_ANSWER_H

#include "gateway/http/http.h"
#include "proto/codec/etag.h"

enum {
    HTTP_RANGE_SIZE = 72,
    HTTP_HEAD_ROOM = 4096, // kept free before the body, so that head and body are one write
};

// Bytes of a file that are the body of an answer.
struct http_file {
    int descriptor; // owned by the answer; -1: none
    int socket;     // of the connection; -1: not known
    uint64_t first, size;
};

// Embedded; its buffers are reused by the answers of one worker.
struct http_answer {
    int status;
    const char *media_type; // NULL: no body
    const char *coding;     // of the body, or of what the client has (304); NULL: none
    struct etag etag;       // of the record that it shows; "" = none
    bool is_negotiated;     // other clients may get it in another coding
    bool may_be_kept;       // the client may keep it, and asks with its tag if it is still valid
    bool is_immutable;      // the bytes at this URI never change
    bool is_foreign;        // a client sent it: a browser shows it and runs nothing of it
    bool is_public;         // they are the same for everybody: proxies may keep them too
    bool is_encoded;        // the body is in its coding already
    bool has_ranges;        // a part of it may be asked for
    struct buffer body;     // HTTP_HEAD_ROOM bytes, then the body
    struct http_file file;  // or a file in place of the body
    struct buffer head;
    struct buffer location;    // empty: none
    struct buffer warnings;    // of an answer without an envelope, in ASCII; empty: none
    struct buffer disposition; // the name under which a client saves a file; empty: none
    const char *policy;        // Content-Security-Policy of a page; NULL: the strictest
    char allow[HTTP_ALLOW_SIZE];
    char content_range[HTTP_RANGE_SIZE]; // "0-9/10", "*/10"; "" = none
    unsigned retry_after_s;              // 0: none
    const char *token; // of a new session, "" if the session has ended; NULL = nothing to say
    bool is_by_tls;    // the cookie of the token may travel by TLS only
    const char *request_id;
    bool is_replayed;   // it is the answer of an earlier request with the same Idempotency-Key
    const char *origin; // a foreign origin that may read the answer, or NULL
    bool has_origins;   // there are some, so the answer is not the same for all
    bool is_endless;    // a stream follows the head; its end closes the connection
    bool close;
};

// Starts over: status 200 and nothing else.
void http_answer_begin(struct http_answer *self);

// After it was sent: closes the file; large buffers go back, as their next use may be hours away.
void http_answer_end(struct http_answer *self);
void http_answer_finish(struct http_answer *self);

// Takes the file out of the answer; Content-Range still says how large it is (416).
void http_answer_drop_file(struct http_answer *self);

// Sends head and body in one write. Closes the connection if some of the request's body is unread.
void http_answer_send(struct mg_connection *connection, const struct http_request *request,
                      struct http_answer *answer);

#endif
