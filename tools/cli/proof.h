// proof.h - proves to a server that a device receives at its socket: sends HELLO at growing
// intervals, and returns the server's challenges.
#ifndef DIORAMA_TOOLS_CLI_PROOF_H
#define DIORAMA_TOOLS_CLI_PROOF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "proto/codec/json_text.h"
#include "tools/cli/sealed_link.h"

enum {
    PROOF_FIRST_WAIT_MS = 500, // between two HELLOs; doubles each time
    PROOF_LAST_WAIT_MS = 20000,
    PROOF_TOKEN_SIZE = 64,
};

// Embedded; all zero proves nothing.
struct proof {
    int udp;
    struct sockaddr_storage server;
    socklen_t server_size;
    char token[PROOF_TOKEN_SIZE];
    struct sealed_link *link; // borrowed, in place of a token; NULL: in the clear
    uint64_t due_ms;          // when the next HELLO is; 0 = never
    uint64_t wait_ms;
};

// Takes token and address from the answer to a registration; `udp` receives for the device, `link`
// seals for it (NULL: nothing is sealed). HELLO is sent only if the server does not send yet. Fails
// with ERR_INVALID if the server cannot be reached from the socket.
fallible proof_begin(struct proof *self, int udp, const struct json *answer,
                     struct sealed_link *link);

// Says HELLO soon, as the server is another one than before.
void proof_begin_again(struct proof *self, uint64_t now_ms);

// Sends HELLO if it is due.
void proof_turn(struct proof *self, uint64_t now_ms);

// How long proof_turn has nothing to do, at most `most_ms`.
int proof_timeout_ms(const struct proof *self, uint64_t now_ms, int most_ms);

// Returns a challenge, opened if it was sealed, to the server; false if the datagram is none.
bool proof_take(const struct proof *self, const void *datagram, size_t size);

// Asks for the present state of what the missing events `from` to `to` changed.
void proof_ask_again(const struct proof *self, uint64_t from, uint64_t to);

#endif
