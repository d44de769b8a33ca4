// reply_parts.h - the parts of transforms in answers to requests that ask for `form=trs`:
// translation, rotation as quaternion and as Euler angles, scale. Pure.
#ifndef DIORAMA_GATEWAY_REPLY_REPLY_PARTS_H
#define DIORAMA_GATEWAY_REPLY_REPLY_PARTS_H

#include "proto/record/record.h"
#include "proto/spatial/convention.h"

// An object with the parts of its transform, which is in the axes and layout of `convention` (NULL:
// as stored); so are the parts. One reference, yours: a copy, or the object itself where its
// transform has none, since it is sheared, flat or no transform. `arena` is used meanwhile.
const frozen_t *reply_parts_shown(const struct convention *convention, struct arena *arena,
                                  const frozen_t *object);

#endif
