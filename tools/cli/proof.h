// proof.h - shows a server that a device receives at its socket, wherever it registered (live-feed,
// "Who may be sent to"): it says HELLO, more and more seldom, and sends back what it is asked.
#ifndef DIORAMA_TOOLS_CLI_PROOF_H
#define DIORAMA_TOOLS_CLI_PROOF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "proto/codec/json_text.h"

enum {
    PROOF_FIRST_WAIT_MS = 500, // from one HELLO to the next; doubles
    PROOF_LAST_WAIT_MS = 20000,
    PROOF_TOKEN_SIZE = 64,
};

// Embedded; all zero proves nothing.
struct proof {
    int udp;
    struct sockaddr_storage server;
    socklen_t server_size;
    char token[PROOF_TOKEN_SIZE];
    uint64_t due_ms; // when the next HELLO is; 0 = never
    uint64_t wait_ms;
};

// Takes what the answer of a registration says; `udp` receives for the device. Only where the
// server does not send yet there is a HELLO. Fails with ERR_INVALID where the server cannot be
// reached from the socket.
fallible proof_begin(struct proof *self, int udp, const struct json *answer);

// Says HELLO where it is time to.
void proof_turn(struct proof *self, uint64_t now_ms);

// How long proof_turn has nothing to do; `most_ms` at most.
int proof_timeout_ms(const struct proof *self, uint64_t now_ms, int most_ms);

// Whether the datagram is a challenge: it was sent back to the server then.
bool proof_take(const struct proof *self, const void *datagram, size_t size);

// Asks for what became of the events `from` to `to`, which did not come.
void proof_ask_again(const struct proof *self, uint64_t from, uint64_t to);

#endif
