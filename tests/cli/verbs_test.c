// verbs_test.c - rules that every row of the table of verbs keeps.
#include "tools/cli/verbs.h"

#include <criterion/criterion.h>
#include <string.h>

Test(verbs, verb_of_a_noun_has_one_row)
{
    for (size_t i = 0; i < verbs_count; i++)
        cr_assert_eq(verb_find(verbs[i].noun, verbs[i].name), &verbs[i], "%s %s",
                     verbs[i].noun->name, verbs[i].name);
}

Test(verbs, every_noun_is_listed_and_has_verbs)
{
    for (size_t i = 0; i < nouns_count; i++) {
        size_t count = 0;
        for (size_t row = 0; row < verbs_count; row++)
            count += verbs[row].noun == nouns[i];
        cr_assert_gt(count, 0, "%s", nouns[i]->name);
    }
    for (size_t row = 0; row < verbs_count; row++)
        cr_assert_eq(noun_find(verbs[row].noun->name), verbs[row].noun);
}

Test(verbs, every_noun_has_examples_that_begin_with_it)
{
    for (size_t i = 0; i < nouns_count; i++) {
        const char *name = nouns[i]->name, *examples = nouns[i]->examples;
        size_t size = strlen(name);
        cr_assert(examples && strncmp(examples, name, size) == 0 && examples[size] == ' ', "%s",
                  name);
    }
}

Test(verbs, row_asks_for_a_request_that_can_be_made)
{
    for (size_t i = 0; i < verbs_count; i++) {
        const struct verb *verb = &verbs[i];
        if (verb->command)
            continue;
        cr_assert(verb->path && verb->path[0] == '/' && verb->about, "%s %s", verb->noun->name,
                  verb->name);
        cr_assert(verb->input != INPUT_RECORD || verb->body, "%s", verb->name);
        cr_assert(!verb->body || (strchr(verb->body, '*') && strcmp(verb->method, "GET") != 0),
                  "%s", verb->name);
        cr_assert(verb->output != OUTPUT_TABLE || verb->noun->columns, "%s", verb->name);
        cr_assert(!verb->paging || verb->output == OUTPUT_TABLE, "%s", verb->name);
    }
}

Test(verbs, operands_are_the_names_in_the_path)
{
    const char *names[VERB_OPERANDS_MAX];
    size_t sizes[VERB_OPERANDS_MAX];
    const struct verb *lock = verb_find(noun_find("object"), "lock");
    cr_assert_eq(verb_operands(lock, names, sizes), 3);
    cr_assert(sizes[0] == strlen("scene") && memcmp(names[0], "scene", sizes[0]) == 0);
    cr_assert(sizes[2] == strlen("device") && memcmp(names[2], "device", sizes[2]) == 0);
}

Test(verbs, nothing_of_another_name_is_found)
{
    cr_assert_null(noun_find("scenes"));
    cr_assert_null(verb_find(noun_find("scene"), "ge"));
}
