// asset_thumbnail.h - the small picture of an asset.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_THUMBNAIL_H
#define DIORAMA_ACTORS_ASSET_ASSET_THUMBNAIL_H

#include "actors/runtime/actor.h"

// The picture (a blob_pin, its type in a struct thumbnail) becomes that of the asset.
actor_handler thumbnail_put;

// Answers what is known of the picture, as of an asset with these bytes. Fails with ERR_NOT_FOUND
// if there is none.
actor_handler thumbnail_get;

#endif
