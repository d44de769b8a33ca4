// secret_file.c - see secret_file.h.
#include "proto/config/secret_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static fallible
check_not_empty_line(const char *source, const char *path, const char *line)
{
    return line[0] ? OK : fail(ERR_INVALID, "", "%s: %.120s is empty", source, path);
}

static fallible
read_line(const char *source, const char *path, char ret_line[SECRET_FILE_LINE_SIZE])
{
    FILE *file = fopen(path, "rbe");
    ret_line[0] = '\0';
    bool is_read = file && (fgets(ret_line, SECRET_FILE_LINE_SIZE, file) || !ferror(file));
    int reason = errno;
    if (file)
        fclose(file);
    if (!is_read)
        return fail(ERR_INVALID, "", "%s: cannot read %.120s: %s", source, path, strerror(reason));
    ret_line[strcspn(ret_line, "\r\n")] = '\0';
    return OK;
}

fallible
secret_file_read(const char *source, const char *path, char ret_line[SECRET_FILE_LINE_SIZE])
{
    TRY(read_line(source, path, ret_line));
    return check_not_empty_line(source, path, ret_line);
}

// Whether it is there and something else, as a pipe, which the start would wait for.
static bool
is_no_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

fallible
secret_file_read_uri(const char *source, const char *path, char ret_line[SECRET_FILE_LINE_SIZE])
{
    if (is_no_file(path))
        return fail(ERR_INVALID, "", "%s: %.120s is no regular file", source, path);
    TRY(read_line(source, path, ret_line));
    for (size_t size = strlen(ret_line); size > 0 && strchr(" \t", ret_line[size - 1]); size--)
        ret_line[size - 1] = '\0';
    return check_not_empty_line(source, path, ret_line);
}
