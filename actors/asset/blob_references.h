// blob_references.h - which blobs the records of assets refer to, by their stored index: what
// store/blob asks before it removes one. Any thread.
#ifndef DIORAMA_ACTORS_ASSET_BLOB_REFERENCES_H
#define DIORAMA_ACTORS_ASSET_BLOB_REFERENCES_H

#include "proto/message/blob.h"
#include "store/store.h"

// The store is borrowed.
struct blob_records blob_references(store_t *store);

#endif
