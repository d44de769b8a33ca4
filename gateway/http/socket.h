// socket.h - what the watchdog must know of a TCP socket, and how it ends one.
#ifndef DIORAMA_GATEWAY_HTTP_SOCKET_H
#define DIORAMA_GATEWAY_HTTP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Finds the socket in an object that holds its descriptor followed by the addresses of its two
// ends; -1 where there is none. Both addresses are compared with the socket's own, so what is
// returned is no chance number.
int socket_find(const void *object, size_t size);

// Lets the kernel give up on a peer that leaves what was sent to it unacknowledged.
void socket_limit_patience(int socket);

// Bounds what waits in the kernel for a peer that is slow: an old state is worth nothing to it. -1
// is no socket.
void socket_limit_buffer(int socket);

// Bytes that have come from the peer, and bytes that it acknowledged, since the connection began;
// 0 where the system does not say.
uint64_t socket_received(int socket);
uint64_t socket_acknowledged(int socket);

// Whether some of what was sent has not been acknowledged.
bool socket_is_owing(int socket);

// Sends `size` bytes of a file from `first` on, straight from the system's memory of it. False
// where the peer is gone or takes nothing; the watchdog ends those that take too little.
bool socket_send_file(int socket, int file, uint64_t first, uint64_t size);

// The reader sees the end of the stream; the writer may still answer.
void socket_end_input(int socket);

// Ends both directions; what was sent before still arrives.
void socket_end(int socket);

// Ends both directions; what the peer has not taken yet is dropped when the socket is closed.
void socket_abort(int socket);

#endif
