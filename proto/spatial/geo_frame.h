// geo_frame.h - where the axes of a scene stand on Earth, and the poses in it as GeoPoses (OGC
// 21-056r11). All of it is WGS 84 (EPSG 4979): degrees, and metres above the ellipsoid. Pure.
//
// A GeoPose is a position, and a rotation in the frame that has its origin there: X east, Y north,
// Z up. The body too is taken in the axes of `enu` (convention.h), so what stands in its scene
// without a turn, in a scene without heading, has the identity where the scene is.
#ifndef DIORAMA_PROTO_SPATIAL_GEO_FRAME_H
#define DIORAMA_PROTO_SPATIAL_GEO_FRAME_H

#include <stdbool.h>

struct geo_point {
    double latitude_deg, longitude_deg, height_m;
};

struct geo_pose {
    struct geo_point position;
    double quaternion[4]; // x, y, z, w: from the body to east, north, up; a unit, w not negative
};

// The axes of a scene. Matrices of rotations are 3x3, row-major.
struct geo_frame {
    struct geo_point origin;
    double ecef[3];        // of the origin
    double to_enu[9];      // from the scene's axes to east, north, up at its origin
    double enu_to_ecef[9]; // and on to the axes of the Earth
};

// Earth-centred, Earth-fixed coordinates in metres, and back. Longitudes come back in [-180, 180].
// Exact to some nanometres for heights from -100 km to 10,000 km; below that latitudes are less
// exact, because the ellipse's evolute is near.
void geo_point_to_ecef(const struct geo_point *point, double *ret_ecef);
void geo_point_of_ecef(const double *ecef, struct geo_point *ret_point);

// The axes of a scene whose origin is at this point (geo_point_is_on_map) and whose -Z points
// `heading_deg` clockwise from true north, seen from above.
void geo_frame_init(struct geo_frame *self, const struct geo_point *origin, double heading_deg);

// The rotation from the scene's axes to those of the Earth.
void geo_frame_rotation(const struct geo_frame *self, double *ret_rotation);

// Whether latitude and longitude are on the map, and the height is finite.
bool geo_point_is_on_map(const struct geo_point *point);

// A pose in the axes of scenes as a GeoPose. False, with nothing written, if it is so far away that
// a number is not finite.
bool geo_frame_show(const struct geo_frame *self, const double *translation, const double *rotation,
                    struct geo_pose *ret_pose);

// A GeoPose in the axes of scenes: the translation, and the quaternion w, x, y, z. That of the pose
// is a unit, as nearly as its sender has computed.
void geo_frame_take(const struct geo_frame *self, const struct geo_pose *pose,
                    double *ret_translation, double *ret_quaternion);

#endif
