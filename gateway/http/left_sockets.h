// left_sockets.h - connections that civetweb has accepted and forgotten: when it stops, those that
// no worker had taken yet stay open, and whoever connected waits for ever.
#ifndef DIORAMA_GATEWAY_HTTP_LEFT_SOCKETS_H
#define DIORAMA_GATEWAY_HTTP_LEFT_SOCKETS_H

// Closes each connection of this process whose own end is the TCP port `port` and on which nothing
// was ever sent; returns their number. To be called when nobody serves the port any more, and its
// listener is closed.
unsigned left_sockets_close(int port);

#endif
