// postgres_commit.h - a commit on a connection: one transaction, sent in one flush.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_COMMIT_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_COMMIT_H

#include "store/postgres/postgres_session.h"

// As the call of an engine (store.h). `*ret_clean` says whether the connection may be used again.
enum store_result postgres_commit_run(session_t *session, const struct store_commit *commit,
                                      uint64_t deadline_ms, bool *ret_clean);

#endif
