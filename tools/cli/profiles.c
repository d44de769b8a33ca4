// profiles.c - the file of profiles: JSON, {"current":"…","profiles":{"…":{"url":…}}}.
#include "tools/cli/profiles.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tools/cli/file_text.h"
#include "tools/cli/json_value.h"

enum { NAME_MAX_BYTES = 64 };

// Writes the path of the folder, with its NUL.
static fallible
put_folder(struct buffer *out)
{
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    if (base && base[0] == '/')
        buffer_put_format(out, "%s/diorama", base);
    else if (home && home[0])
        buffer_put_format(out, "%s/.config/diorama", home);
    else
        return fail(ERR_UNAVAILABLE, "", "neither XDG_CONFIG_HOME nor HOME is set");
    buffer_put_char(out, '\0');
    return OK;
}

// Writes the path of the file, with its NUL.
static fallible
put_path(struct buffer *out)
{
    TRY(put_folder(out));
    out->size--;
    buffer_put(out, "/profiles", sizeof "/profiles");
    return OK;
}

static const char *
keep(struct profiles *self, const struct json *object, const char *name)
{
    const char *chars = json_value_chars(object, name, "");
    return arena_copy(&self->arena, chars, strlen(chars) + 1);
}

static fallible
take_profiles(struct profiles *self, const struct json *file)
{
    const struct json *profiles = json_find(file, "profiles");
    if (!profiles || profiles->type != JSON_OBJECT || profiles->count > PROFILES_MAX)
        return fail(ERR_MALFORMED, "", "it is no file of profiles");
    for (uint32_t i = 0; i < profiles->count; i++) {
        const struct json_member *member = &profiles->members[i];
        struct profile *profile = &self->items[self->count++];
        profile->name =
            arena_copy(&self->arena, text_bytes(member->name), text_size(member->name) + 1);
        profile->url = keep(self, &member->value, "url");
        profile->username = keep(self, &member->value, "username");
        profile->token = keep(self, &member->value, "token");
    }
    const char *current = json_value_chars(file, "current", "");
    const struct profile *found = profiles_find(self, current);
    self->current = found ? found->name : NULL;
    return OK;
}

fallible
profiles_read(struct profiles *self)
{
    owned(buffer_finish) struct buffer path = {0};
    owned(buffer_finish) struct buffer text = {0};
    const struct json *file;
    struct stat status;
    if (put_path(&path) != OK)
        return OK;
    if (stat(path.data, &status) < 0)
        return errno == ENOENT || errno == ENOTDIR ? OK : file_text_failed(path.data);
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return fail(ERR_FORBIDDEN, "", "%s: others may read it; run chmod 600 on it", path.data);
    TRY(file_text_read(path.data, &text));
    if (json_parse(&self->arena, text.data, text.size, &file) == OK &&
        take_profiles(self, file) == OK)
        return OK;
    return fail(ERR_MALFORMED, "", "%s: is no file of profiles", path.data);
}

static void
put_member(struct buffer *out, const char *name, const char *value)
{
    if (!value || !value[0])
        return;
    buffer_put_format(out, "%s\"%s\":", out->data[out->size - 1] == '{' ? "" : ",", name);
    json_value_put_chars(out, value);
}

static void
put_text(struct buffer *out, const struct profiles *self)
{
    buffer_put_char(out, '{');
    put_member(out, "current", self->current);
    buffer_put_chars(out, self->current ? ",\"profiles\":{" : "\"profiles\":{");
    for (size_t i = 0; i < self->count; i++) {
        const struct profile *profile = &self->items[i];
        buffer_put_chars(out, i ? ",\n" : "\n");
        json_value_put_chars(out, profile->name);
        buffer_put_chars(out, ":{");
        put_member(out, "url", profile->url);
        put_member(out, "username", profile->username);
        put_member(out, "token", profile->token);
        buffer_put_char(out, '}');
    }
    buffer_put_chars(out, "\n}}\n");
}

// Makes the folder and those above it, unless they exist.
static fallible
make_folder(void)
{
    owned(buffer_finish) struct buffer path = {0};
    TRY(put_folder(&path));
    for (char *slash = strchr(path.data + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path.data, 0700); // the last mkdir reports a failure
        *slash = '/';
    }
    if (mkdir(path.data, 0700) < 0 && errno != EEXIST)
        return file_text_failed(path.data);
    return OK;
}

fallible
profiles_write(const struct profiles *self)
{
    owned(buffer_finish) struct buffer path = {0};
    owned(buffer_finish) struct buffer text = {0};
    TRY(make_folder());
    TRY(put_path(&path));
    put_text(&text, self);
    return file_text_replace(path.data, &text);
}

void
profiles_finish(struct profiles *self)
{
    arena_finish(&self->arena);
}

struct profile *
profiles_find(struct profiles *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->items[i].name, name) == 0)
            return &self->items[i];
    return NULL;
}

static bool
is_name(const char *name)
{
    size_t size = strlen(name);
    return size >= 1 && size <= NAME_MAX_BYTES &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
               size;
}

fallible
profiles_take_url(struct profiles *self, const char *url, const char **ret_url)
{
    const char *host = strncmp(url, "http://", 7) == 0    ? url + 7
                       : strncmp(url, "https://", 8) == 0 ? url + 8
                                                          : "";
    bool is_plain = !strpbrk(host, " \"\\@?#<>");
    for (const char *byte = host; *byte; byte++)
        is_plain = is_plain && (unsigned char)*byte > ' ' && *byte != 0x7f;
    if (!host[0] || host[0] == '/' || !is_plain)
        return fail(ERR_INVALID, "", "%s: must be like http://127.0.0.1:8080", url);
    size_t size = strlen(url);
    while (url[size - 1] == '/')
        size--;
    *ret_url = text_chars(text_new(&self->arena, url, size));
    return OK;
}

fallible
profiles_add(struct profiles *self, const struct profile *profile)
{
    if (!is_name(profile->name))
        return fail(ERR_INVALID, "", "%s: a name is 1 to 64 of A-Z a-z 0-9 . _ -", profile->name);
    const char *url;
    TRY(profiles_take_url(self, profile->url, &url));
    if (profiles_find(self, profile->name))
        return fail(ERR_INVALID, "", "the profile %s exists already", profile->name);
    if (self->count == PROFILES_MAX)
        return fail(ERR_INVALID, "", "there are %d profiles already", PROFILES_MAX);
    self->items[self->count] = *profile;
    self->items[self->count++].url = url;
    if (!self->current)
        self->current = profile->name;
    return OK;
}

void
profiles_remove(struct profiles *self, const struct profile *profile)
{
    size_t index = (size_t)(profile - self->items);
    if (self->current && strcmp(self->current, profile->name) == 0)
        self->current = NULL;
    self->count--;
    memmove(&self->items[index], &self->items[index + 1],
            (self->count - index) * sizeof self->items[0]);
}
