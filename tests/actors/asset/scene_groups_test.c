// scene_groups_test.c - groups of scenes by their names.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tests/support/library_service.h"

// The groups of a reply and their scenes: "a(s1,s2) b()".
static const char *
shown(const struct message *answer)
{
    static char words[256];
    size_t size = 0;
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    const struct records *groups = reply_project(answer, 0)->groups;
    for (uint32_t i = 0; groups && i < groups->count; i++) {
        const struct scene_group *group = (const struct scene_group *)(void *)groups->items[i];
        size += (size_t)snprintf(words + size, sizeof words - size, "%s%s(", i ? " " : "",
                                 text_chars(group->name));
        for (size_t j = 0; j < texts_count(group->scenes); j++)
            size += (size_t)snprintf(words + size, sizeof words - size, "%s%s", j ? "," : "",
                                     text_chars(group->scenes->items[j]));
        size += (size_t)snprintf(words + size, sizeof words - size, ")");
    }
    words[size] = '\0';
    return words;
}

// That the request (whose answer is taken) succeeded, and what the project's groups are then: in
// the answer and when read.
static void
check_groups(struct library *library, const char *project, struct message *answer,
             const char *expected)
{
    cr_assert_str_eq(shown(answer), expected);
    message_destroy(&answer);
    owned(message_destroy) struct message *read = ASK(library, PROJECT_GET, .project = project);
    cr_assert_str_eq(shown(read), expected);
}

#define SHOWS(expected, library, project_, operation_, ...)                                        \
    check_groups(library, project_, ASK(library, operation_, .project = (project_), __VA_ARGS__),  \
                 expected)

LIBRARY_TEST(groups, come_and_change_and_go_in_order)
{
    struct library_id p =
        MAKE(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'a'}]}");
    SHOWS("a() b()", library, p.chars, GROUP_CREATE, .records = "{'name':'b'}");
    SHOWS("a() b() c(x)", library, p.chars, GROUP_CREATE, .records = "{'name':'c','scenes':['x']}");
    SHOWS("a() d() c(x)", library, p.chars, GROUP_UPDATE, .group = "b",
          .records = "{'name':'d','category':'k'}");
    SHOWS("a() d(s) c(x)", library, p.chars, GROUP_ADD_SCENE, .group = "d", .scene = "s");
    SHOWS("a() d(s) c(x)", library, p.chars, GROUP_ADD_SCENE, .group = "d", .scene = "s");
    SHOWS("a() d(s,t) c(x)", library, p.chars, GROUP_ADD_SCENE, .group = "d", .scene = "t");
    SHOWS("a() d(t) c(x)", library, p.chars, GROUP_DROP_SCENE, .group = "d", .scene = "s");
    SHOWS("a() d(t) c(x)", library, p.chars, GROUP_DROP_SCENE, .group = "d", .scene = "s");
    SHOWS("d(t) c(x)", library, p.chars, GROUP_DELETE, .group = "a");
    SHOWS("d(t)", library, p.chars, GROUP_DELETE, .group = "c");
    SHOWS("", library, p.chars, GROUP_DELETE, .group = "d");
    library_restart(library);
    SHOWS("e()", library, p.chars, GROUP_CREATE, .records = "{'name':'e'}");
}

LIBRARY_TEST(groups, an_update_keeps_what_it_does_not_say)
{
    struct library_id p =
        MAKE(library, PROJECT_CREATE,
             .records =
                 "{'sceneGroups':[{'name':'a','description':'d','category':'c','scenes':['s']}]}");
    owned(message_destroy) struct message *answer = ASK(
        library, GROUP_UPDATE, .project = p.chars, .group = "a", .records = "{'category':'new'}");
    cr_assert_str_eq(shown(answer), "a(s)");
    const struct scene_group *group =
        (const struct scene_group *)(void *)reply_project(answer, 0)->groups->items[0];
    cr_assert(text_is(group->description, "d"));
    cr_assert(text_is(group->category, "new"));
}

LIBRARY_TEST(groups, no_two_of_a_project_have_one_name)
{
    struct library_id p =
        MAKE(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'a'},{'name':'b'}]}");
    struct library_id other = MAKE(library, PROJECT_CREATE, .records = "{}");
    cr_assert_eq(DO(library, GROUP_CREATE, .project = p.chars, .records = "{'name':'a'}"),
                 ERR_CONFLICT);
    cr_assert_eq(
        DO(library, GROUP_UPDATE, .project = p.chars, .group = "b", .records = "{'name':'a'}"),
        ERR_CONFLICT);
    cr_assert_eq(
        DO(library, GROUP_UPDATE, .project = p.chars, .group = "b", .records = "{'name':'b'}"), OK);
    cr_assert_eq(DO(library, GROUP_CREATE, .project = other.chars, .records = "{'name':'a'}"), OK);
    cr_assert_eq(
        DO(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'a'},{'name':'a'}]}"),
        ERR_CONFLICT);
}

LIBRARY_TEST(groups, each_has_a_name)
{
    struct library_id p =
        MAKE(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'a'}]}");
    cr_assert_eq(DO(library, GROUP_CREATE, .project = p.chars, .records = "{'category':'c'}"),
                 ERR_MISSING);
    cr_assert_eq(
        DO(library, GROUP_UPDATE, .project = p.chars, .group = "a", .records = "{'name':''}"),
        ERR_MISSING);
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'a'},{'scenes':['s']}]}");
    cr_assert_eq(answer->reply.fault.error, ERR_MISSING);
    cr_assert_str_eq(answer->reply.fault.pointer, "/sceneGroups/1/name");
}

LIBRARY_TEST(groups, of_another_name_are_not_found)
{
    static const enum operation operations[] = {GROUP_UPDATE, GROUP_DELETE, GROUP_ADD_SCENE,
                                                GROUP_DROP_SCENE};
    struct library_id p =
        MAKE(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'a'}]}");
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const char *body = operations[i] == GROUP_UPDATE ? "{}" : NULL;
        cr_assert_eq(DO(library, operations[i], .project = p.chars, .group = "A", .scene = "s",
                        .records = body),
                     ERR_NOT_FOUND);
        cr_assert_eq(DO(library, operations[i], .project = "none", .group = "a", .scene = "s",
                        .records = body),
                     ERR_NOT_FOUND);
    }
}

LIBRARY_TEST(groups, are_at_most_as_many_as_their_limit)
{
    struct library_id p = MAKE(library, PROJECT_CREATE, .records = "{}");
    uint64_t last = 0;
    for (int i = 0; i < LIMIT_GROUPS; i++) {
        char record[32];
        snprintf(record, sizeof record, "{'name':'g%d'}", i);
        last = SEND(library, GROUP_CREATE, .project = p.chars, .records = record);
    }
    cr_assert_eq(asker_outcome(&library->asker, last), OK);
    cr_assert_eq(DO(library, GROUP_CREATE, .project = p.chars, .records = "{'name':'more'}"),
                 ERR_INVALID);
    owned(message_destroy) struct message *answer = ASK(library, PROJECT_GET, .project = p.chars);
    cr_assert_eq(reply_project(answer, 0)->groups->count, LIMIT_GROUPS);
}

// The second is refused by what is staged, though no reader sees that yet.
LIBRARY_TEST(groups, of_one_name_asked_for_at_once_are_one)
{
    struct library_id p = MAKE(library, PROJECT_CREATE, .records = "{}");
    gate_close(library->store, GATE_COMMITS);
    uint64_t first = SEND(library, GROUP_CREATE, .project = p.chars, .records = "{'name':'a'}");
    uint64_t second = SEND(library, GROUP_CREATE, .project = p.chars, .records = "{'name':'a'}");
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, first), OK);
    cr_assert_eq(asker_outcome(&library->asker, second), ERR_CONFLICT);
}
