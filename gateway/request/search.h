// search.h - one question to everybody who has records of a kind, and the answer made of theirs.
// Pure: actor_client asks.
#ifndef DIORAMA_GATEWAY_REQUEST_SEARCH_H
#define DIORAMA_GATEWAY_REQUEST_SEARCH_H

#include "proto/message/message.h"

enum { SEARCH_KINDS = 6 };

// The questions that a search asks, lists all of them: at most SEARCH_KINDS, yours. Which they are
// depends on who asks, and on whether the search names a scene, whose objects are looked at too.
// Returns how many.
size_t search_questions(const struct message *message, struct message *ret_questions[SEARCH_KINDS]);

// Fills the reply with what the answers have, by turns, as many as the request wants.
void search_answer(struct message *message, struct message *const *answers, size_t count);

#endif
