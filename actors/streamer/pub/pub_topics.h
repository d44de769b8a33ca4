// pub_topics.h - what subscribers of PUB asked for, as far as it costs memory. ZeroMQ keeps a tree
// of all topics, some 32 bytes for each byte of them, and has no maximum: this counts them. One
// thread.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_PUB_TOPICS_H
#define DIORAMA_ACTORS_STREAMER_PUB_PUB_TOPICS_H

#include "proto/base/table.h"

// Embedded; all zero is none.
struct pub_topics {
    struct table table;
    size_t size; // bytes of the different topics
};

// Takes note of a subscription or of its end. A topic counts once, however many want it; the end of
// one that is not there changes nothing.
void pub_topics_note(struct pub_topics *self, const char *topic, size_t size, bool is_wanted);
void pub_topics_finish(struct pub_topics *self);

#endif
