// pub_monitor.h - the reports of a socket about its connections.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_MONITOR_H
#define DIORAMA_ACTORS_STREAMER_PUB_MONITOR_H

#include <stdbool.h>

struct pub_report {
    int descriptor;
    bool is_end; // else the connection was accepted
};

// A socket that receives reports about `raw`. NULL if no descriptor is left; then a metric is
// missing.
void *pub_monitor_create(void *raw);
void pub_monitor_destroy(void *raw, void **monitor);

// The next report that has come; false: there is none.
bool pub_monitor_next(void *monitor, struct pub_report *ret_report);

#endif
