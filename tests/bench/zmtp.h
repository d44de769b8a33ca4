// zmtp.h - as much of ZMTP 3.0 (RFC 23) as a subscriber of PUB needs, so that thousands of them
// cost the load no more than those of a broker.
#ifndef DIORAMA_TESTS_BENCH_ZMTP_H
#define DIORAMA_TESTS_BENCH_ZMTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where a connection is in its frames. All zero at the start.
struct zmtp_reader {
    uint64_t left; // bytes of the frame at hand
    unsigned char head[9];
    unsigned head_size;
};

// Shakes hands over a connected socket and subscribes. False where the other side is no PUB.
bool zmtp_subscribe(int socket, const char *topic);

// Takes what came; returns how many messages ended in it.
unsigned zmtp_read(struct zmtp_reader *self, const unsigned char *data, size_t size);

#endif
