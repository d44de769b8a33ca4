// pub_topics.h - counts the topics that subscribers of PUB want. ZeroMQ keeps a tree of all topics,
// about 32 bytes for each byte of a topic, without a maximum, so the server must set one. One
// thread.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_PUB_TOPICS_H
#define DIORAMA_ACTORS_STREAMER_PUB_PUB_TOPICS_H

#include "proto/base/table.h"

// Embedded; all zero is valid and empty.
struct pub_topics {
    struct table table;
    size_t size; // bytes of the different topics
};

// Notes a subscription or its end. A topic counts once, however many subscribers want it. The end
// of an unknown one changes nothing.
void pub_topics_note(struct pub_topics *self, const char *topic, size_t size, bool is_wanted);
void pub_topics_finish(struct pub_topics *self);

#endif
