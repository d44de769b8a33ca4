// link_groups_test.c - links that agree with each other against links that agree with many more.
#include "actors/alignment/solver/link_groups.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/initial_poses.h"
#include "tests/support/worlds.h"

enum { WIDTH = 12, SCENES = WIDTH * WIDTH, MOST = 300 };

// Scenes in rows and columns, each linked with the next ones: twelve links say how two rows lie.
// Each link is what one device says; sigma 5 cm, 0.05 rad.
struct town {
    struct rigid poses[SCENES];
    size_t count;
    struct link links[MOST];
    struct mode modes[MOST];
    const struct mode *best[MOST];
    int64_t support[MOST];
};

static void
add_link(struct town *town, uint32_t a, uint32_t b, const struct rigid *motion)
{
    size_t index = town->count++;
    struct mode *mode = &town->modes[index];
    *mode =
        (struct mode){.motion = *motion, .observations = 1, .devices = 1, .only_device = index + 1};
    for (int i = 0; i < 6; i++)
        mode->covariance[i * 7] = 1.0 / 400;
    town->links[index] = (struct link){a, b, (uint32_t)index, 1};
    town->best[index] = mode;
    town->support[index] = INITIAL_POSES_SUPPORT;
}

static struct rigid
truth(const struct town *town, uint32_t a, uint32_t b)
{
    struct rigid back = rigid_invert(&town->poses[b]);
    return rigid_compose(&back, &town->poses[a]);
}

static void
add_right(struct town *town, uint32_t a, uint32_t b)
{
    struct rigid motion = truth(town, a, b);
    add_link(town, a, b, &motion);
}

static struct town *
make_town(void)
{
    static struct town town;
    struct random chance = {3};
    town.count = 0;
    for (int i = 0; i < SCENES; i++)
        town.poses[i] = random_motion(&chance, 20);
    for (uint32_t i = 0; i < SCENES; i++) {
        if (i % WIDTH + 1 < WIDTH)
            add_right(&town, i, i + 1);
        if (i + WIDTH < SCENES)
            add_right(&town, i, i + WIDTH);
    }
    return &town;
}

// So many links that say together that two places further on are elsewhere.
static size_t
add_wrong(struct town *town, uint32_t from, uint32_t to, uint32_t count)
{
    struct rigid twist = {.rotation = {1, 0, 0, 0}, .translation = {30, 0, 0}};
    size_t first = town->count;
    for (uint32_t i = 0; i < count; i++) {
        // to^-1 * twist * from: all places on the one side are moved alike.
        struct rigid back = rigid_invert(&town->poses[to + i]);
        struct rigid moved = rigid_compose(&twist, &town->poses[from + i]);
        struct rigid motion = rigid_compose(&back, &moved);
        add_link(town, from + i, to + i, &motion);
    }
    return first;
}

static size_t
hold_back(struct town *town)
{
    return link_groups_hold_back(SCENES, town->links, town->count, town->best, town->support, NULL);
}

enum { FROM = 2 * WIDTH, TO = 8 * WIDTH + 3 };

Test(link_groups, right_links_alone_keep_their_support)
{
    struct town *town = make_town();
    cr_assert_eq(hold_back(town), 0);
}

Test(link_groups, five_wrong_links_that_agree_give_way_to_twelve)
{
    struct town *town = make_town();
    size_t first = add_wrong(town, FROM, TO, 5);
    cr_assert_eq(hold_back(town), 5);
    for (size_t i = 0; i < town->count; i++)
        cr_assert_eq(town->support[i], i < first ? INITIAL_POSES_SUPPORT : 2);
}

Test(link_groups, seven_that_agree_do_not_give_way_to_twelve)
{
    struct town *town = make_town();
    add_wrong(town, FROM, TO, 7);
    cr_assert_eq(hold_back(town), 0);
}

Test(link_groups, what_is_pinned_does_not_give_way)
{
    struct town *town = make_town();
    size_t first = add_wrong(town, FROM, TO, 5);
    town->modes[first].is_pinned = true;
    cr_assert_eq(hold_back(town), 4);
    cr_assert_eq(town->support[first], INITIAL_POSES_SUPPORT);
}

// Rows beyond the sixth are linked with those before it by three links: what else would relate
// them?
Test(link_groups, links_that_alone_relate_two_parts_keep_their_support)
{
    struct town *town = make_town();
    for (size_t i = 0; i < town->count; i++) {
        const struct link *link = &town->links[i];
        bool is_cut = link->a / WIDTH == 5 && link->b / WIDTH == 6 && link->a % WIDTH >= 3;
        town->support[i] = is_cut ? 0 : INITIAL_POSES_SUPPORT;
        if (is_cut)
            town->modes[i].motion.translation[0] += 20.0 + (double)i;
    }
    cr_assert_eq(hold_back(town), 0);
}
