// trajectory_format.h - the formats of recorded walks and poses: which column of a row is what.
#ifndef DIORAMA_TOOLS_CLI_TRAJECTORY_FORMAT_H
#define DIORAMA_TOOLS_CLI_TRAJECTORY_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/error.h"

enum {
    TRAJECTORY_COLUMNS = 17, // the most of a format
    NO_COLUMN = -1,
};

struct trajectory_format {
    const char *name;
    const char *row;    // the columns, for people
    size_t columns;     // of a row
    bool may_have_more; // columns after these
    bool has_matrix;    // rows of a matrix of 3 rows and 4 columns
    signed char id;     // column, or NO_COLUMN: the file is one object
    signed char frame;  // column, or NO_COLUMN: rows are counted
    signed char position[3];
    signed char rotation[4]; // w x y z; the first NO_COLUMN = none
    double frame_unit;       // a frame is so many
    double rate;             // frames a second, by default
    double scale;            // metres per unit, by default
    const char *convention;  // axes, by default
};

// The first one is the client's own.
extern const struct trajectory_format trajectory_formats[];
extern const size_t trajectory_formats_count;

// The format of this name, or NULL.
const struct trajectory_format *trajectory_format_find(const char *name);

// The format that a row of so many columns is of, if there is one that is told by it; else NULL.
const struct trajectory_format *trajectory_format_guess(size_t columns);

// Reads the rotation of a row as a unit quaternion, w x y z. `numbers` are all columns of the row.
// False if it is none: a quaternion of another norm than [0.5, 2], a matrix that stretches or
// mirrors.
bool trajectory_format_rotation(const struct trajectory_format *self, const double *numbers,
                                double ret_rotation[4]);

// Whether rows of this format have a rotation.
bool trajectory_format_has_rotation(const struct trajectory_format *self);

#endif
