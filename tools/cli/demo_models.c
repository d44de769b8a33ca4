// demo_models.c - how the models of the demo are put together. Heights are in metres above ground.
#include "tools/cli/demo_models.h"

#include <math.h>

#include "proto/base/owned.h"
#include "tools/cli/glb.h"

#define TURNED(glb_, layer_, at_, rings_, color_)                                                  \
    glb_turned(glb_, layer_, at_, rings_, sizeof(rings_) / sizeof(rings_)[0], glb_color(color_))

enum { COLUMNS = 8, PAVING_RINGS = 10, PAVING_FIRST = 10, CROWNS = 4 };

// Between ground, paving and shades: as little as a picture of the whole still tells apart.
#define PAVING_Y 0.02f
#define SHADE_Y 0.035f

static const struct glb_point origin = {0, 0, 0};

// --- people: who wears a headset looks along -Z ---

static void
draw_arms(struct glb *glb, uint32_t outfit)
{
    for (int side = -1; side <= 1; side += 2) {
        float x = 0.245f * (float)side;
        glb_ball(glb, GLB_SURFACE, (struct glb_point){x, 1.09f, 0},
                 (struct glb_point){0.06f, 0.27f, 0.07f}, glb_color(outfit));
        glb_ball(glb, GLB_SURFACE, (struct glb_point){x * 1.03f, 0.8f, -0.02f},
                 (struct glb_point){0.05f, 0.065f, 0.05f}, glb_color(0xe3b596));
    }
}

static void
draw_person(struct glb *glb, uint32_t outfit)
{
    static const struct glb_ring legs[] = {{0.0f, 0.03f}, {0.15f, 0.03f},  {0.15f, 0.03f},
                                           {0.16f, 0.1f}, {0.155f, 0.45f}, {0.2f, 0.84f}};
    static const struct glb_ring body[] = {{0.22f, 0.76f},  {0.22f, 0.76f}, {0.19f, 1.0f},
                                           {0.215f, 1.25f}, {0.19f, 1.37f}, {0.1f, 1.44f},
                                           {0.065f, 1.47f}, {0.06f, 1.54f}};
    TURNED(glb, GLB_SURFACE, origin, legs, 0x3a4256);
    TURNED(glb, GLB_SURFACE, origin, body, outfit);
    draw_arms(glb, outfit);
    glb_ball(glb, GLB_SURFACE, (struct glb_point){0, 1.65f, 0},
             (struct glb_point){0.125f, 0.15f, 0.135f}, glb_color(0xe3b596));
    glb_ball(glb, GLB_SURFACE, (struct glb_point){0, 1.69f, 0.025f},
             (struct glb_point){0.133f, 0.13f, 0.135f}, glb_color(0x40302a));
    glb_box(glb, GLB_SURFACE, (struct glb_point){0, 1.665f, -0.125f},
            (struct glb_point){0.25f, 0.1f, 0.1f}, glb_color(0x20242c));
    glb_box(glb, GLB_GLOW, (struct glb_point){0, 1.665f, -0.177f},
            (struct glb_point){0.2f, 0.05f, 0.01f}, glb_color(0x7fe7ff));
    glb_shade(glb, 0.5f, SHADE_Y, 0.5f);
}

// --- what stands on the plaza ---

// A stone of the paving, whose colour differs a little from that of its neighbours.
static void
draw_stone(struct glb *glb, int ring, int number, int count)
{
    static const uint32_t tones[] = {0x59627a, 0x525b72, 0x606a84, 0x4e566c};
    float pitch = (float)DEMO_PLAZA_M / PAVING_RINGS, joint = 0.02f;
    float inner = pitch * (float)ring + joint, outer = pitch * (float)(ring + 1) - joint;
    float angle = (float)(2 * M_PI / count), from = angle * (float)number;
    float edge = joint / outer, to = from + angle - edge;
    from += edge;
    const struct glb_point corners[4] = {
        {inner * cosf(from), PAVING_Y, inner * sinf(from)},
        {inner * cosf(to), PAVING_Y, inner * sinf(to)},
        {outer * cosf(to), PAVING_Y, outer * sinf(to)},
        {outer * cosf(from), PAVING_Y, outer * sinf(from)},
    };
    uint32_t dice = (uint32_t)(ring * 7919 + number * 104729);
    uint32_t tone = ring + 1 == PAVING_RINGS ? 0x8b7f6d : tones[(dice ^ dice >> 5) % 4];
    glb_quad(glb, GLB_SURFACE, corners, glb_color(tone));
}

static void
draw_plaza(struct glb *glb, uint32_t color)
{
    static const struct glb_ring bed[] = {{(float)DEMO_PLAZA_M + 0.12f, 0.01f}, {0, 0.01f}};
    TURNED(glb, GLB_SURFACE, origin, bed, color);
    for (int ring = 1; ring < PAVING_RINGS; ring++) {
        int count = PAVING_FIRST + 5 * ring;
        for (int number = 0; number < count; number++)
            draw_stone(glb, ring, number, count);
    }
}

static void
draw_column(struct glb *glb, struct glb_point at, uint32_t color)
{
    static const struct glb_ring column[] = {{0.17f, 0.3f},   {0.17f, 0.3f},   {0.17f, 0.42f},
                                             {0.17f, 0.42f},  {0.11f, 0.46f},  {0.1f, 1.5f},
                                             {0.085f, 2.62f}, {0.085f, 2.62f}, {0.15f, 2.7f}};
    TURNED(glb, GLB_SURFACE, at, column, color);
}

static void
draw_pavilion(struct glb *glb, uint32_t color)
{
    static const struct glb_ring steps[] = {{3.0f, 0.0f},  {3.0f, 0.15f}, {3.0f, 0.15f},
                                            {2.7f, 0.15f}, {2.7f, 0.15f}, {2.7f, 0.3f},
                                            {2.7f, 0.3f},  {0.0f, 0.3f}};
    static const struct glb_ring beam[] = {{2.15f, 2.7f},  {2.15f, 2.7f}, {2.5f, 2.7f},
                                           {2.5f, 2.7f},   {2.55f, 2.9f}, {2.55f, 2.9f},
                                           {2.75f, 2.95f}, {2.75f, 3.02f}};
    static const struct glb_ring roof[] = {{2.75f, 3.02f}, {2.75f, 3.02f}, {2.3f, 3.28f},
                                           {1.6f, 3.6f},   {0.9f, 3.95f},  {0.4f, 4.3f},
                                           {0.12f, 4.62f}, {0.06f, 4.8f}};
    static const struct glb_ring base[] = {{0.5f, 0.3f},   {0.5f, 0.4f}, {0.5f, 0.4f}, {0.2f, 0.5f},
                                           {0.14f, 0.85f}, {0.3f, 1.0f}, {0.3f, 1.0f}, {0, 1.0f}};
    TURNED(glb, GLB_SURFACE, origin, steps, 0xb9b2a6);
    TURNED(glb, GLB_SURFACE, origin, beam, color);
    TURNED(glb, GLB_SURFACE, origin, roof, 0xc4573f);
    TURNED(glb, GLB_SURFACE, origin, base, 0x9b9486);
    for (int i = 0; i < COLUMNS; i++) {
        float angle = (float)(2 * M_PI * (i + 0.5) / COLUMNS);
        draw_column(glb, (struct glb_point){2.3f * cosf(angle), 0, 2.3f * sinf(angle)}, color);
    }
    glb_ball(glb, GLB_GLOW, (struct glb_point){0, 1.55f, 0}, (struct glb_point){0.5f, 0.5f, 0.5f},
             glb_color(0xffd98a));
    glb_ball(glb, GLB_GLOW, (struct glb_point){0, 4.9f, 0}, (struct glb_point){0.14f, 0.14f, 0.14f},
             glb_color(0xffe7b0));
    glb_shade(glb, 4.2f, SHADE_Y, 0.75f);
}

static void
draw_tree(struct glb *glb, uint32_t color)
{
    static const struct glb_ring trunk[] = {
        {0.22f, 0.0f}, {0.14f, 0.3f}, {0.11f, 1.3f}, {0.05f, 2.2f}};
    static const struct {
        struct glb_point at;
        float radius;
        uint32_t lighter;
    } crowns[CROWNS] = {{{0, 2.25f, 0}, 1.0f, 0},
                        {{0.45f, 2.75f, 0.2f}, 0.68f, 0x081008},
                        {{-0.4f, 2.85f, -0.25f}, 0.66f, 0x0a140a},
                        {{0.05f, 3.3f, 0.05f}, 0.55f, 0x101c0c}};
    TURNED(glb, GLB_SURFACE, origin, trunk, 0x6b4f3a);
    for (int i = 0; i < CROWNS; i++) {
        float radius = crowns[i].radius;
        glb_ball(glb, GLB_SURFACE, crowns[i].at, (struct glb_point){radius, radius * 0.85f, radius},
                 glb_color(color + crowns[i].lighter));
    }
    glb_shade(glb, 1.6f, SHADE_Y, 0.6f);
}

static void
draw_lamp(struct glb *glb, uint32_t color)
{
    static const struct glb_ring post[] = {{0.16f, 0.0f}, {0.16f, 0.1f}, {0.16f, 0.1f},
                                           {0.05f, 0.2f}, {0.04f, 2.6f}, {0.12f, 2.72f}};
    static const struct glb_ring cap[] = {{0.3f, 3.06f}, {0.3f, 3.06f}, {0.0f, 3.22f}};
    TURNED(glb, GLB_SURFACE, origin, post, color);
    TURNED(glb, GLB_SURFACE, origin, cap, color);
    glb_ball(glb, GLB_GLOW, (struct glb_point){0, 2.9f, 0}, (struct glb_point){0.2f, 0.2f, 0.2f},
             glb_color(0xffe2a6));
    glb_shade(glb, 0.4f, SHADE_Y, 0.5f);
}

static void
draw_bench(struct glb *glb, uint32_t color)
{
    for (int plank = 0; plank < 3; plank++) {
        float place = (float)plank - 1;
        glb_box(glb, GLB_SURFACE, (struct glb_point){0, 0.45f, place * 0.16f},
                (struct glb_point){1.8f, 0.05f, 0.14f}, glb_color(color));
    }
    for (int plank = 0; plank < 2; plank++)
        glb_box(glb, GLB_SURFACE, (struct glb_point){0, 0.65f + 0.18f * (float)plank, 0.27f},
                (struct glb_point){1.8f, 0.14f, 0.05f}, glb_color(color));
    for (int side = -1; side <= 1; side += 2)
        glb_box(glb, GLB_SURFACE, (struct glb_point){0.7f * (float)side, 0.22f, 0.03f},
                (struct glb_point){0.08f, 0.44f, 0.46f}, glb_color(0x30343c));
    glb_shade(glb, 1.1f, SHADE_Y, 0.45f);
}

// --- the table ---

// clang-format off
static const struct {
    const char *name;
    void (*draw)(struct glb *glb, uint32_t color);
    uint32_t color;
} models[DEMO_MODELS] = {
    {"walker coral",  draw_person,   0xf2785c},
    {"walker amber",  draw_person,   0xf0b243},
    {"walker mint",   draw_person,   0x55c796},
    {"walker blue",   draw_person,   0x5b9bf0},
    {"walker violet", draw_person,   0xa184ee},
    {"walker rose",   draw_person,   0xe86fa4},
    {"visitor",       draw_person,   0xf3efe6},
    {"plaza",         draw_plaza,    0x3a4152},
    {"pavilion",      draw_pavilion, 0xefe7d8},
    {"tree",          draw_tree,     0x4c9a5c},
    {"lamp",          draw_lamp,     0x3c424e},
    {"bench",         draw_bench,    0xb0814f},
};
// clang-format on

const char *
demo_model_name(size_t model)
{
    return models[model].name;
}

void
demo_model_put(size_t model, struct buffer *out)
{
    owned(glb_finish) struct glb glb = {0};
    models[model].draw(&glb, models[model].color);
    glb_put(&glb, models[model].name, out);
}
