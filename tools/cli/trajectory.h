// trajectory.h - reads recorded walks and poses: text rows of the formats in trajectory_format.h,
// plain or gzip, one moving object per id.
#ifndef DIORAMA_TOOLS_CLI_TRAJECTORY_H
#define DIORAMA_TOOLS_CLI_TRAJECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "tools/cli/trajectory_format.h"

struct trajectory_row {
    double frame;
    double position[3]; // metres
    double rotation[4]; // w x y z, a unit quaternion, if the format has rotations
    uint32_t object;    // index into ids
    uint32_t line;      // of the file, from 1
};

// Embedded; all zero is a valid empty one.
struct trajectory {
    char **ids; // in the order of their first line
    size_t id_count;
    struct trajectory_row *rows; // by frame, then by line
    size_t row_count;
    const struct trajectory_format *format; // NULL = of no text
    bool is_y_up;                           // the file says so, in a comment `# up: y`
};

// Reads all of `path` ("-" = standard input; gzip is recognised by content) in this format; NULL =
// the one that the number of columns tells. `scale` is metres per unit, 0 = as the format has it.
// Values are separated by blanks or commas; `#` begins a comment; empty lines are skipped. Fails
// with ERR_NOT_FOUND (cannot be opened), ERR_MALFORMED (cannot be read; file and line in the
// detail) or ERR_INVALID (no rows at all).
fallible trajectory_read_as(const char *path, const struct trajectory_format *format, double scale,
                            struct trajectory *ret_trajectory);

// The same for rows `id frame x y z`.
fallible trajectory_read(const char *path, double scale, struct trajectory *ret_trajectory);

// Turns walks whose height is z, as recordings of pedestrians have it, so that it is y: y of the
// file leads to -z.
void trajectory_raise(struct trajectory *self);

void trajectory_finish(struct trajectory *self);

#endif
