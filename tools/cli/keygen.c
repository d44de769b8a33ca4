// keygen.c - `diorama keygen`: makes a pair of CURVE keys for a subscriber of PUB.
#include <stdio.h>

#include "proto/feed/curve.h"
#include "tools/cli/command.h"

struct keygen_values {
    const char *path;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct keygen_values, path, "FILE", NULL, NULL, "File for the public key, such as alice.key; the secret key goes to FILE_secret.", .is_operand = true),
};
// clang-format on

static const char more[] =
    "Prints the public key. Copy FILE to the folder clients/ of the server's pub.curve_dir. Keep\n"
    "FILE_secret. Subscribe with diorama watch --curve-key FILE --curve-server-key server.key, "
    "where\n"
    "server.key is the server's.\n";

static enum outcome
keygen_run(const void *untyped)
{
    const struct keygen_values *values = untyped;
    struct curve_keys keys;
    enum error error = curve_keys_make(values->path, &keys);
    if (error != OK)
        return command_failed("keygen", error, OUTCOME_FILE);
    puts(keys.open);
    fprintf(stderr,
            "keygen: this is the public key, also in %s, which the server needs in clients/ of its "
            "pub.curve_dir; %s_secret stays here\n",
            values->path, values->path);
    return OUTCOME_DONE;
}

const struct command keygen_command = {
    .name = "keygen",
    .about = "Make a pair of keys for subscribing to a server with pub.curve_dir.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct keygen_values),
    .run = keygen_run,
};
