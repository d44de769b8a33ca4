// content_coding.c - content codings, and which of them a client accepts. Pure.
#include "gateway/http/content_coding.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
    WEIGHT_MOST = 1000,
    WEIGHT_LEAST = 1, // of identity if the client does not name it: accepted, but last
    UNSAID = -1,
};

static const char *const names[CONTENT_CODING_COUNT] = {"zstd", "gzip", "identity"};

const char *
content_coding_name(enum content_coding coding)
{
    return names[coding];
}

static bool
is_word(const char *chars, size_t size, const char *word)
{
    return strlen(word) == size && strncasecmp(chars, word, size) == 0;
}

bool
content_coding_from(const char *name, size_t size, enum content_coding *ret_coding)
{
    for (unsigned i = 0; i < CONTENT_CODING_COUNT; i++)
        if (is_word(name, size, names[i])) {
            *ret_coding = (enum content_coding)i;
            return true;
        }
    *ret_coding = CONTENT_CODING_GZIP;
    return is_word(name, size, "x-gzip");
}

// Reads `0.123` or `1.000` in thousandths; false for anything else.
static bool
read_weight(const char *chars, size_t size, int *ret_weight)
{
    if (size == 0 || size > 5 || (chars[0] != '0' && chars[0] != '1') ||
        (size > 1 && chars[1] != '.'))
        return false;
    int weight = (chars[0] - '0') * WEIGHT_MOST, unit = WEIGHT_MOST / 10;
    for (size_t i = 2; i < size; i++, unit /= 10) {
        if (!isdigit((unsigned char)chars[i]))
            return false;
        weight += (chars[i] - '0') * unit;
    }
    *ret_weight = weight;
    return weight <= WEIGHT_MOST;
}

// The size of a part of a member without the spaces at its end.
static size_t
trimmed(const char *chars, size_t size)
{
    while (size && (chars[size - 1] == ' ' || chars[size - 1] == '\t'))
        size--;
    return size;
}

// Reads one member, `gzip;q=0.5`, of `size` bytes.
static bool
read_member(const char *member, size_t size, size_t *ret_name_size, int *ret_weight)
{
    const char *semicolon = memchr(member, ';', size);
    size_t name_size = semicolon ? (size_t)(semicolon - member) : size;
    *ret_name_size = trimmed(member, name_size);
    *ret_weight = WEIGHT_MOST;
    if (!semicolon)
        return true;
    const char *weight = semicolon + 1 + strspn(semicolon + 1, " \t");
    size_t left = size - (size_t)(weight - member);
    return left > 2 && strncasecmp(weight, "q=", 2) == 0 &&
           read_weight(weight + 2, trimmed(weight + 2, left - 2), ret_weight);
}

// Takes the weight of one member; `others` is that of `*`.
static void
take_member(struct acceptance *self, const char *member, size_t size, int *others)
{
    size_t name_size;
    int weight;
    enum content_coding coding;
    if (!read_member(member, size, &name_size, &weight))
        return;
    if (name_size == 1 && *member == '*')
        *others = weight;
    else if (content_coding_from(member, name_size, &coding))
        self->weights[coding] = weight;
}

void
content_coding_accept(const char *accept_encoding, struct acceptance *ret_acceptance)
{
    int others = UNSAID;
    for (unsigned i = 0; i < CONTENT_CODING_COUNT; i++)
        ret_acceptance->weights[i] = UNSAID;
    for (const char *at = accept_encoding ? accept_encoding : ""; *at;) {
        at += strspn(at, ", \t");
        size_t size = strcspn(at, ",");
        take_member(ret_acceptance, at, size, &others);
        at += size;
    }
    for (unsigned i = 0; i < CONTENT_CODING_COUNT; i++) {
        int *weight = &ret_acceptance->weights[i];
        if (*weight == UNSAID && others != UNSAID)
            *weight = i == CONTENT_CODING_IDENTITY && others > 0 ? WEIGHT_LEAST : others;
        else if (*weight == UNSAID)
            *weight = i == CONTENT_CODING_IDENTITY ? WEIGHT_LEAST : 0;
    }
}

enum content_coding
content_coding_choose(const struct acceptance *self, size_t size)
{
    const int *weights = self->weights;
    enum content_coding best = CONTENT_CODING_IDENTITY;
    if (size < CONTENT_CODING_SMALLEST && weights[CONTENT_CODING_IDENTITY] > 0)
        return best;
    for (unsigned i = CONTENT_CODING_IDENTITY; i-- > 0;)
        if (weights[i] > 0 && weights[i] >= weights[best])
            best = (enum content_coding)i;
    return best;
}
