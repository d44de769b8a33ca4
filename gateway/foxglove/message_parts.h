// message_parts.h - what messages are made of: times, texts, numbers, frames, poses in the axes of
// viewers. Each is a member `name` of the object that is being written. Pure.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_MESSAGE_PARTS_H
#define DIORAMA_GATEWAY_FOXGLOVE_MESSAGE_PARTS_H

#include "gateway/foxglove/messages.h"

// {"sec", "nsec"}.
void part_put_time(const char *name, uint64_t time_us, struct buffer *out);
void part_put_text(const char *name, const struct text *text, struct buffer *out);
// Numbers whose names are the letters: {"x":…,"y":…} of "xy".
void part_put_numbers(const char *name, const char *letters, const double *numbers,
                      struct buffer *out);
// The member `pose`; the quaternion is w, x, y, z.
void part_put_pose(const double *position, const double *quaternion, struct buffer *out);
// The name of a frame: the key of the scene, and behind a slash that of the thing.
void part_put_frame(const char *name, const struct frame *frame, struct buffer *out);
// Splits a matrix of the axes of scenes into parts in those of viewers. Where it is no pose, it has
// its translation alone.
void part_split(const double *matrix, double *ret_translation, double *ret_quaternion,
                double *ret_scale);

#endif
