// progress.h - shows a progress bar on standard error if that is a terminal.
#ifndef DIORAMA_TOOLS_CLI_PROGRESS_H
#define DIORAMA_TOOLS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

// Embedded.
struct progress {
    const char *label;
    uint64_t total;
    uint64_t begun_us;
    uint64_t drawn_us; // when it was drawn last
    bool shown;
    bool is_bytes; // bytes are counted; shown in MiB
};

// `label` is borrowed. Nothing is drawn if standard error is no terminal.
void progress_begin(struct progress *self, const char *label, uint64_t total);

// Draws the bar unless that was done within the last tenth of a second.
void progress_at(struct progress *self, uint64_t done);

// Removes the bar, so that further output starts at the margin.
void progress_end(struct progress *self);

#endif
