// kept_answers.h - what is stored of the answer to a request with an Idempotency-Key, and how the
// answer is made of it again. It takes about LIMIT_KEPT_ANSWER_BYTES, however large the answer was:
//
//   a request that makes many records   the seed of their keys, and how many it has made: they
//                                        follow from the seed and the request, which comes again
//   any other                            its records as they were shown; or, where these are too
//                                        large or belong to another user, their keys and the tag
//                                        of the one
//
// So what is kept for a user names nobody else: whoever is erased is in no answer but their own.
#ifndef DIORAMA_ACTORS_RUNTIME_KEPT_ANSWERS_H
#define DIORAMA_ACTORS_RUNTIME_KEPT_ANSWERS_H

#include "proto/message/message.h"
#include "proto/records/kept_answer.h"

// What is kept of the message's reply, loose, in its arena. `is_remade`: its actor can make the
// records of the reply again.
struct record *kept_answer_from_reply(struct message *message, const struct text *id,
                                      bool is_remade);

// Fills the reply of the repeated request with the records that are kept. Fails with ERR_INTERNAL
// where they are damaged.
fallible kept_answer_to_reply(const struct kept_answer *self, struct message *message);

#endif
