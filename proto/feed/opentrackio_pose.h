// opentrackio_pose.h - poses as OpenTrackIO says them: metres and degrees, R = Rz(pan) * Rx(tilt) *
// Ry(roll), in axes X right, Y forward, Z up (`enu`, convention.h). Pure.
#ifndef DIORAMA_PROTO_FEED_OPENTRACKIO_POSE_H
#define DIORAMA_PROTO_FEED_OPENTRACKIO_POSE_H

#include <stdbool.h>

struct opentrackio_pose {
    double translation[3]; // x, y, z
    double rotation[3];    // pan, tilt, roll
    double scale[3];
};

// Moves `matrix`, row-major, on its right by a pose without scale, in the axes of OpenTrackIO.
void opentrackio_pose_apply(const struct opentrackio_pose *self, double matrix[16]);

// From the axes of OpenTrackIO to those of scenes, in place.
void opentrackio_pose_to_scene(double matrix[16]);

// The pose of a matrix in the axes of scenes. False if it has none: it is sheared, singular or not
// affine.
bool opentrackio_pose_of(const double matrix[16], struct opentrackio_pose *ret_pose);

#endif
