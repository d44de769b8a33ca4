// config_fuzz.c - settings: flags, one a line, up to an empty line; a ZPL file behind it. What is
// accepted prints as a file that is accepted and prints the same, secrets aside.
#include <czmq.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/config/config.h"
#include "proto/config/settings.h"
#include "tests/fuzz/fuzz.h"

enum { FLAGS_MAX = 16, PATH_SIZE = 64 };

static char program[] = "dioramad";

// A file that is gone when it is closed.
static int
file_of(const char *data, size_t size, char *ret_flag)
{
    int file = memfd_create("config", MFD_CLOEXEC);
    must(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(ret_flag, PATH_SIZE, "--config=/proc/self/fd/%d", file);
    return file;
}

static void
print(const struct config *config, char **ret_data, size_t *ret_size)
{
    FILE *out = open_memstream(ret_data, ret_size);
    must(out);
    config_print(config, out);
    fclose(out);
}

static void
check_print(const struct config *config)
{
    struct config again;
    enum config_action action;
    char *once, *twice, flag[PATH_SIZE];
    size_t once_size, twice_size;
    print(config, &once, &once_size);
    if (strstr(once, "***")) {
        free(once);
        return;
    }
    int file = file_of(once, once_size, flag);
    must(config_load(2, (char *[]){program, flag, NULL}, &again, &action) == OK);
    print(&again, &twice, &twice_size);
    must(once_size == twice_size && memcmp(once, twice, once_size) == 0);
    close(file);
    free(once);
    free(twice);
}

static int
read_flags(struct arena *arena, struct input *input, char **ret_flags)
{
    int count = 0;
    while (input->size && count < FLAGS_MAX) {
        char *line = input_line(input, arena);
        if (!*line)
            break;
        // Files of the machine are none of ours.
        if (strncmp(line, "--config", 8) != 0 && !strstr(line, "_file"))
            ret_flags[count++] = line;
    }
    return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    struct config config;
    enum config_action action;
    char flag[PATH_SIZE], *flags[FLAGS_MAX + 3] = {program, flag};
    int count = 2 + read_flags(&arena, &input, flags + 2);
    int file = file_of(input.data, input.size, flag);
    zsys_set_logstream(NULL);
    if (config_load(count, flags, &config, &action) == OK &&
        (action == CONFIG_RUN || action == CONFIG_PRINT || action == CONFIG_CHECK))
        check_print(&config);
    close(file);
    settings_finish();
    arena_finish(&arena);
    return 0;
}
