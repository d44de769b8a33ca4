// geo_frame.c - points on WGS 84 and frames of east, north, up (geo_frame.h). Pure; any thread.
#include "proto/spatial/geo_frame.h"

#include <math.h>
#include <string.h>

#include "proto/spatial/matrix3.h"
#include "proto/spatial/transform.h"

// The ellipsoid, as NGA.STND.0036 defines it, and what follows from it.
#define SEMI_MAJOR_M 6378137.0
#define FLATTENING (1 / 298.257223563)
#define SEMI_MINOR_M (SEMI_MAJOR_M * (1 - FLATTENING))
#define ECCENTRICITY_SQUARED (FLATTENING * (2 - FLATTENING))
#define SECOND_ECCENTRICITY_SQUARED (ECCENTRICITY_SQUARED / (1 - ECCENTRICITY_SQUARED))

#define DEGREE (M_PI / 180)

enum { REFINEMENTS = 3 }; // of a latitude: each leaves less than a thousandth of the error

// --- rotations ---

// Sine and cosine of degrees, exact for multiples of a right angle.
static void
sine_cosine(double degrees, double *ret_sine, double *ret_cosine)
{
    int quarter;
    double rest = remquo(degrees, 90, &quarter) * DEGREE;
    const double sine = sin(rest), cosine = cos(rest);
    const double sines[4] = {sine, cosine, -sine, -cosine};
    *ret_sine = sines[quarter & 3];
    *ret_cosine = sines[(quarter + 1) & 3];
}

// The directions of east, north and up as columns.
static void
enu_to_ecef(const struct geo_point *point, double *ret_rotation)
{
    double sin_lat, cos_lat, sin_lon, cos_lon;
    sine_cosine(point->latitude_deg, &sin_lat, &cos_lat);
    sine_cosine(point->longitude_deg, &sin_lon, &cos_lon);
    // clang-format off
    const double rotation[9] = {
        -sin_lon, -sin_lat * cos_lon, cos_lat * cos_lon,
        cos_lon,  -sin_lat * sin_lon, cos_lat * sin_lon,
        0,        cos_lat,            sin_lat,
    };
    // clang-format on
    memcpy(ret_rotation, rotation, sizeof rotation);
}

// --- points ---

bool
geo_point_is_on_map(const struct geo_point *point)
{
    return fabs(point->latitude_deg) <= 90 && fabs(point->longitude_deg) <= 180 &&
           isfinite(point->height_m);
}

void
geo_point_to_ecef(const struct geo_point *point, double *ret_ecef)
{
    double sin_lat, cos_lat, sin_lon, cos_lon;
    sine_cosine(point->latitude_deg, &sin_lat, &cos_lat);
    sine_cosine(point->longitude_deg, &sin_lon, &cos_lon);
    double normal = SEMI_MAJOR_M / sqrt(1 - ECCENTRICITY_SQUARED * sin_lat * sin_lat);
    ret_ecef[0] = (normal + point->height_m) * cos_lat * cos_lon;
    ret_ecef[1] = (normal + point->height_m) * cos_lat * sin_lon;
    ret_ecef[2] = (normal * (1 - ECCENTRICITY_SQUARED) + point->height_m) * sin_lat;
}

// Bowring (1976): the latitude follows from the reduced latitude, which is nearly that of the
// point's foot, and gives a better one.
void
geo_point_of_ecef(const double *ecef, struct geo_point *ret_point)
{
    double equatorial = hypot(ecef[0], ecef[1]), z = ecef[2];
    double tangent_y = z * SEMI_MAJOR_M, tangent_x = equatorial * SEMI_MINOR_M, sine, cosine;
    for (int i = 0; i < REFINEMENTS; i++) {
        double length = hypot(tangent_x, tangent_y);
        double reduced_sine = length > 0 ? tangent_y / length : 0;
        double reduced_cosine = length > 0 ? tangent_x / length : 1;
        double y = z + SECOND_ECCENTRICITY_SQUARED * SEMI_MINOR_M * pow(reduced_sine, 3);
        double x = equatorial - ECCENTRICITY_SQUARED * SEMI_MAJOR_M * pow(reduced_cosine, 3);
        length = hypot(x, y);
        sine = length > 0 ? y / length : 0;
        cosine = length > 0 ? x / length : 1;
        tangent_y = SEMI_MINOR_M * sine;
        tangent_x = SEMI_MAJOR_M * cosine;
    }
    double root = sqrt(1 - ECCENTRICITY_SQUARED * sine * sine);
    ret_point->latitude_deg = atan2(sine, cosine) / DEGREE;
    ret_point->longitude_deg = atan2(ecef[1], ecef[0]) / DEGREE;
    ret_point->height_m = equatorial * cosine + z * sine - SEMI_MAJOR_M * root; // at poles too
}

// --- frames ---

// From the axes of scenes to those of `enu` (convention.c): east is X, north is -Z, up is Y.
static const double axes_to_enu[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
static const double enu_to_axes[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};

void
geo_frame_init(struct geo_frame *self, const struct geo_point *origin, double heading_deg)
{
    double sine, cosine;
    sine_cosine(heading_deg, &sine, &cosine);
    const double turn[9] = {cosine, sine, 0, -sine, cosine, 0, 0, 0, 1};
    self->origin = *origin;
    matrix3_multiply(turn, axes_to_enu, self->to_enu);
    geo_point_to_ecef(origin, self->ecef);
    enu_to_ecef(origin, self->enu_to_ecef);
}

void
geo_frame_rotation(const struct geo_frame *self, double *ret_rotation)
{
    matrix3_multiply(self->enu_to_ecef, self->to_enu, ret_rotation);
}

// Where a point is, of which east, north and up from the origin are known, and the directions of
// the origin as they are called there. Above the origin everything is as it is at the origin: at a
// pole a longitude that is computed would be lost, though it says where north is.
static void
find_point(const struct geo_frame *self, const double *enu, struct geo_point *ret_point,
           double *ret_turn)
{
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double ecef[3], there[9];
    *ret_point = self->origin;
    memcpy(ret_turn, none, sizeof none);
    if (enu[0] == 0 && enu[1] == 0) {
        ret_point->height_m += enu[2];
        return;
    }
    matrix3_rotate(self->enu_to_ecef, enu, ecef);
    for (int i = 0; i < 3; i++)
        ecef[i] += self->ecef[i];
    geo_point_of_ecef(ecef, ret_point);
    enu_to_ecef(ret_point, there);
    matrix3_transpose(there);
    matrix3_multiply(there, self->enu_to_ecef, ret_turn);
}

static bool
pose_is_finite(const struct geo_pose *pose)
{
    double sum = pose->position.latitude_deg + pose->position.longitude_deg;
    for (int i = 0; i < 4; i++)
        sum += pose->quaternion[i];
    return isfinite(sum) && isfinite(pose->position.height_m);
}

bool
geo_frame_show(const struct geo_frame *self, const double *translation, const double *rotation,
               struct geo_pose *ret_pose)
{
    struct geo_pose pose;
    double enu[3], turned[9], turn[9], quaternion[4];
    matrix3_rotate(self->to_enu, translation, enu);
    find_point(self, enu, &pose.position, turn);
    matrix3_multiply(rotation, enu_to_axes, turned); // the body's own axes are those of `enu` too
    matrix3_multiply(self->to_enu, turned, turned);
    matrix3_multiply(turn, turned, turned);
    quaternion_of_rotation(turned, quaternion);
    for (int i = 0; i < 4; i++)
        pose.quaternion[i] = quaternion[(i + 1) % 4] + 0.0; // a zero has no sign
    if (!pose_is_finite(&pose))
        return false;
    *ret_pose = pose;
    return true;
}

// The inverse of find_point.
static void
find_offset(const struct geo_frame *self, const struct geo_point *point, double *ret_enu,
            double *ret_turn)
{
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double ecef[3], here[9], there[9];
    const struct geo_point *origin = &self->origin;
    if (point->latitude_deg == origin->latitude_deg &&
        point->longitude_deg == origin->longitude_deg) {
        memcpy(ret_turn, none, sizeof none);
        ret_enu[0] = ret_enu[1] = 0;
        ret_enu[2] = point->height_m - origin->height_m;
        return;
    }
    geo_point_to_ecef(point, ecef);
    for (int i = 0; i < 3; i++)
        ecef[i] -= self->ecef[i];
    memcpy(here, self->enu_to_ecef, sizeof here);
    matrix3_transpose(here);
    matrix3_rotate(here, ecef, ret_enu);
    enu_to_ecef(point, there);
    matrix3_multiply(here, there, ret_turn);
}

void
geo_frame_take(const struct geo_frame *self, const struct geo_pose *pose, double *ret_translation,
               double *ret_quaternion)
{
    const double *q = pose->quaternion;
    const double quaternion[4] = {q[3], q[0], q[1], q[2]};
    double rotation[9], turn[9], enu[3], to_axes[9];
    memcpy(to_axes, self->to_enu, sizeof to_axes);
    matrix3_transpose(to_axes);
    find_offset(self, &pose->position, enu, turn);
    matrix3_rotate(to_axes, enu, ret_translation);
    rotation_of_quaternion(quaternion, rotation);
    matrix3_multiply(turn, rotation, rotation);
    matrix3_multiply(to_axes, rotation, rotation);
    matrix3_multiply(rotation, axes_to_enu, rotation);
    quaternion_of_rotation(rotation, ret_quaternion);
    for (int i = 0; i < 3; i++)
        ret_translation[i] += 0.0; // a zero has no sign
}
