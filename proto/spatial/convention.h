// convention.h - the directions of a client's axes. Scenes are stored in the axes of `gltf`:
// right-handed, X right, Y up, -Z forward, metres. A device or a request that names another
// convention sends and gets its transforms in that one. Pure.
//
// The row of a convention is a signed permutation of axes and a unit, from which the change of
// basis follows: M' = C * M * C^-1. Permutations and signs are exact, so a value comes back bit by
// bit, with these exceptions: zeros lose their sign; centimetres come back within 1 ulp; if a
// convention permutes axes, Euler angles come back as angles of the same rotation, within rounding
// if the middle angle is not near a right angle.
#ifndef DIORAMA_PROTO_SPATIAL_CONVENTION_H
#define DIORAMA_PROTO_SPATIAL_CONVENTION_H

#include "proto/base/error.h"
#include "proto/record/record.h"

struct convention {
    const char *name;
    uint8_t axes[3]; // for each of its axes, the stored coordinate
    double signs[3]; // and its sign
    double units;    // units in a metre
    bool by_columns; // its matrices are written column by column
};

// The first one is the convention of what is stored. Matrices are written row by row.
extern const struct convention conventions[];
extern const size_t conventions_count;

// From the axes of a client to those of scenes, and back.
enum convention_way { CONVENTION_IN, CONVENTION_OUT };

// The convention of this name or alias: blender is enu, godot and three (three.js) are gltf. NULL
// if nothing is to be converted: no name, or the convention of what is stored. Fails with
// ERR_INVALID at `pointer` if there is no convention of this name.
fallible convention_find(const struct text *name, const char *pointer,
                         const struct convention **ret_convention);

// Has matrices written in this layout: row (or nothing), or column. `*convention` becomes another
// one, or NULL if nothing is to be converted. Fails with ERR_INVALID at /layout.
fallible convention_lay_out(const struct text *layout, const struct convention **convention);

// The same axes with matrices row by row; NULL if those are the axes of what is stored.
const struct convention *convention_by_rows(const struct convention *self);

// The same for a stored name, which was checked before it was stored. An unknown name is of a later
// version: NULL, which means the axes of scenes.
const struct convention *convention_stored(const struct text *name);

// The row of the table above with this name, for who names one of its names.
const struct convention *convention_named(const char *name) __attribute__((returns_nonnull));

// Converts the numbers of a field in place. A number that becomes too large becomes the largest
// number.
void convention_turn(const struct convention *self, enum convention_way way, enum field_axes axes,
                     double *numbers);

// Whether records of this schema, or their nested records, have anything to convert.
bool convention_concerns(const struct schema *schema);

// Converts all fields with axes of a record that may be changed: a loose one, or that of
// record_thaw_numbers (frozen_edit).
void convention_apply(const struct convention *self, enum convention_way way,
                      struct record *record);

// A frozen record as the client sees it; one reference, yours: a copy, or the record itself if
// there is nothing to convert. `self` may be NULL.
const frozen_t *convention_shown(const struct convention *self, const frozen_t *frozen);

#endif
