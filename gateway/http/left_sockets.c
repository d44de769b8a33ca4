// left_sockets.c - finds them among the descriptors of the process: civetweb tells of none
// (left_sockets.h).
#include "gateway/http/left_sockets.h"

#include <dirent.h>
#include <linux/tcp.h> // netinet/tcp.h lacks the byte counts
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LISTENS = 10 }; // TCP_LISTEN of netinet/tcp.h, which cannot be included beside

// The port of its own end; -1 where that is no address of the internet.
static int
port_of(int descriptor)
{
    struct sockaddr_storage local = {0};
    socklen_t size = sizeof local;
    if (getsockname(descriptor, (struct sockaddr *)&local, &size) != 0)
        return -1;
    if (local.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)(const void *)&local)->sin6_port);
    if (local.ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)(const void *)&local)->sin_port);
    return -1;
}

// What the process itself has begun has soon sent something, should the system have given it this
// port. What is no TCP has no such figures.
static bool
is_left(int descriptor, int port)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return port_of(descriptor) == port &&
           getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           info.tcpi_state != LISTENS && info.tcpi_bytes_sent == 0;
}

unsigned
left_sockets_close(int port)
{
    unsigned count = 0;
    DIR *descriptors = opendir("/proc/self/fd");
    if (!descriptors)
        return 0;
    for (const struct dirent *entry; (entry = readdir(descriptors)) != NULL;) {
        char *end;
        long descriptor = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || !is_left((int)descriptor, port))
            continue;
        close((int)descriptor);
        count++;
    }
    closedir(descriptors);
    return count;
}
