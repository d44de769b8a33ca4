// convention.h - which way the axes of a client point (issue "alignment", axis conventions).
// Scenes are stored as `gltf` has it: right-handed, X right, Y up, forward is -Z, metres. A device
// or a request that names another convention sends and gets its transforms in that one. Pure.
//
// The row of a convention is a signed permutation of axes and a unit; what follows is a change of
// basis: M' = C * M * C^-1. Permutations and signs are exact, so what was written is read back bit
// by bit (but zeros, which come back without a sign), except: centimetres come back within 1 ulp;
// Euler angles of a convention that permutes axes come back as angles of the same rotation, within
// rounding where the middle one is not near a right angle.
#ifndef DIORAMA_PROTO_SPATIAL_CONVENTION_H
#define DIORAMA_PROTO_SPATIAL_CONVENTION_H

#include "proto/base/error.h"
#include "proto/record/record.h"

struct convention {
    const char *name;
    uint8_t axes[3]; // which stored coordinate each of its own is
    double signs[3]; // times that
    double units;    // that make a metre
};

// The first one is that of what is stored.
extern const struct convention conventions[];
extern const size_t conventions_count;

// From the axes of a client to those of scenes, and back.
enum convention_way { CONVENTION_IN, CONVENTION_OUT };

// NULL where nothing is to be converted: no name, or that of what is stored. Fails with ERR_INVALID
// at `pointer` where no convention is called so.
fallible convention_find(const struct text *name, const char *pointer,
                         const struct convention **ret_convention);

// The same for a name that was checked when it came, before it was stored. An unknown one is of a
// later version: NULL, the axes of scenes stand in.
const struct convention *convention_stored(const struct text *name);

// Converts the numbers of a field in place. A number that becomes too large is the largest there
// is.
void convention_turn(const struct convention *self, enum convention_way way, enum field_axes axes,
                     double *numbers);

// Whether records of this schema, or what is nested in them, have anything to convert.
bool convention_concerns(const struct schema *schema);

// Converts what the schema says has axes, in a record that may be changed: a loose one, or
// that of record_thaw_numbers (frozen_edit).
void convention_apply(const struct convention *self, enum convention_way way,
                      struct record *record);

// A frozen record as the client sees it, one reference, yours: a copy, or the same one where there
// is nothing to convert. `self` may be NULL.
const frozen_t *convention_shown(const struct convention *self, const frozen_t *frozen);

#endif
