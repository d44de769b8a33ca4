// multipart_test.c - forms as they come: what is a part, what is refused, and that it does not
// matter how the bytes were cut.
#include "gateway/request/multipart.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/buffer.h"
#include "proto/base/limits.h"

#define FORM "multipart/form-data; boundary=xx"
#define PART(disposition, body)                                                                    \
    "--xx\r\nContent-Disposition: form-data; " disposition "\r\n\r\n" body "\r\n"
#define END "--xx--\r\n"

// What the sink saw: `name|filename|media type:bytes;` for each part.
static struct buffer seen;

static enum error
begin_part(void *context, const struct multipart_part *part)
{
    (void)context;
    buffer_put_format(&seen, "%s|%s|%s:", text_chars(part->name), text_chars(part->filename),
                      text_chars(part->media_type));
    return OK;
}

static enum error
take_data(void *context, const char *data, size_t size)
{
    (void)context;
    buffer_put(&seen, data, size);
    return OK;
}

static enum error
end_part(void *context)
{
    (void)context;
    buffer_put_char(&seen, ';');
    return OK;
}

static const struct multipart_sink sink = {begin_part, take_data, end_part};

// Reads the form in pieces of `piece` bytes.
static enum error
read_pieces(const char *media_type, const char *bytes, size_t size, size_t piece)
{
    struct arena arena = {0};
    struct multipart form;
    buffer_clear(&seen);
    enum error error = multipart_init(&form, media_type, &sink, NULL, &arena);
    for (size_t at = 0; error == OK && at < size;) {
        size_t room, taken = size - at < piece ? size - at : piece;
        char *to = multipart_room(&form, &room);
        cr_assert_geq(room, MULTIPART_ROOM_BYTES);
        memcpy(to, bytes + at, taken);
        at += taken;
        error = multipart_take(&form, taken);
    }
    if (error == OK)
        error = multipart_end(&form);
    arena_finish(&arena);
    buffer_put_char(&seen, '\0');
    return error;
}

static enum error
read_form(const char *bytes)
{
    return read_pieces(FORM, bytes, strlen(bytes), MULTIPART_ROOM_BYTES);
}

static void
expect(const char *expected, const char *bytes)
{
    for (size_t piece = 1; piece <= strlen(bytes); piece++) {
        cr_expect_eq(read_pieces(FORM, bytes, strlen(bytes), piece), OK, "%s in %zu", bytes, piece);
        cr_expect_str_eq(seen.data, expected, "%s in pieces of %zu: %s", bytes, piece, seen.data);
    }
}

Test(multipart, parts_have_names_and_bytes_however_they_are_cut)
{
    expect("a||:1;b||:two;", PART("name=\"a\"", "1") PART("name=b", "two") END);
}

Test(multipart, a_file_has_a_name_and_a_type)
{
    expect("file|x y.glb|model/gltf-binary:abc;",
           "--xx\r\ncontent-disposition: form-data; name=\"file\"; filename=\"x y.glb\"\r\n"
           "X-Other: 1\r\nContent-Type: model/gltf-binary \r\n\r\nabc\r\n" END);
}

Test(multipart, what_begins_like_a_boundary_is_data)
{
    expect("a||:\r\n--x\r\n-\r\n--y\r;", PART("name=a", "\r\n--x\r\n-\r\n--y\r") END);
}

Test(multipart, empty_bodies_are_parts)
{
    expect("a||:;b||:;", PART("name=a", "") PART("name=b", "") END);
    expect("a||:;", "--xx\r\nContent-Disposition: form-data; name=a\r\n\r\n--xx--");
}

Test(multipart, what_stands_before_and_after_the_parts_is_passed_over)
{
    expect("a||:1;", "hello\r\n" PART("name=a", "1") END "the end\r\n--xx\r\n");
}

Test(multipart, blanks_may_follow_a_boundary)
{
    expect("a||:1;", "--xx \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--xx--  \r\n");
}

Test(multipart, names_may_hold_quotes_and_be_encoded)
{
    expect("a|q\"x\\y.obj|:1;", PART("name=a; filename=\"q\\\"x\\y.obj\"", "1") END);
    expect("a|\u00fcber.obj|:1;",
           PART("name=a; filename=\"u.obj\"; filename*=UTF-8''%C3%BCber.obj", "1") END);
    expect("a|u.obj|:1;", PART("name=a; filename=u.obj; filename*=latin1''%FC", "1") END);
}

Test(multipart, torn_forms_are_malformed)
{
    static const char whole[] = PART("name=\"a\"", "12345") "--xx--";
    for (size_t size = 0; size < sizeof whole - 1; size++)
        cr_expect_eq(read_pieces(FORM, whole, size, MULTIPART_ROOM_BYTES), ERR_MALFORMED,
                     "%zu bytes", size);
    cr_expect_eq(read_form(whole), OK);
}

Test(multipart, what_is_no_part_is_malformed)
{
    static const char *const others[] = {
        "--xxy\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" END,
        "--xx\r\n\r\n1\r\n" END,
        "--xx\r\nContent-Disposition: form-data\r\n\r\n1\r\n" END,
        "--xx\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n" END,
        "--xx\r\nContent-Disposition form-data; name=a\r\n\r\n1\r\n" END,
        "no boundary at all",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_eq(read_form(others[i]), ERR_MALFORMED, "%s", others[i]);
}

Test(multipart, headers_and_parts_have_limits)
{
    struct buffer form = {0};
    buffer_put_chars(&form, "--xx\r\nContent-Disposition: form-data; name=a\r\nX: ");
    for (unsigned i = 0; i < LIMIT_PART_HEADER_BYTES; i++)
        buffer_put_char(&form, 'x');
    buffer_put_chars(&form, "\r\n\r\n1\r\n" END);
    cr_expect_eq(read_pieces(FORM, form.data, form.size, 100), ERR_TOO_LARGE);
    cr_expect_eq(read_pieces(FORM, form.data, form.size, MULTIPART_ROOM_BYTES), ERR_TOO_LARGE);
    buffer_clear(&form);
    for (unsigned i = 0; i <= LIMIT_FORM_PARTS; i++)
        buffer_put_chars(&form, PART("name=a", "1"));
    buffer_put_chars(&form, END);
    cr_expect_eq(read_pieces(FORM, form.data, form.size, 100), ERR_TOO_LARGE);
    buffer_finish(&form);
}

Test(multipart, only_forms_with_a_boundary_are_read)
{
    static const char bytes[] = PART("name=a", "1") END;
    static const struct {
        const char *media_type;
        enum error error;
    } cases[] = {
        {NULL, ERR_MEDIA_TYPE},
        {"application/json", ERR_MEDIA_TYPE},
        {"application/x-www-form-urlencoded", ERR_MEDIA_TYPE},
        {"multipart/form-datax; boundary=xx", ERR_MEDIA_TYPE},
        {"multipart/form-data", ERR_MALFORMED},
        {"multipart/form-data; boundary=", ERR_MALFORMED},
        {"multipart/form-data; boundary=\"\"", ERR_MALFORMED},
        {"multipart/form-data; boundary=\"xx", ERR_MALFORMED},
        {"multipart/form-data; boundary=\"xx\"", OK},
        {"Multipart/Form-Data;charset=utf-8 ; BOUNDARY=xx", OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq(read_pieces(cases[i].media_type, bytes, sizeof bytes - 1, 10), cases[i].error,
                     "%s", cases[i].media_type);
}
