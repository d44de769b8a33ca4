// settings.h - the table of settings, and how one is set, found and printed (config.h).
#ifndef DIORAMA_PROTO_CONFIG_SETTINGS_H
#define DIORAMA_PROTO_CONFIG_SETTINGS_H

#include "proto/config/config.h"

enum { SETTING_KEY_BYTES = 64 };

enum member_type { MEMBER_TEXT, MEMBER_BOOL, MEMBER_INTEGER };

struct setting {
    const char *key;          // section.name
    const char *by_default;   // as an operator would write it
    const char *about;        // one sentence
    const char *unit;         // "bytes" takes K, M, G and T; or NULL
    const char *choices;      // words separated by |, the value is the index of one; or NULL
    int64_t minimum, maximum; // of a number
    const char *(*check)(const char *value); // of a text, or NULL
    bool is_secret; // never shown; its twin KEY_file names the file that has it
    bool is_live;   // may change while the server runs
    size_t offset;
    enum member_type type;
};

// The rows. Rows of a section are neighbours. The last row has no key.
extern const struct setting settings[];

// The setting with this key, or NULL.
const struct setting *setting_find(const char *key);

// Whether `name` is a section: the part of a key before its dot.
bool setting_is_section(const char *name);

// Sets one setting; `source` tells the operator where the value was found. Fails with ERR_INVALID;
// the detail names source, value and what is allowed.
fallible setting_set(struct config *config, const struct setting *setting, const char *source,
                     const char *value);

// "default", "file", "env" or "flag": where its value was found.
const char *setting_from(const struct setting *setting, const struct config *config);
void setting_note_source(const struct setting *setting, struct config *config,
                         enum config_source source);

// Whether both have the same value of it.
bool setting_is_same(const struct setting *setting, const struct config *a, const struct config *b);

// Copies the value; a text is shared.
void setting_copy(const struct setting *setting, const struct config *from, struct config *to);

// Fails with ERR_INVALID; the detail names the nearest key.
fallible setting_unknown(const char *source, const char *key);

// The value as an operator would write it; *** for a secret.
void setting_print_value(const struct setting *setting, const struct config *config, FILE *out);

// The same, a text quoted for ZPL.
void setting_print(const struct setting *setting, const struct config *config, FILE *out);

// Frees the texts of all settings that were set; no struct config is read after it.
void settings_finish(void);

// The value of a setting that is a text.
const char *setting_text(const struct setting *setting, const struct config *config);

// "4096 ms", "4G", "none".
void setting_print_default(const struct setting *setting, FILE *out);

#endif
