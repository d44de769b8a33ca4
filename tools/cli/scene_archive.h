// scene_archive.h - `diorama scene export` and `scene import`: one scene with what it needs, as one
// tar file:
//
//   manifest.json         {"scene_form":1}
//   scene.json            its record
//   assets/<key>.json     the record of an asset, followed by
//   assets/<key>          its bytes, and where it has one
//   thumbnails/<key>      its small picture
//   objects.jsonl         an object a line, with its actions
//   properties.jsonl      the same of properties
//   relationships.jsonl   the same of what links assets to any of them
//   SHA256SUMS            of all files before it, as sha256sum(1) writes it
#ifndef DIORAMA_TOOLS_CLI_SCENE_ARCHIVE_H
#define DIORAMA_TOOLS_CLI_SCENE_ARCHIVE_H

#include "proto/base/buffer.h"
#include "tools/cli/command.h"

enum { SCENE_ARCHIVE_FORM = 1 }; // what is newer is refused

// Gets one entry after the other; `data` is good for the call only. An error ends the walk.
typedef fallible scene_archive_visitor(void *context, const char *name, const struct buffer *data);

// Reads all entries. Fails as `visit` and tar_reader_next do, with ERR_INVALID if an entry is cut.
fallible scene_archive_walk(const char *file, scene_archive_visitor *visit, void *context);

// Whether the file is whole: a manifest comes first, SHA256SUMS is of all that comes before it, and
// nothing comes behind. Fails with ERR_INVALID if it is damaged, no such archive, or of a newer
// form.
fallible scene_archive_verify(const char *file);

// Fails with ERR_INVALID: the file is damaged, or no archive of a scene.
fallible scene_archive_damaged(const char *file, const char *name, const char *what);

extern const struct command scene_export_command;
extern const struct command scene_import_command;

#endif
