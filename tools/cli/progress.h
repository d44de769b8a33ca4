// progress.h - a bar on standard error, on terminals only.
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
    bool is_bytes; // of what is counted: shown in MiB
};

// `label` is borrowed. Draws nothing where standard error is no terminal.
void progress_begin(struct progress *self, const char *label, uint64_t total);

// Draws when the last drawing is a tenth of a second old.
void progress_at(struct progress *self, uint64_t done);

// Takes the bar away, so that what follows starts at the margin.
void progress_end(struct progress *self);

#endif
