// stop.h - waits for SIGINT and SIGTERM, or for a time. Both signals are blocked and read from a
// descriptor, so none interrupts a call and none is lost between a check and a wait. Opened once
// per process, before any other thread starts.
#ifndef DIORAMA_TOOLS_CLI_STOP_H
#define DIORAMA_TOOLS_CLI_STOP_H

#include <stdbool.h>
#include <stdint.h>

// Blocks both signals and ignores SIGPIPE, so that write fails on a closed output. Returns the
// descriptor, which is readable after a signal and belongs to the process.
int stop_open(void);

// Whether one of the signals came.
bool stop_asked(void);

// Waits until `time_us` of the monotonic clock; true when a signal came before.
bool stop_wait_until(uint64_t time_us);

#endif
