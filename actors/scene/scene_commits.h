// scene_commits.h - how a commit of the scene actor ends (commit_pipeline.h).
#ifndef DIORAMA_ACTORS_SCENE_SCENE_COMMITS_H
#define DIORAMA_ACTORS_SCENE_SCENE_COMMITS_H

#include "actors/runtime/commit_pipeline.h"

struct shard;

// Makes a durable change visible; its `owner` is held. Others who read without asking (shown.h) see
// it once the caller says that this was all that belongs together.
void scene_change_committed(struct shard *self, const struct change *change);

extern const struct commit_behaviour scene_commits;

// Sets the gauges to what this actor holds now.
void scene_tell_metrics(struct shard *self);

#endif
