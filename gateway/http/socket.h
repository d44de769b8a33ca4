// socket.h - what the watchdog must know about a TCP socket, and how it ends one.
#ifndef DIORAMA_GATEWAY_HTTP_SOCKET_H
#define DIORAMA_GATEWAY_HTTP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Finds the socket in an object that holds its descriptor followed by the addresses of its two
// ends; -1 if there is none. Both addresses are compared with the socket's own, so a number cannot
// be taken for the descriptor by chance.
int socket_find(const void *object, size_t size);

// Lets the kernel give up on a peer that does not acknowledge sent bytes.
void socket_limit_patience(int socket);

// Bounds the bytes that wait in the kernel for a slow peer, to which an old state is worth nothing.
// -1 is no socket.
void socket_limit_buffer(int socket);

// Bounds the bytes that the kernel takes from a peer to which nobody listens any more.
void socket_limit_input(int socket);

// An open socket that is connected to nobody; -1 if the system has none left.
int socket_make_stand_in(void);

// Puts the stand-in into the place of a socket that is elsewhere too. Whoever owns the place ends
// and closes the stand-in instead, which the peer does not see. False if the system refuses.
bool socket_replace(int socket, int stand_in);

// Bytes received from the peer, and bytes that it acknowledged, since the connection began; 0 if
// the system does not say.
uint64_t socket_received(int socket);
uint64_t socket_acknowledged(int socket);

// Whether some sent bytes are not acknowledged.
bool socket_is_owing(int socket);

// Sends `size` bytes of a file from `first` on, without copying them. False if the peer is gone or
// reads nothing; the watchdog ends peers that read too slowly.
bool socket_send_file(int socket, int file, uint64_t first, uint64_t size);

// The reader sees the end of the stream; the writer may still answer.
void socket_end_input(int socket);

// Ends both directions; bytes sent before still arrive.
void socket_end(int socket);

// Ends both directions; bytes that the peer has not read are dropped when the socket is closed.
void socket_abort(int socket);

#endif
