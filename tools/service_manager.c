// service_manager.c - one datagram a word to the socket that the environment names.
#include "tools/service_manager.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/log.h"

void
service_manager_tell(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = path ? strlen(path) : 0;
    if (size < 2 || size >= sizeof address.sun_path || !strchr("/@", path[0]))
        return;
    memcpy(address.sun_path, path, size);
    if (path[0] == '@') // an abstract name begins with a zero byte
        address.sun_path[0] = '\0';
    int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    if (file < 0 || sendto(file, state, strlen(state), MSG_NOSIGNAL,
                           (const struct sockaddr *)&address, bytes) < 0)
        log_warning("service_manager_not_told", "state=%s reason=%s", state, strerror(errno));
    if (file >= 0)
        close(file);
}

uint64_t
service_manager_watchdog_ms(void)
{
    const char *pid = getenv("WATCHDOG_PID"), *period = getenv("WATCHDOG_USEC");
    if (!period || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    return strtoull(period, NULL, 10) / 2000;
}
