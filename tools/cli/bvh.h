// bvh.h - reads motion capture as walks of joints: files of the Biovision hierarchy have a skeleton
// of joints and their angles in each frame.
#ifndef DIORAMA_TOOLS_CLI_BVH_H
#define DIORAMA_TOOLS_CLI_BVH_H

#include "tools/cli/trajectory.h"

// Reads all of `path`: one moving object per joint, in the order of the file. Its position in each
// frame is computed by forward kinematics, in the axes of the file (mostly Y up), times `scale`.
// `ret_rate` is the number of frames a second. Fails with ERR_UNAVAILABLE or ERR_TOO_LARGE (as
// file_text_read), ERR_MALFORMED (path and what is wrong in the detail) or ERR_INVALID (no frames).
fallible bvh_read(const char *path, double scale, struct trajectory *ret_trajectory,
                  double *ret_rate);

#endif
