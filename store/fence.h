// fence.h - the records by which processes that share a store settle which of them writes, and
// where the bytes of assets are. They say nothing of what is stored, and are left out where that is
// taken elsewhere (archive_export.h).
//
// Whoever takes charge writes the fence. Each commit that has no fence of its own (a committer's
// marker, a beat) guards it: a process that was frozen while it started, migrated or mended writes
// nothing any more once another one has taken its place.
#ifndef DIORAMA_STORE_FENCE_H
#define DIORAMA_STORE_FENCE_H

#include "proto/message/partition.h"
#include "store/key.h"
#include "store/store.h"

// Of every family with committers:
enum {
    KEY_COMMIT = 'Z', // number of a committer -> marker of its last commit (lane.h)
};

// Markers stand behind everything else of a family, so that none shares a block with what comes
// after it (store/README.md, "Decisions").
enum { COMMIT_PART = PARTITION_COUNT - 1 };

// Of the streamer's family, part 0:
enum {
    KEY_CHARGE = 'C',       // nothing -> who is in charge (charge_record.h)
    KEY_CHARGE_FENCE = 'T', // nothing -> nothing; its version is the commit that took charge
    KEY_BLOBS = 'B',        // nothing -> where the bytes of assets are (blob_place.h)
};

// Where the fence stands.
struct store_address fence_place(void);

// From now on each commit that has no fence of its own needs this version of the fence: that of the
// commit which took charge. Before other threads use the store.
void fence_set(store_t *self, store_version_t version);

// As the engine's commit, with the fence of the store as a guard besides. UNAVAILABLE where the
// place was taken; the lease is lost then.
enum store_result fence_commit(store_t *self, const struct store_commit *commit,
                               uint64_t deadline_ms);

// Another process has taken charge, as a commit of this one has found: the lease is lost, and the
// log says so once.
void fence_lose(void);

// Whether a record is one of those above.
bool fence_is_own(enum family family, uint16_t part, struct bytes key);

#endif
