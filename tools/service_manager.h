// service_manager.h - what systemd, or whoever started the server, is told of it: sd_notify(3), by
// its public protocol, so that the image needs no library for three words. Main thread.
#ifndef DIORAMA_TOOLS_SERVICE_MANAGER_H
#define DIORAMA_TOOLS_SERVICE_MANAGER_H

#include <stdint.h>

// Sends `state` ("READY=1") to $NOTIFY_SOCKET; nothing where there is none.
void service_manager_tell(const char *state);

// How often the manager wants WATCHDOG=1, half of $WATCHDOG_USEC; 0 = never.
uint64_t service_manager_watchdog_ms(void);

#endif
