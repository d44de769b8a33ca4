// stop.h - SIGINT and SIGTERM as something to wait for, and the waiting itself.
// Both signals are blocked and read from a descriptor, so no call is ever cut short by one and none
// can slip in between a check and a wait. One per process, opened before any other thread starts.
#ifndef DIORAMA_TOOLS_CLI_STOP_H
#define DIORAMA_TOOLS_CLI_STOP_H

#include <stdbool.h>
#include <stdint.h>

// Blocks both signals from here on, and ignores SIGPIPE: a closed output is an error of write.
// Returns the descriptor, readable once a signal came; it belongs to the process.
int stop_open(void);

// Whether one of the signals came.
bool stop_asked(void);

// Waits until `time_us` of the monotonic clock; true when a signal came before.
bool stop_wait_until(uint64_t time_us);

#endif
