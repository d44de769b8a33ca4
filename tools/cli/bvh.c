// bvh.c - reads the hierarchy word by word, then turns and moves joint after joint, parents first.
#include "tools/cli/bvh.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buffer.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/spatial/matrix3.h"
#include "tools/cli/file_text.h"

enum { JOINTS_MAX = 1024, ROWS_MAX = 1 << 24, CHANNELS_MAX = 6, NO_PARENT = -1 };

// What a number of a frame does to its joint.
enum channel { MOVE_X, MOVE_Y, MOVE_Z, TURN_X, TURN_Y, TURN_Z, CHANNEL_COUNT };

static const char *const channel_names[CHANNEL_COUNT] = {"Xposition", "Yposition", "Zposition",
                                                         "Xrotation", "Yrotation", "Zrotation"};

struct joint {
    const char *name; // in the file's text
    int parent;
    double offset[3]; // from the parent
    uint8_t channels[CHANNELS_MAX];
    uint8_t channel_count;
    bool is_end; // of a limb: has no channels and becomes no object
};

// Where a joint is in the world.
struct place3 {
    double rotation[9]; // row-major
    double position[3];
};

struct reader {
    const char *path;
    double scale;
    struct buffer text; // words become strings in place
    char *next;
    struct joint *joints;
    int joint_count;
    uint32_t channel_count; // of a frame
};

static void
reader_finish(struct reader *self)
{
    buffer_finish(&self->text);
    free(self->joints);
}

static fallible
refuse(const struct reader *self, const char *reason)
{
    return fail(ERR_MALFORMED, "", "%s: %s", self->path, reason);
}

// The next word, "" at the end.
static const char *
word(struct reader *self)
{
    static const char blanks[] = " \t\r\n\v\f";
    char *begin = self->next + strspn(self->next, blanks);
    self->next = begin + strcspn(begin, blanks);
    if (*self->next)
        *self->next++ = '\0';
    return begin;
}

static fallible
expect(struct reader *self, const char *expected, const char *reason)
{
    return strcmp(word(self), expected) == 0 ? OK : refuse(self, reason);
}

static fallible
number(struct reader *self, double *ret_number)
{
    const char *chars = word(self);
    char *end;
    *ret_number = strtod(chars, &end);
    if (end == chars || *end || !isfinite(*ret_number))
        return refuse(self, *chars ? "it has a word that must be a number" : "it ends too early");
    return OK;
}

// --- the hierarchy ---

static fallible
add_joint(struct reader *self, const char *name, int parent, bool is_end)
{
    if (self->joint_count == JOINTS_MAX)
        return refuse(self, "it has too many joints");
    if (!*name || strlen(name) > LIMIT_KEY_BYTES)
        return refuse(self, "a joint has no name, or one that is too long");
    self->joints[self->joint_count++] =
        (struct joint){.name = name, .parent = parent, .is_end = is_end};
    return expect(self, "{", "a joint does not begin with {");
}

static fallible
add_channels(struct reader *self, struct joint *joint)
{
    double count;
    TRY(number(self, &count));
    if (count < 0 || count > CHANNELS_MAX || joint->channel_count)
        return refuse(self, "a joint has at most six channels");
    for (; joint->channel_count < count; joint->channel_count++) {
        const char *name = word(self);
        uint8_t channel = 0;
        while (channel < CHANNEL_COUNT && strcmp(name, channel_names[channel]) != 0)
            channel++;
        if (channel == CHANNEL_COUNT)
            return refuse(self, "it has an unknown channel");
        joint->channels[joint->channel_count] = channel;
    }
    self->channel_count += joint->channel_count;
    return OK;
}

// One line inside of the braces of the joint at `*at`, which becomes that of the next line.
static fallible
read_line(struct reader *self, int *at)
{
    const char *first = word(self);
    struct joint *joint = &self->joints[*at];
    if (strcmp(first, "}") == 0) {
        *at = joint->parent;
        return OK;
    }
    if (strcmp(first, "OFFSET") == 0) {
        for (int i = 0; i < 3; i++)
            TRY(number(self, &joint->offset[i]));
        return OK;
    }
    if (strcmp(first, "CHANNELS") == 0)
        return add_channels(self, joint);
    bool is_end = strcmp(first, "End") == 0;
    if (!is_end && strcmp(first, "JOINT") != 0)
        return refuse(self, "a joint has OFFSET, CHANNELS, JOINT, End Site and }");
    TRY(add_joint(self, word(self), *at, is_end));
    *at = self->joint_count - 1;
    return OK;
}

static fallible
read_hierarchy(struct reader *self)
{
    TRY(expect(self, "HIERARCHY", "it does not begin with HIERARCHY"));
    TRY(expect(self, "ROOT", "it has no ROOT"));
    TRY(add_joint(self, word(self), NO_PARENT, false));
    for (int at = 0; at != NO_PARENT;)
        TRY(read_line(self, &at));
    return expect(self, "MOTION", "no MOTION follows the hierarchy, which has one ROOT");
}

// --- the motion ---

// Turns by `angle_deg` about an axis, 0 to 2, of what was turned so far.
static void
turn(double *rotation, int axis, double angle_deg)
{
    double angle = angle_deg * M_PI / 180, elementary[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    elementary[a * 3 + a] = elementary[b * 3 + b] = cos(angle);
    elementary[b * 3 + a] = sin(angle);
    elementary[a * 3 + b] = -sin(angle);
    matrix3_multiply(rotation, elementary, rotation);
}

static const struct place3 world = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// Reads the joint's numbers of a frame; its parent's place is known.
static fallible
place_joint(struct reader *self, const struct joint *joint, const struct place3 *parent,
            struct place3 *ret_place)
{
    double moved[3];
    memcpy(moved, joint->offset, sizeof moved);
    *ret_place = *parent;
    for (int i = 0; i < joint->channel_count; i++) {
        double value;
        TRY(number(self, &value));
        if (joint->channels[i] < TURN_X)
            moved[joint->channels[i]] += value;
        else
            turn(ret_place->rotation, joint->channels[i] - TURN_X, value);
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            ret_place->position[row] += parent->rotation[row * 3 + column] * moved[column];
    return OK;
}

static fallible
read_frame(struct reader *self, uint32_t frame, struct place3 *places, struct buffer *rows)
{
    uint32_t object = 0;
    for (int i = 0; i < self->joint_count; i++) {
        const struct joint *joint = &self->joints[i];
        TRY(place_joint(self, joint, joint->parent < 0 ? &world : &places[joint->parent],
                        &places[i]));
        if (joint->is_end)
            continue;
        struct trajectory_row row = {.frame = frame, .object = object++};
        for (int axis = 0; axis < 3; axis++)
            row.position[axis] = places[i].position[axis] * self->scale;
        row.line = (uint32_t)(rows->size / sizeof row) + 1;
        buffer_put(rows, &row, sizeof row);
    }
    return OK;
}

static void
take_names(const struct reader *self, struct trajectory *trajectory)
{
    trajectory->ids = memory_take_zeroed((size_t)self->joint_count * sizeof *trajectory->ids);
    for (int i = 0; i < self->joint_count; i++)
        if (!self->joints[i].is_end)
            trajectory->ids[trajectory->id_count++] = strdup(self->joints[i].name);
}

static fallible
read_motion(struct reader *self, struct trajectory *trajectory, double *ret_rate)
{
    double count, frame_s;
    TRY(expect(self, "Frames:", "MOTION does not say Frames:"));
    TRY(number(self, &count));
    TRY(expect(self, "Frame", "MOTION does not say Frame Time:"));
    TRY(expect(self, "Time:", "MOTION does not say Frame Time:"));
    TRY(number(self, &frame_s));
    if (count < 1 || count > UINT32_MAX || frame_s <= 0)
        return fail(ERR_INVALID, "", "%s: there are no frames in it", self->path);
    if (count * self->joint_count > ROWS_MAX)
        return refuse(self, "it has too many frames");
    owned(buffer_finish) struct buffer rows = {0};
    struct place3 *places = memory_take((size_t)self->joint_count * sizeof *places);
    enum error error = self->channel_count ? OK : refuse(self, "no joint has a channel");
    for (uint32_t frame = 0; error == OK && frame < (uint32_t)count; frame++)
        error = read_frame(self, frame, places, &rows);
    free(places);
    if (error != OK)
        return error;
    trajectory->row_count = rows.size / sizeof *trajectory->rows;
    trajectory->rows = (struct trajectory_row *)(void *)rows.data;
    buffer_init(&rows);
    *ret_rate = 1 / frame_s;
    return OK;
}

fallible
bvh_read(const char *path, double scale, struct trajectory *ret_trajectory, double *ret_rate)
{
    owned(reader_finish) struct reader self = {
        .path = path,
        .scale = scale,
        .joints = memory_take_zeroed(JOINTS_MAX * sizeof(struct joint)),
    };
    TRY(file_text_read(path, &self.text));
    buffer_put_char(&self.text, '\0');
    self.next = self.text.data;
    TRY(read_hierarchy(&self));
    struct trajectory trajectory = {0};
    TRY(read_motion(&self, &trajectory, ret_rate));
    take_names(&self, &trajectory);
    *ret_trajectory = trajectory;
    return OK;
}
