// followed.h - an engine over another one, for a server that follows a leader: it takes the copies
// of what the leader has committed, and nothing that was decided here. So no actor can write,
// whatever makes it try; what an actor stages by mistake is refused like a write to a full disk.
#ifndef DIORAMA_STORE_FOLLOWED_H
#define DIORAMA_STORE_FOLLOWED_H

#include "store/store.h"

// Wraps *inner (taken). Commits answer UNAVAILABLE unless they are copies (store_commit.is_copy) or
// concern this process alone: the family of the streamer.
void followed_wrap(store_t **inner, store_t **ret_store);

#endif
