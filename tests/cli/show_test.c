// show_test.c - answers of each shape, as people read them.
#include "tools/cli/show.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/owned.h"

// Shows `answer` ("" = none) as the verb's row says, and gives the error of that.
static enum error
show(const char *noun, const char *name, const char *answer, char **ret_text)
{
    owned(arena_finish) struct arena arena = {0};
    const struct json *parsed = NULL;
    size_t size;
    FILE *out = open_memstream(ret_text, &size);
    if (answer[0])
        cr_assert_eq(json_parse(&arena, answer, strlen(answer), &parsed), OK);
    enum error error = show_answer(verb_find(noun_find(noun), name), parsed, out);
    fclose(out);
    return error;
}

static void
assert_shown(const char *noun, const char *name, const char *answer, const char *expected)
{
    char *text = NULL;
    cr_assert_eq(show(noun, name, answer, &text), OK);
    cr_assert_str_eq(text, expected);
    free(text);
}

Test(show, page_of_a_list_is_a_table)
{
    assert_shown("object", "find",
                 "{\"total\":1,\"next\":\"x\",\"objects\":[{\"key\":\"k\",\"name\":\"n\"}]}",
                 "key  name  type  subtype  owner  position\n"
                 "k    n     -     -        -      -\n");
}

Test(show, created_records_are_their_keys)
{
    assert_shown("object", "create",
                 "{\"err_code\":100,\"objects\":[{\"key\":\"a\"},{\"key\":\"b\"}]}", "a\nb\n");
    assert_shown("project", "create", "{\"id\":\"c\",\"name\":\"n\"}", "c\n");
    assert_shown("relationship", "create", "[{\"id\":\"d\"}]", "d\n");
}

Test(show, record_is_a_member_a_line)
{
    assert_shown("scene", "get",
                 "{\"scenes\":[{\"key\":\"k\",\"tags\":[\"a\",\"b\"],\"latitude\":0.5,"
                 "\"devices\":[{\"key\":\"d\"}],\"name\":\"\"}]}",
                 "key       k\ntags      a, b\nlatitude  0.5\ndevices   [{\"key\":\"d\"}]\n"
                 "name      -\n");
}

Test(show, matrix_is_four_rows)
{
    assert_shown("object", "get",
                 "{\"objects\":[{\"key\":\"k\",\"transform\":"
                 "[1,0,0,4,0,1,0,5,0,0,1,6,0,0,0,1]}]}",
                 "key        k\ntransform  1, 0, 0, 4\n           0, 1, 0, 5\n"
                 "           0, 0, 1, 6\n           0, 0, 0, 1\n");
}

Test(show, a_reply_is_what_stands_beside_its_records)
{
    assert_shown("object", "lease",
                 "{\"msg_type\":5,\"err_code\":100,\"num_records\":0,\"holder\":\"d1\",\"fence\":7,"
                 "\"objects\":[]}",
                 "holder  d1\nfence   7\n");
}

Test(show, no_record_is_not_found)
{
    char *text = NULL;
    cr_assert_eq(show("asset", "get", "[]", &text), ERR_NOT_FOUND);
    cr_assert_str_eq(text, "");
    cr_assert_str_eq(fault_last()->detail, "there is no such asset");
    free(text);
}

Test(show, table_has_the_columns_of_its_noun)
{
    assert_shown("collection", "list",
                 "[{\"id\":\"1\",\"name\":\"n\",\"category\":null,\"tags\":[],\"other\":7}]",
                 "id  name  category  tags  description\n1   n     -         -     -\n");
    assert_shown("user", "list", "[]", "id  username  email  isAdmin  isActive\n");
}

Test(show, position_is_picked_from_the_transform)
{
    assert_shown("object", "list",
                 "{\"objects\":[{\"key\":\"k\",\"transform\":[1,0,0,4,0,1,0,5,0,0,1,6,0,0,0,1]}]}",
                 "key  name  type  subtype  owner  position\nk    -     -     -        -      "
                 "4 5 6\n");
}

Test(show, verb_of_no_output_shows_nothing)
{
    assert_shown("object", "delete", "", "");
}
