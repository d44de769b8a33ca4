// list_merge.h - one page out of the pages that several actors answered. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_LIST_MERGE_H
#define DIORAMA_GATEWAY_REQUEST_LIST_MERGE_H

#include "proto/message/message.h"

// Fills the reply of `message`, a request for a list, with the first records of `count` answers,
// which begin at the same place and have as many as the page. Fails as list_query_read.
fallible list_merge(struct message *message, struct message *const *answers, size_t count);

#endif
