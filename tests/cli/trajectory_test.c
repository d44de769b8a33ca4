// trajectory_test.c - recorded walks are read, checked and put in order of time.
#include "tools/cli/trajectory.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

// One file a test, in a directory that goes with it; Criterion runs each test in a process.
static struct temporary directory;
static char path[TEMPORARY_PATH_BYTES];

// "# one" and the row "1 2 3 4 5", compressed by gzip -n.
static const unsigned char compressed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                           0x03, 0x53, 0x56, 0xc8, 0xcf, 0x4b, 0xe5, 0x32, 0x54,
                                           0x30, 0x52, 0x30, 0x56, 0x30, 0x51, 0x30, 0xe5, 0x02,
                                           0x00, 0x69, 0x4a, 0xd1, 0x6d, 0x10, 0x00, 0x00, 0x00};

static void
begin(void)
{
    temporary_init(&directory);
    temporary_path(&directory, "walk", path);
}

static void
end(void)
{
    temporary_finish(&directory);
}

static void
write_file(const void *data, size_t size)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

static enum error
read_text(const char *text, struct trajectory *ret_trajectory)
{
    write_file(text, strlen(text));
    return trajectory_read(path, 1, ret_trajectory);
}

// Refused with the path and then `detail`.
static void
assert_refused(const char *text, enum error expected, const char *detail)
{
    struct trajectory trajectory = {0};
    struct fault fault;
    char whole[TEMPORARY_PATH_BYTES + 128];
    enum error error = read_text(text, &trajectory);
    cr_assert_eq(error, expected);
    fault_take(error, &fault);
    snprintf(whole, sizeof whole, "%s%s", path, detail);
    cr_assert_str_eq(fault.detail, whole);
    cr_assert_eq(trajectory.rows, NULL);
}

static void
assert_row(const struct trajectory_row *row, uint32_t object, double frame, double x)
{
    cr_assert_eq(row->object, object);
    cr_assert_eq(row->frame, frame);
    cr_assert_eq(row->position[0], x);
}

TestSuite(trajectory, .init = begin, .fini = end);

Test(trajectory, row_is_id_frame_and_scaled_position)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    static const char text[] = "p1 84 150 -250 175.5\n";
    write_file(text, strlen(text));
    cr_assert_eq(trajectory_read(path, 0.5, &walk), OK);
    cr_assert_eq(walk.id_count, 1);
    cr_assert_str_eq(walk.ids[0], "p1");
    cr_assert_eq(walk.row_count, 1);
    assert_row(&walk.rows[0], 0, 84, 75);
    cr_assert_eq(walk.rows[0].position[1], -125);
    cr_assert_eq(walk.rows[0].position[2], 87.75);
}

Test(trajectory, rows_grouped_by_id_are_put_in_order_of_time)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    cr_assert_eq(read_text("b 2 20 0 0\nb 3 30 0 0\na 1 1 0 0\na 3 3 0 0\na 10 10 0 0\n", &walk),
                 OK);
    cr_assert_eq(walk.id_count, 2);
    cr_assert_str_eq(walk.ids[0], "b");
    cr_assert_str_eq(walk.ids[1], "a");
    cr_assert_eq(walk.row_count, 5);
    assert_row(&walk.rows[0], 1, 1, 1);
    assert_row(&walk.rows[1], 0, 2, 20);
    assert_row(&walk.rows[2], 0, 3, 30); // of one frame: as in the file
    assert_row(&walk.rows[3], 1, 3, 3);
    assert_row(&walk.rows[4], 1, 10, 10);
}

Test(trajectory, comments_blank_lines_and_foreign_line_ends_are_skipped)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    cr_assert_eq(read_text("# a walk\r\n\r\n \t\r\n1\t1  7 0 0\r\n1 2 8 0 0 # the end\n#", &walk),
                 OK);
    cr_assert_eq(walk.row_count, 2);
    assert_row(&walk.rows[0], 0, 1, 7);
    assert_row(&walk.rows[1], 0, 2, 8);
}

Test(trajectory, a_file_may_say_that_its_height_is_y)
{
    owned(trajectory_finish) struct trajectory walk = {0}, other = {0};
    cr_assert_eq(read_text("# up: y\n1 1 7 0 0\n", &walk), OK);
    cr_expect(walk.is_y_up);
    cr_assert_eq(read_text("# going up\n1 1 7 0 0\n", &other), OK);
    cr_expect(!other.is_y_up);
}

Test(trajectory, raised_walks_have_their_height_on_y)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    cr_assert_eq(read_text("1 1 7 8 9\n", &walk), OK);
    trajectory_raise(&walk);
    cr_expect_eq(walk.rows[0].position[0], 7);
    cr_expect_eq(walk.rows[0].position[1], 9);
    cr_expect_eq(walk.rows[0].position[2], -8);
}

Test(trajectory, last_line_needs_no_line_end)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    cr_assert_eq(read_text("1 1 7 0 0", &walk), OK);
    cr_assert_eq(walk.row_count, 1);
    assert_row(&walk.rows[0], 0, 1, 7);
}

Test(trajectory, gzip_is_recognised_by_content)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    write_file(compressed, sizeof compressed);
    cr_assert_eq(trajectory_read(path, 1, &walk), OK);
    cr_assert_eq(walk.row_count, 1);
    assert_row(&walk.rows[0], 0, 2, 3);
}

Test(trajectory, gzip_cut_short_is_refused)
{
    struct trajectory walk = {0};
    write_file(compressed, sizeof compressed - 6);
    cr_assert_eq(trajectory_read(path, 1, &walk), ERR_MALFORMED);
}

Test(trajectory, dash_reads_standard_input)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    static const char text[] = "1 1 7 0 0\n";
    write_file(text, strlen(text));
    int file = open(path, O_RDONLY);
    cr_assert_eq(dup2(file, STDIN_FILENO), STDIN_FILENO);
    close(file);
    cr_assert_eq(trajectory_read("-", 1, &walk), OK);
    cr_assert_eq(walk.row_count, 1);
}

Test(trajectory, wrong_rows_are_refused_by_line)
{
    assert_refused("1 1 7 0 0\n1 2 8 0\n", ERR_MALFORMED, " line 2: a row is `id frame x y z`");
    assert_refused("1 1 7 0 0 0\n", ERR_MALFORMED, " line 1: a row is `id frame x y z`");
    assert_refused("# x\n\n1 1 7 north 0\n", ERR_MALFORMED, " line 3: north is no number");
    assert_refused("1 1 7 0 inf\n", ERR_MALFORMED, " line 1: inf is no number");
    assert_refused("1 nan 7 0 0\n", ERR_MALFORMED, " line 1: nan is no number");
}

Test(trajectory, position_beyond_double_after_scaling_is_refused)
{
    struct trajectory walk = {0};
    static const char text[] = "1 1 1e308 0 0\n";
    write_file(text, strlen(text));
    cr_assert_eq(trajectory_read(path, 100, &walk), ERR_MALFORMED);
}

Test(trajectory, id_longer_than_a_name_may_be_is_refused)
{
    char text[160];
    owned(trajectory_finish) struct trajectory walk = {0};
    snprintf(text, sizeof text, "%0128d 1 0 0 0\n", 0);
    cr_assert_eq(read_text(text, &walk), OK);
    snprintf(text, sizeof text, "%0129d 1 0 0 0\n", 0);
    assert_refused(text, ERR_MALFORMED, " line 1: the id is too long");
}

Test(trajectory, endless_line_is_refused)
{
    char text[3000];
    memset(text, ' ', sizeof text);
    memcpy(text + sizeof text - 12, "1 1 0 0 0\n", 11);
    assert_refused(text, ERR_MALFORMED, " line 1: the line is too long");
}

Test(trajectory, file_without_rows_is_refused)
{
    assert_refused("# nothing\n", ERR_INVALID, ": has no rows");
    assert_refused("", ERR_INVALID, ": has no rows");
}

Test(trajectory, absent_file_is_refused)
{
    struct trajectory walk = {0};
    cr_assert_eq(trajectory_read(path, 1, &walk), ERR_NOT_FOUND);
}

Test(trajectory, directory_is_refused)
{
    struct trajectory walk = {0};
    cr_assert_eq(trajectory_read(directory.path, 1, &walk), ERR_MALFORMED);
}

// The only row of `text`, which is of this format (NULL: told by its columns).
static struct trajectory_row
only_row(const char *name, const char *text)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    write_file(text, strlen(text));
    cr_assert_eq(trajectory_read_as(path, name ? trajectory_format_find(name) : NULL, 0, &walk), OK,
                 "%s", text);
    cr_assert_eq(walk.row_count, 1, "%s", text);
    return walk.rows[0];
}

static void
assert_pose(struct trajectory_row row, double frame, const double position[3],
            const double rotation[4])
{
    cr_expect_eq(row.frame, frame, "%g", row.frame);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(row.position[i], position[i], "position %d is %g", i, row.position[i]);
    for (int i = 0; rotation && i < 4; i++)
        cr_expect_float_eq(row.rotation[i], rotation[i], 1e-12, "rotation %d is %g", i,
                           row.rotation[i]);
}

// A quarter turn about z: w x y z.
static const double quarter[4] = {M_SQRT1_2, 0, 0, M_SQRT1_2};

#define QUARTER "0.70710678118654752"

Test(trajectory, tum_has_seconds_and_w_last)
{
    assert_pose(only_row(NULL, "12.5 1 2 3 0 0 " QUARTER " " QUARTER "\n"), 12.5,
                (double[]){1, 2, 3}, quarter);
}

Test(trajectory, euroc_has_nanoseconds_commas_w_first_and_more_columns)
{
    assert_pose(only_row("euroc", "#timestamp, p_RS_R_x [m], ...\n2500000000,1,2,3," QUARTER
                                  ",0,0," QUARTER ",9,9,9,9,9,9,9,9,9\n"),
                2.5, (double[]){1, 2, 3}, quarter);
}

Test(trajectory, kitti_has_a_matrix_and_counts_its_rows)
{
    owned(trajectory_finish) struct trajectory walk = {0};
    assert_pose(only_row(NULL, "0 -1 0 1 1 0 0 2 0 0 1 3\n"), 0, (double[]){1, 2, 3}, quarter);
    cr_assert_eq(read_text("", &walk), ERR_INVALID);
    static const char two[] = "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 5 0 1 0 0 0 0 1 0\n";
    write_file(two, strlen(two));
    cr_assert_eq(trajectory_read_as(path, NULL, 0, &walk), OK);
    cr_assert_eq(walk.rows[1].frame, 1);
    cr_assert_eq(walk.rows[1].position[0], 5);
    cr_assert_str_eq(walk.ids[0], "walk"); // as the file
}

Test(trajectory, eth_and_ucy_have_the_frame_before_the_id)
{
    assert_pose(only_row("eth", "780 4 8.4 0 3.5 1 0 2\n"), 780, (double[]){8.4, 3.5, 0}, NULL);
    assert_pose(only_row(NULL, "780.0\t4.0\t8.4\t3.5\n"), 780, (double[]){8.4, 3.5, 0}, NULL);
}

Test(trajectory, what_is_no_rotation_is_refused)
{
    static const char *const rows[][2] = {
        {"tum", "1 0 0 0 0 0 0 0\n"},
        {"kitti", "2 0 0 0 0 2 0 0 0 0 2 0\n"},
        {"kitti", "-1 0 0 0 0 1 0 0 0 0 1 0\n"},
        {"kitti", "0 0 0 0 0 0 0 0 0 0 0 0\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct trajectory walk = {0};
        write_file(rows[i][1], strlen(rows[i][1]));
        cr_expect_eq(trajectory_read_as(path, trajectory_format_find(rows[i][0]), 0, &walk),
                     ERR_MALFORMED, "%s", rows[i][1]);
    }
}

Test(trajectory, rows_of_no_format_are_refused)
{
    struct trajectory walk = {0};
    write_file("1 2\n", 4);
    cr_assert_eq(trajectory_read_as(path, NULL, 0, &walk), ERR_MALFORMED);
}
