// trajectory.c - reads recorded walks. Files group their rows by id or by frame; here rows are
// sorted by time. The only file with zlib.h.
#include "tools/cli/trajectory.h"

#include <czmq.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "proto/base/buffer.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum { LINE_BYTES = 1024, VALUES_PER_ROW = TRAJECTORY_COLUMNS, NAME_BYTES = LIMIT_KEY_BYTES + 1 };

static const char up_comment[] = "# up: y";

// A file that is being read; the two arrays of the result grow in buffers.
struct reader {
    const char *path;
    gzFile file;
    uint32_t line;
    double scale;
    const struct trajectory_format *format; // NULL = not known yet
    char name[NAME_BYTES];                  // of the object, if rows have no id
    bool is_y_up;
    zhashx_t *indexes;  // id: index + 1 as pointer, so that NULL means absent
    struct buffer ids;  // char *
    struct buffer rows; // struct trajectory_row
};

static size_t
id_count(const struct reader *self)
{
    return self->ids.size / sizeof(char *);
}

static void
reader_finish(struct reader *self)
{
    if (self->file)
        gzclose(self->file);
    zhashx_destroy(&self->indexes);
    for (size_t i = 0; i < id_count(self); i++)
        free(((char **)(void *)self->ids.data)[i]);
    buffer_finish(&self->ids);
    buffer_finish(&self->rows);
}

static fallible
reader_open(struct reader *self)
{
    bool standard_input = strcmp(self->path, "-") == 0;
    errno = 0;
    self->file = standard_input ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(self->path, "rb");
    if (!self->file)
        return fail(ERR_NOT_FOUND, "", "%s: %s", self->path, strerror(errno ? errno : ENOMEM));
    return OK;
}

static fallible
refuse(const struct reader *self, const char *reason)
{
    return fail(ERR_MALFORMED, "", "%s line %u: %s", self->path, self->line, reason);
}

static uint32_t
index_of(struct reader *self, const char *id)
{
    size_t found = (size_t)(uintptr_t)zhashx_lookup(self->indexes, id);
    if (found)
        return (uint32_t)(found - 1);
    char *copy = memory_take(strlen(id) + 1);
    memcpy(copy, id, strlen(id) + 1);
    buffer_put(&self->ids, &copy, sizeof copy);
    size_t count = id_count(self);
    zhashx_insert(self->indexes, id, (void *)(uintptr_t)count);
    return (uint32_t)(count - 1);
}

// Splits at blanks and commas, in place. Returns the number of values; only the first ones fit into
// `ret_values`.
static size_t
split(char *line, char *ret_values[VALUES_PER_ROW])
{
    static const char separators[] = " ,\t\r\n\v\f";
    size_t count = 0;
    char *rest;
    line[strcspn(line, "#")] = '\0';
    for (char *value = strtok_r(line, separators, &rest); value;
         value = strtok_r(NULL, separators, &rest)) {
        if (count < VALUES_PER_ROW)
            ret_values[count] = value;
        count++;
    }
    return count;
}

// The numbers of a row; a column that is an id stays 0.
static fallible
read_numbers(const struct reader *self, char *const values[VALUES_PER_ROW],
             double ret_numbers[VALUES_PER_ROW])
{
    for (size_t i = 0; i < self->format->columns; i++) {
        char *end;
        ret_numbers[i] = 0;
        if ((int)i == self->format->id)
            continue;
        ret_numbers[i] = strtod(values[i], &end);
        if (*end || !isfinite(ret_numbers[i]))
            return fail(ERR_MALFORMED, "", "%s line %u: %s is no number", self->path, self->line,
                        values[i]);
    }
    return OK;
}

static fallible
place_row(const struct reader *self, const double *numbers, struct trajectory_row *row)
{
    const struct trajectory_format *format = self->format;
    size_t rows_before = self->rows.size / sizeof *row;
    row->frame = format->frame == NO_COLUMN ? (double)rows_before
                                            : numbers[(int)format->frame] * format->frame_unit;
    for (int i = 0; i < 3; i++) {
        int column = format->position[i];
        row->position[i] = column == NO_COLUMN ? 0 : numbers[column] * self->scale;
        if (!isfinite(row->position[i]))
            return refuse(self, "the position is too large");
    }
    if (trajectory_format_has_rotation(format) &&
        !trajectory_format_rotation(format, numbers, row->rotation))
        return refuse(self, "the rotation is none");
    return OK;
}

static fallible
take_row(struct reader *self, char *const values[VALUES_PER_ROW])
{
    double numbers[VALUES_PER_ROW];
    struct trajectory_row row = {.line = self->line};
    const char *id = self->format->id == NO_COLUMN ? self->name : values[(int)self->format->id];
    if (strlen(id) > LIMIT_KEY_BYTES)
        return refuse(self, "the id is too long");
    TRY(read_numbers(self, values, numbers));
    TRY(place_row(self, numbers, &row));
    row.object = index_of(self, id);
    buffer_put(&self->rows, &row, sizeof row);
    return OK;
}

// Chooses the format by the first row, if none is named, and checks each row against it.
static fallible
check_columns(struct reader *self, size_t count)
{
    if (!self->format)
        self->format = trajectory_format_guess(count);
    if (!self->format)
        return refuse(self, "rows of so many columns are of no format");
    if (self->scale == 0)
        self->scale = self->format->scale;
    if (count < self->format->columns ||
        (count > self->format->columns && !self->format->may_have_more))
        return fail(ERR_MALFORMED, "", "%s line %u: a row is `%s`", self->path, self->line,
                    self->format->row);
    return OK;
}

static fallible
take_line(struct reader *self, char *line)
{
    char *values[VALUES_PER_ROW];
    if (!strchr(line, '\n') && !gzeof(self->file))
        return refuse(self, "the line is too long");
    if (strncmp(line, up_comment, strlen(up_comment)) == 0)
        self->is_y_up = true;
    size_t count = split(line, values);
    if (count == 0)
        return OK;
    TRY(check_columns(self, count));
    return take_row(self, values);
}

static fallible
take_all(struct reader *self)
{
    char line[LINE_BYTES];
    while (gzgets(self->file, line, sizeof line)) {
        self->line++;
        TRY(take_line(self, line));
    }
    int code;
    const char *reason = gzerror(self->file, &code);
    if (code == Z_ERRNO)
        return fail(ERR_MALFORMED, "", "%s: %s", self->path, strerror(errno));
    if (code != Z_OK)
        return fail(ERR_MALFORMED, "", "%s: %s", self->path, reason);
    if (self->rows.size == 0)
        return fail(ERR_INVALID, "", "%s: has no rows", self->path);
    return OK;
}

static int
compare_rows(const void *a, const void *b)
{
    const struct trajectory_row *left = a, *right = b;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

// Moves the arrays out of the reader.
static void
hand_over(struct reader *self, struct trajectory *ret_trajectory)
{
    *ret_trajectory = (struct trajectory){
        .ids = (char **)(void *)self->ids.data,
        .id_count = id_count(self),
        .rows = (struct trajectory_row *)(void *)self->rows.data,
        .row_count = self->rows.size / sizeof(struct trajectory_row),
        .format = self->format,
        .is_y_up = self->is_y_up,
    };
    buffer_init(&self->ids);
    buffer_init(&self->rows);
    qsort(ret_trajectory->rows, ret_trajectory->row_count, sizeof *ret_trajectory->rows,
          compare_rows);
}

// The last part of the path up to its first dot.
static void
name_after(const char *path, char ret_name[NAME_BYTES])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    snprintf(ret_name, NAME_BYTES, "%.*s", (int)strcspn(base, "."), base);
    if (!ret_name[0] || strcmp(ret_name, "-") == 0)
        snprintf(ret_name, NAME_BYTES, "pose");
}

fallible
trajectory_read_as(const char *path, const struct trajectory_format *format, double scale,
                   struct trajectory *ret_trajectory)
{
    owned(reader_finish) struct reader reader = {
        .path = path, .format = format, .scale = scale, .indexes = zhashx_new()};
    name_after(path, reader.name);
    TRY(reader_open(&reader));
    TRY(take_all(&reader));
    hand_over(&reader, ret_trajectory);
    return OK;
}

fallible
trajectory_read(const char *path, double scale, struct trajectory *ret_trajectory)
{
    return trajectory_read_as(path, &trajectory_formats[0], scale, ret_trajectory);
}

void
trajectory_raise(struct trajectory *self)
{
    for (size_t i = 0; i < self->row_count; i++) {
        double *position = self->rows[i].position, depth = position[1];
        position[1] = position[2];
        position[2] = 0 - depth; // not -depth, which would make a -0 of 0
    }
}

void
trajectory_finish(struct trajectory *self)
{
    for (size_t i = 0; i < self->id_count; i++)
        free(self->ids[i]);
    free(self->ids);
    free(self->rows);
    *self = (struct trajectory){0};
}
