// blob.h - bytes of assets as content-addressed files (proto/message/blob.h):
// `<data.dir>/blobs/<first two hex digits>/<64 hex digits>`. Files that are being written are in
// `<data.dir>/blobs/tmp`, which is emptied at the start.
#ifndef DIORAMA_STORE_BLOB_H
#define DIORAMA_STORE_BLOB_H

#include "proto/config/config.h"
#include "proto/message/blob.h"
#include "store/blob_provider.h"
#include "store/reserve.h"

// Opens the folder of `config`, `<data.dir>/blobs` or blob.dir; makes it if it is absent. Who had
// it open before puts and removes nothing in it any more: of several servers the one that is in
// charge opens it. Writers are refused (ERR_STORAGE_FULL) while `meter` says that less than twice
// store.reserve is free: uploads stop before records must. Fails with ERR_UNAVAILABLE, the path in
// the detail.
fallible blob_folder_open(const struct config *config, reserve_meter *meter, blobs_t **ret_blobs);

// The same for bytes that a provider (taken) keeps: the folder, `<data.dir>/blobs`, has copies of
// some of them, of blob.cache bytes in all. What stands in the folder before it is a cache is put
// to the provider first, until `must_end` (or NULL) says that the
// process must end: ERR_UNAVAILABLE, and the next start goes on.
fallible blob_cache_open(const struct config *config, blob_provider_t **provider,
                         reserve_meter *meter, bool (*must_end)(void), blobs_t **ret_blobs);

#endif
