// arguments.c - knows the options that may stand before the name of a command. Pure.
#include "tools/cli/arguments.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "tools/cli/nearest.h"

struct shared_option {
    const char *name; // as it is typed
    bool has_value;
};

static const struct shared_option shared[] = {
    {"--url", true},   {"--http", true},  {"--profile", true},
    {"--json", false}, {"--help", false}, {"-h", false},
};

enum { SHARED_COUNT = sizeof shared / sizeof shared[0] };

static fallible
refuse(const char *argument, size_t size)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)size, argument);
    struct nearest nearest = {.word = word};
    for (size_t i = 0; i < SHARED_COUNT; i++)
        nearest_try(&nearest, shared[i].name);
    return fail(ERR_INVALID, "",
                "%s: stands before a command but is no option of all commands%s%s%s", word,
                nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
                nearest.best ? "?" : "");
}

// How many arguments the option at `argv[0]` takes: one, or two with its value.
static fallible
measure(int argc, char *const *argv, int *ret_count)
{
    size_t size = strcspn(argv[0], "=");
    for (size_t i = 0; i < SHARED_COUNT; i++) {
        if (strlen(shared[i].name) != size || memcmp(shared[i].name, argv[0], size) != 0)
            continue;
        *ret_count = shared[i].has_value && !argv[0][size] ? 2 : 1;
        return *ret_count <= argc ? OK : fail(ERR_INVALID, "", "%s: needs a value", argv[0]);
    }
    return refuse(argv[0], size);
}

fallible
arguments_arrange(int argc, char **argv, int (*words_of)(const char *first))
{
    char **options = memory_take((size_t)(argc + 1) * sizeof *options);
    int words = 0, wanted = 1, moved = 0, at = 0, count = 1;
    enum error error = OK;
    for (; at < argc && words < wanted && strcmp(argv[at], "--") != 0; at += count) {
        count = 1;
        if (argv[at][0] != '-' || !argv[at][1]) {
            wanted = words == 0 ? words_of(argv[at]) : wanted;
            argv[words++] = argv[at];
            continue;
        }
        error = measure(argc - at, argv + at, &count);
        if (error != OK)
            break;
        memcpy(options + moved, argv + at, (size_t)count * sizeof *options);
        moved += count;
    }
    if (error == OK)
        memcpy(argv + words, options, (size_t)moved * sizeof *options);
    free(options);
    return error;
}
