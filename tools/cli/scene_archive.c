// scene_archive.c - see scene_archive.h: reads archives of scenes.
#include "tools/cli/scene_archive.h"

#include <string.h>

#include "proto/base/owned.h"
#include "store/backup/digest_list.h"
#include "store/backup/sha256.h"
#include "store/backup/tar_file.h"
#include "tools/cli/json_value.h"

enum { ENTRY_MOST = 1 << 30 };

fallible
scene_archive_damaged(const char *file, const char *name, const char *what)
{
    return fail(ERR_INVALID, "", "%s is damaged, or no archive of a scene: %.100s %s", file, name,
                what);
}

static fallible
read_entry(const char *file, tar_reader_t *tar, const char *name, uint64_t size, struct buffer *out)
{
    buffer_clear(out);
    if (size > ENTRY_MOST)
        return scene_archive_damaged(file, name, "is too long");
    buffer_reserve(out, size + 1);
    for (size_t got = 1; got > 0; out->size += got)
        TRY(tar_reader_read(tar, out->data + out->size, size - out->size, &got));
    return out->size == size ? OK : scene_archive_damaged(file, name, "ends early");
}

fallible
scene_archive_walk(const char *file, scene_archive_visitor *visit, void *context)
{
    owned(tar_reader_destroy) tar_reader_t *tar = NULL;
    owned(buffer_finish) struct buffer data = {0};
    const char *name;
    uint64_t size = 0;
    TRY(tar_reader_create(file, &tar));
    for (;;) {
        TRY(tar_reader_next(tar, &name, &size));
        if (!name)
            return OK;
        TRY(read_entry(file, tar, name, size, &data));
        TRY(visit(context, name, &data));
    }
}

struct verifying {
    const char *file;
    struct buffer sums; // lines that SHA256SUMS must have
    bool is_complete;
};

static void
verifying_finish(struct verifying *self)
{
    buffer_finish(&self->sums);
}

static fallible
check_manifest(const char *file, const char *name, const struct buffer *data)
{
    struct arena arena = {0};
    const struct json *json;
    uint64_t form = 0;
    if (strcmp(name, "manifest.json") == 0 &&
        json_parse(&arena, data->data, data->size, &json) == OK)
        form = json_value_unsigned(json, "scene_form", 0);
    arena_finish(&arena);
    if (form == 0)
        return scene_archive_damaged(file, name, "is no manifest of a scene");
    if (form > SCENE_ARCHIVE_FORM)
        return fail(ERR_INVALID, "", "%s is of form %llu; this version reads forms up to %d", file,
                    (unsigned long long)form, SCENE_ARCHIVE_FORM);
    return OK;
}

static fallible
verify_entry(void *context, const char *name, const struct buffer *data)
{
    struct verifying *self = context;
    owned(sha256_finish) struct sha256 sha256 = {NULL};
    struct file_digest digest;
    if (self->is_complete)
        return scene_archive_damaged(self->file, name, "comes behind the end");
    if (strcmp(name, digest_list_name) == 0) {
        self->is_complete = data->size == self->sums.size && data->size > 0 &&
                            memcmp(data->data, self->sums.data, data->size) == 0;
        return self->is_complete ? OK
                                 : scene_archive_damaged(self->file, name, "is not of these files");
    }
    if (self->sums.size == 0)
        TRY(check_manifest(self->file, name, data));
    sha256_begin(&sha256);
    sha256_add(&sha256, data->data, data->size);
    sha256_end(&sha256, &digest);
    digest_line_put(&digest, name, &self->sums);
    return OK;
}

fallible
scene_archive_verify(const char *file)
{
    owned(verifying_finish) struct verifying self = {.file = file};
    TRY(scene_archive_walk(file, verify_entry, &self));
    return self.is_complete
               ? OK
               : scene_archive_damaged(file, digest_list_name, "is missing: it ends early");
}
