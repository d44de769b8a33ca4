// make_golden.c - writes the golden packets of a folder, or says where they are not current:
//
//   make_golden [--check] tests/golden
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/golden.h"

static const struct {
    const char *form;
    void (*make)(struct golden *);
} files[] = {
    {"packed", golden_make_packed},     {"indexed", golden_make_indexed},
    {"plain", golden_make_plain},       {"sealed", golden_make_sealed},
    {"controls", golden_make_controls}, {"updates", golden_make_updates},
    {"pub", golden_make_pub},           {"sse", golden_make_sse},
    {"delta", golden_make_delta},
};

static bool
write_file(const char *path, const struct buffer *lines)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool is_written = fwrite(lines->data, 1, lines->size, file) == lines->size;
    return fclose(file) == 0 && is_written;
}

// Whether the file has these lines; says which is the first that differs.
static bool
check_file(const char *path, const struct buffer *lines)
{
    struct buffer found = {0};
    FILE *file = fopen(path, "r");
    char piece[1024];
    for (size_t size; file && (size = fread(piece, 1, sizeof piece, file)) > 0;)
        buffer_put(&found, piece, size);
    if (file)
        fclose(file);
    size_t at = 0;
    unsigned line = 1;
    while (at < found.size && at < lines->size && found.data[at] == lines->data[at])
        line += found.data[at++] == '\n';
    bool is_current = found.size == lines->size && at == found.size;
    buffer_finish(&found);
    if (!is_current)
        fprintf(stderr, "%s:%u is not what the encoders write now; make_golden writes it anew\n",
                path, line);
    return is_current;
}

int
main(int count, char **arguments)
{
    bool is_check = count == 3 && strcmp(arguments[1], "--check") == 0;
    bool is_fine = true;
    unsigned lines = 0;
    if (count != 2 + is_check)
        return fprintf(stderr, "Usage: make_golden [--check] FOLDER\n"), 2;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        struct golden golden = {.form = files[i].form};
        files[i].make(&golden);
        snprintf(path, sizeof path, "%s/%s.jsonl", arguments[count - 1], files[i].form);
        is_fine &= is_check ? check_file(path, &golden.lines) : write_file(path, &golden.lines);
        lines += golden.count;
        golden_finish(&golden);
    }
    printf("%u golden packets\n", lines);
    return is_fine ? 0 : 1;
}
