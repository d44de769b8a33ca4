// calendar_time.h - times as people write them.
#ifndef DIORAMA_CLI_CALENDAR_TIME_H
#define DIORAMA_CLI_CALENDAR_TIME_H

#include <stdbool.h>
#include <stdint.h>

// Reads 2026-11-24T19:04:11Z, with a fraction of the second or without, and with +01:00 in place
// of Z; microseconds since 1970. False on anything else: a time without a zone is nobody's.
bool calendar_time_read(const char *text, uint64_t *ret_time_us);

#endif
