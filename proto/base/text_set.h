// text_set.h - which texts are in a list, found by hash: lists that clients send are compared with
// each other without comparing each text with each.
#ifndef DIORAMA_PROTO_BASE_TEXT_SET_H
#define DIORAMA_PROTO_BASE_TEXT_SET_H

#include "proto/base/table.h"

// Embedded; all zero is a valid empty set. It borrows the texts. One thread.
struct text_set {
    const struct texts *list; // what it was made of
    bool is_hashed;           // the table has them; else they are few, or nobody has asked
    struct table table;
};

void text_set_finish(struct text_set *self);

// Makes it the set of the list (NULL = empty); at once where it is that already.
void text_set_of(struct text_set *self, const struct texts *list);
bool text_set_has(struct text_set *self, const struct text *text);
// Adds a text; false: it was there.
bool text_set_add(struct text_set *self, const struct text *text);

// The texts of a list (NULL = empty), each once, in their order. It borrows them.
const struct texts *texts_once(struct arena *arena, const struct texts *list);

#endif
