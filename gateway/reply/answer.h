// answer.h - the reply of an actor becomes the answer to its request: body, and what each form has
// beside it. The worker's thread.
#ifndef DIORAMA_GATEWAY_REPLY_ANSWER_H
#define DIORAMA_GATEWAY_REPLY_ANSWER_H

#include "gateway/http/content_coding.h"
#include "gateway/http/http_answer.h"
#include "gateway/request/route.h"
#include "proto/message/blob.h"
#include "proto/message/message.h"
#include "proto/spatial/convention.h"

struct console;

// What all answers may need; the same for all workers.
struct answer_facts {
    struct server_facts server;
    const struct console *console;
    blobs_t *blobs;       // bytes of assets
    const char *udp_host; // where devices send their updates; "" = the host of the request
    int udp_port;
    const char *proxies; // comma-separated addresses that are trusted to name the client; or NULL
};

// What one answer is made from.
struct answer_source {
    const struct answer_facts *facts;
    const struct route *route;
    const struct http_request *request;
    const struct asker *asker;
    const struct acceptance *acceptance;
    const struct convention *convention; // of the records that are shown; NULL: as stored
    struct message *message;             // with the actor's reply, if an actor was asked
};

// Writes the answer to a request that succeeded, or 304 if the client has it already. Fails with
// ERR_NOT_FOUND if the one record is missing, with ERR_PRECONDITION, and as download_prepare does.
fallible answer_write(const struct answer_source *source, struct http_answer *answer);

#endif
