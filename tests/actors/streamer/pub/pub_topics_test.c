// pub_topics_test.c - the size of the topics that subscribers of PUB want.
#include "actors/streamer/pub/pub_topics.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(pub_topics, a_topic_counts_once_however_many_want_it)
{
    struct pub_topics topics = {0};
    pub_topics_note(&topics, "scene.a.", 8, true);
    pub_topics_note(&topics, "scene.a.", 8, true);
    pub_topics_note(&topics, "", 0, true);
    cr_expect_eq(topics.size, 8);
    pub_topics_note(&topics, "scene.a.", 8, false);
    cr_expect_eq(topics.size, 0);
    pub_topics_finish(&topics);
}

Test(pub_topics, the_end_of_what_is_not_there_changes_nothing)
{
    struct pub_topics topics = {0};
    pub_topics_note(&topics, "scene.a.", 8, true);
    pub_topics_note(&topics, "scene.b.", 8, false);
    pub_topics_note(&topics, "scene.a", 7, false);
    cr_expect_eq(topics.size, 8);
    pub_topics_finish(&topics);
    cr_expect_eq(topics.size, 0);
}

Test(pub_topics, many_come_and_go)
{
    struct pub_topics topics = {0};
    char topic[32];
    for (int wanted = 1; wanted >= 0; wanted--)
        for (int i = 0; i < 5000; i++) {
            int size = snprintf(topic, sizeof topic, "scene.%06d.", i);
            pub_topics_note(&topics, topic, (size_t)size, wanted);
            if (wanted)
                cr_assert_eq(topics.size, (size_t)(i + 1) * 13);
        }
    cr_expect_eq(topics.size, 0);
    pub_topics_finish(&topics);
}
