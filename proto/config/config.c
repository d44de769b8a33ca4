// config.c - the four sources of the values of settings, the weakest first. Runs once on the main
// thread before the others start.
#include "proto/config/config.h"

#include <ctype.h>
#include <czmq.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/config/config_check.h"
#include "proto/config/secret_file.h"
#include "proto/config/settings.h"

enum {
    SOURCE_BYTES = 128,
    VARIABLE_BYTES = SETTING_KEY_BYTES + 8,
    FILE_BYTES = 65536,
};

// clang-format off
static const struct action_row {
    const char *flag;
    enum config_action action;
    const char *about;
} actions[] = {
    {"check-config", CONFIG_CHECK,   "Say whether the settings are good, then end."},
    {"check-store",  CONFIG_STORE,   "Compare the indexes of the stored records with the records and mend them, then end."},
    {"print-config", CONFIG_PRINT,   "Print all settings as a file for --config, then end."},
    {"help",         CONFIG_HELP,    "Print this, then end."},
    {"version",      CONFIG_VERSION, "Print the version, then end."},
};
// clang-format on

static const struct action_row *
find_action(const char *flag)
{
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (strcmp(actions[i].flag, flag) == 0)
            return &actions[i];
    return NULL;
}

static fallible
set(struct config *config, const struct setting *setting, enum config_source from,
    const char *source, const char *value)
{
    TRY(setting_set(config, setting, source, value));
    setting_note_source(setting, config, from);
    return OK;
}

static fallible
load_defaults(struct config *config)
{
    for (const struct setting *setting = settings; setting->key; setting++)
        TRY(setting_set(config, setting, "default", setting->by_default));
    return OK;
}

// Sets the settings below `node`; `prefix` is the key of `node`, "" for the root.
static fallible
load_branch(struct config *config, const char *path, zconfig_t *node, const char *prefix)
{
    for (zconfig_t *child = zconfig_child(node); child; child = zconfig_next(child)) {
        char key[SETTING_KEY_BYTES], source[SOURCE_BYTES];
        snprintf(key, sizeof(key), "%s%s%s", prefix, *prefix ? "." : "", zconfig_name(child));
        const struct setting *setting = setting_find(key);
        bool is_section = setting_is_section(key), has_value = *zconfig_value(child) != '\0';
        if (!setting && (!is_section || has_value))
            return setting_unknown(path, key);
        if (setting && (!is_section || has_value)) { // a setting may be a section too: follow
            snprintf(source, sizeof(source), "%.60s: %s", path, key);
            TRY(set(config, setting, FROM_FILE, source, zconfig_value(child)));
        }
        if (is_section)
            TRY(load_branch(config, path, child, key));
    }
    return OK;
}

static void
close_file(FILE **file)
{
    if (*file)
        fclose(*file);
}

static void
destroy_chunk(zchunk_t **self)
{
    zchunk_destroy(self);
}

static void
destroy_zconfig(zconfig_t **self)
{
    zconfig_destroy(self);
}

// Not zconfig_load: it does not say why a file cannot be read, and it leaks in czmq 4.2.
static fallible
read_file(const char *path, zchunk_t **ret_content)
{
    owned(close_file) FILE *file = fopen(path, "rbe");
    zchunk_t *content = file ? zchunk_read(file, FILE_BYTES) : NULL;
    if (!content || ferror(file)) {
        zchunk_destroy(&content);
        return fail(ERR_INVALID, "", "--config: cannot read %.120s: %s", path, strerror(errno));
    }
    *ret_content = content;
    return OK;
}

static fallible
load_file(struct config *config, const char *path)
{
    if (!path)
        return OK;
    owned(destroy_chunk) zchunk_t *content = NULL;
    TRY(read_file(path, &content));
    owned(destroy_zconfig) zconfig_t *root = zconfig_chunk_load(content);
    if (!root || zchunk_size(content) == FILE_BYTES)
        return fail(ERR_INVALID, "", "--config: %.120s is not a ZPL file of less than 64 KiB",
                    path);
    return load_branch(config, path, root, "");
}

// http.cors_origins -> DIORAMA_HTTP_CORS_ORIGINS
static void
variable_of(const char *key, char *ret_name)
{
    size_t size = (size_t)sprintf(ret_name, "DIORAMA_");
    for (; *key; key++)
        ret_name[size++] = *key == '.' ? '_' : (char)toupper((unsigned char)*key);
    ret_name[size] = '\0';
}

// Refuses a variable that begins like ours (DIORAMA_HTTP_) but names no setting.
static fallible
check_variable(const char *variable)
{
    char key[SETTING_KEY_BYTES], known[VARIABLE_BYTES];
    size_t size = strcspn(variable, "=");
    if (strncmp(variable, "DIORAMA_", 8) != 0 || size - 8 >= sizeof(key))
        return OK;
    for (size_t i = 0; i < size - 8; i++)
        key[i] = (char)tolower((unsigned char)variable[8 + i]);
    key[size - 8] = '\0';
    char *dot = strchr(key, '_');
    if (!dot)
        return OK;
    *dot = '\0';
    if (!setting_is_section(key))
        return OK;
    *dot = '.';
    variable_of(key, known);
    return setting_find(key) ? OK : setting_unknown(known, key);
}

static fallible
load_environment(struct config *config)
{
    for (const struct setting *setting = settings; setting->key; setting++) {
        char name[VARIABLE_BYTES];
        variable_of(setting->key, name);
        const char *value = getenv(name);
        if (value)
            TRY(set(config, setting, FROM_ENVIRONMENT, name, value));
    }
    for (char **variable = environ; *variable; variable++)
        TRY(check_variable(*variable));
    return OK;
}

// The parts of one argument: `--name=value`; `--name value`, with the value in the next argument;
// or an action without a value.
struct flag {
    char words[SETTING_KEY_BYTES + 2]; // with the dashes
    const struct action_row *action;   // not NULL: it is an action
    const struct setting *setting;     // not NULL: it is a setting
    bool is_file;                      // it is --config
    const char *value;                 // of a setting or of --config
};

// Finds out what the name of a flag means.
static fallible
find_flag(struct flag *flag, bool has_value)
{
    const char *name = flag->words + 2;
    flag->is_file = strcmp(name, "config") == 0;
    flag->setting = setting_find(name);
    flag->action = has_value ? NULL : find_action(name);
    bool known = flag->is_file || flag->setting || flag->action;
    return known ? OK : setting_unknown(flag->words, name);
}

// Reads the flag at argv[*index] and moves *index behind it.
static fallible
next_flag(int argc, char *const *argv, int *index, struct flag *ret_flag)
{
    const char *argument = argv[*index];
    if (strncmp(argument, "--", 2) != 0 || !argument[2])
        return fail(ERR_INVALID, "",
                    "%.60s: only flags such as --http.port=8080 are known; see --help", argument);
    struct flag flag = {0};
    size_t size = strcspn(argument, "=");
    snprintf(flag.words, sizeof(flag.words), "%.*s", (int)size, argument);
    TRY(find_flag(&flag, argument[size] == '='));
    *index += 1;
    if (argument[size] == '=')
        flag.value = argument + size + 1;
    else if (!flag.action) {
        if (*index >= argc)
            return fail(ERR_INVALID, "", "%s needs a value", flag.words);
        flag.value = argv[(*index)++];
    }
    *ret_flag = flag;
    return OK;
}

// Finds the file and the action, which must be known before any value is set.
static fallible
scan_flags(int argc, char *const *argv, const char **ret_file, enum config_action *ret_action)
{
    for (int i = 1; i < argc;) {
        struct flag flag;
        TRY(next_flag(argc, argv, &i, &flag));
        if (flag.action)
            *ret_action = flag.action->action;
        if (flag.is_file)
            *ret_file = flag.value;
    }
    return OK;
}

static fallible
load_flags(struct config *config, int argc, char *const *argv)
{
    for (int i = 1; i < argc;) {
        struct flag flag;
        TRY(next_flag(argc, argv, &i, &flag));
        if (flag.setting)
            TRY(set(config, flag.setting, FROM_FLAG, flag.words, flag.value));
    }
    return OK;
}

// Reads the one line of a secret's file.
static fallible
read_secret(struct config *config, const struct setting *secret, const char *source,
            const char *path)
{
    char line[SECRET_FILE_LINE_SIZE];
    bool is_uri = strcmp(secret->key, "store.uri") == 0;
    TRY((is_uri ? secret_file_read_uri : secret_file_read)(source, path, line));
    enum error error = set(config, secret, FROM_FILE, source, line);
    explicit_bzero(line, sizeof line);
    return error;
}

// A secret that was not given itself is read from the file that its twin, KEY_file, names.
static fallible
load_secrets(struct config *config)
{
    for (const struct setting *secret = settings; secret->key; secret++) {
        char key[SETTING_KEY_BYTES];
        if (!secret->is_secret)
            continue;
        snprintf(key, sizeof key, "%s_file", secret->key);
        const char *path = setting_text(setting_find(key), config);
        if (*path && *setting_text(secret, config))
            return fail(ERR_INVALID, "", "%s and %s: only one of them may be set", secret->key,
                        key);
        if (*path)
            TRY(read_secret(config, secret, key, path));
    }
    return OK;
}

fallible
config_load(int argc, char *const *argv, struct config *ret_config, enum config_action *ret_action)
{
    struct config config = {0};
    enum config_action action = CONFIG_RUN;
    const char *file = NULL;
    TRY(load_defaults(&config));
    TRY(scan_flags(argc, argv, &file, &action));
    // Help is shown also if the settings are wrong.
    if (action != CONFIG_HELP && action != CONFIG_VERSION) {
        TRY(load_file(&config, file));
        TRY(load_environment(&config));
        TRY(load_flags(&config, argc, argv));
        TRY(load_secrets(&config));
        TRY(config_check(&config));
    }
    *ret_config = config;
    *ret_action = action;
    return OK;
}

fallible
config_reload(int argc, char *const *argv, struct config *config)
{
    struct config fresh;
    enum config_action action;
    TRY(config_load(argc, argv, &fresh, &action));
    for (const struct setting *setting = settings; setting->key; setting++) {
        if (setting_is_same(setting, config, &fresh))
            continue;
        if (setting->is_live)
            setting_copy(setting, &fresh, config);
        log_event(setting->is_live ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
                  setting->is_live ? "setting_changed" : "setting_needs_restart", "key=%s",
                  setting->key);
    }
    return OK;
}

// Whether the keys begin with the same word.
static bool
share_section(const char *key, const char *other)
{
    size_t size = strcspn(key, ".");
    return strcspn(other, ".") == size && strncmp(key, other, size) == 0;
}

void
config_print(const struct config *config, FILE *out)
{
    const char *before = "";
    for (const struct setting *setting = settings; setting->key; setting++) {
        const char *dot = strchr(setting->key, '.');
        if (dot && !share_section(before, setting->key))
            fprintf(out, "%.*s\n", (int)(dot - setting->key), setting->key);
        fprintf(out, "%s%s = ", dot ? "    " : "", dot ? dot + 1 : setting->key);
        setting_print(setting, config, out);
        fputc('\n', out);
        before = setting->key;
    }
}

void
config_help(FILE *out)
{
    fprintf(out,
            "Settings, as flags (--http.port=8080), environment (DIORAMA_HTTP_PORT=8080) or a\n"
            "ZPL file (--config=FILE); the first of these wins.\n\n");
    for (const struct setting *setting = settings; setting->key; setting++) {
        fprintf(out, "  --%-22s %s", setting->key, setting->about);
        if (setting->choices)
            fprintf(out, " %s.", setting->choices);
        fputs(" Default ", out);
        setting_print_default(setting, out);
        fputs(".\n", out);
    }
    fprintf(out, "\n  --%-22s %s\n", "config=FILE", "Read settings from this ZPL file.");
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        fprintf(out, "  --%-22s %s\n", actions[i].flag, actions[i].about);
}
