// postgres_blobs.h - the bytes of assets as rows beside the records (blob_provider.h):
// diorama_blob, an object in pieces of 4 MiB.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_BLOBS_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_BLOBS_H

#include "store/blob_provider.h"
#include "store/postgres/postgres_route.h"

// Makes the table where it is missing. Connections are its own, so that no upload keeps a commit
// waiting, and go the route of those for records; `fence` is what puts and removals need (fence.h;
// 0 = nothing). Fails with ERR_UNAVAILABLE and one sentence.
fallible postgres_blobs_create(struct postgres_route *route, store_version_t fence,
                               blob_provider_t **ret_provider);

#endif
