// username.c - the profiles UsernameCasePreserved and UsernameCaseMapped (RFC 8265) over the
// IdentifierClass (RFC 8264, section 8). Pure.
//
// One rule is stricter than the RFC: a zero width non-joiner is taken only behind a virama, because
// utf8proc does not know how letters join.
#include "actors/user/username.h"

#include <stdbool.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "proto/base/limits.h"

typedef utf8proc_int32_t code;

struct range {
    code first, last;
};

// clang-format off
static const struct range allowed[] = { // exceptions (RFC 8264, 9.6)
    {0xdf, 0xdf}, {0x3c2, 0x3c2}, {0x6fd, 0x6fe}, {0xf0b, 0xf0b}, {0x3007, 0x3007}, {0}};
static const struct range refused[] = { // exceptions, and old Hangul letters (9.9)
    {0x640, 0x640}, {0x7fa, 0x7fa}, {0x302e, 0x302f}, {0x3031, 0x3035}, {0x303b, 0x303b},
    {0x1100, 0x11ff}, {0xa960, 0xa97c}, {0xd7b0, 0xd7fb}, {0}};
static const struct range greek[] = {{0x370, 0x3ff}, {0x1f00, 0x1fff}, {0}};
static const struct range hebrew[] = {{0x590, 0x5ff}, {0}};
static const struct range kana_and_han[] = {
    {0x3005, 0x3005}, {0x3007, 0x3007}, {0x3041, 0x309f}, {0x30a1, 0x30fa}, {0x30fc, 0x30ff},
    {0x31f0, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0x20000, 0x2fa1f}, {0}};
static const struct range arabic_digits[] = {{0x660, 0x669}, {0}};
static const struct range extended_digits[] = {{0x6f0, 0x6f9}, {0}};
// clang-format on

enum {
    BLANK = ' ',
    MIDDLE_DOT = 0xb7,
    KERAIA = 0x375,
    GERESH = 0x5f3,
    GERSHAYIM = 0x5f4,
    KATAKANA_DOT = 0x30fb,
    NON_JOINER = 0x200c,
    JOINER = 0x200d,
    VIRAMA = 9, // a combining class
};

static bool
is_in(const struct range *ranges, code c)
{
    for (; ranges->first; ranges++)
        if (c >= ranges->first && c <= ranges->last)
            return true;
    return false;
}

// --- mapping ---

// Ordinary characters in the place of full and half width ones.
static code
map_width(code c)
{
    utf8proc_propval_t type = utf8proc_get_property(c)->decomp_type;
    code mapped;
    int boundary = 0;
    if (type != UTF8PROC_DECOMP_TYPE_WIDE && type != UTF8PROC_DECOMP_TYPE_NARROW)
        return c;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(c, &mapped, 1, UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &boundary);
    return count == 1 ? mapped : c;
}

static code
keep_case(code c, void *unused)
{
    (void)unused;
    return map_width(c);
}

static code
drop_case(code c, void *unused)
{
    (void)unused;
    return utf8proc_tolower(map_width(c));
}

// Maps each character, then composes (NFC); NULL where it is no UTF-8.
static const struct text *
map(struct arena *arena, const struct text *name, utf8proc_custom_func mapping)
{
    utf8proc_uint8_t *mapped;
    utf8proc_ssize_t size = utf8proc_map_custom((const utf8proc_uint8_t *)text_bytes(name),
                                                (utf8proc_ssize_t)text_size(name), &mapped,
                                                UTF8PROC_STABLE | UTF8PROC_COMPOSE, mapping, NULL);
    if (size < 0)
        return NULL;
    const struct text *text = text_new(arena, (const char *)mapped, (size_t)size);
    free(mapped);
    return text;
}

const struct text *
username_key(struct arena *arena, const struct text *name)
{
    const struct text *key = map(arena, name, drop_case);
    return key ? key : name;
}

// --- which characters ---

// The characters of a name; 0 = an end. There are no more than bytes.
struct word {
    size_t count;
    code items[LIMIT_NAME_BYTES];
};

static code
at(const struct word *word, size_t index)
{
    return index < word->count ? word->items[index] : 0;
}

static bool
has_any(const struct word *word, const struct range *ranges)
{
    for (size_t i = 0; i < word->count; i++)
        if (is_in(ranges, word->items[i]))
            return true;
    return false;
}

static bool
is_letter_or_digit(code c)
{
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
        return true;
    default:
        return false;
    }
}

// Whether compatibility normalization would make another character of it.
static bool
has_compatible(code c)
{
    code parts[8];
    int boundary = 0;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(c, parts, 8, UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &boundary);
    utf8proc_ssize_t plain_count =
        utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &boundary);
    return count != plain_count || utf8proc_get_property(c)->decomp_type != 0;
}

// Characters that are taken only beside certain others (RFC 5892, appendix A).
static bool
fits_neighbours(const struct word *word, size_t i, bool *ret_is_such)
{
    code c = word->items[i], before = i ? word->items[i - 1] : 0;
    *ret_is_such = true;
    if (c == NON_JOINER || c == JOINER)
        return before && utf8proc_get_property(before)->combining_class == VIRAMA;
    if (c == MIDDLE_DOT)
        return before == 'l' && at(word, i + 1) == 'l';
    if (c == KERAIA)
        return is_in(greek, at(word, i + 1));
    if (c == GERESH || c == GERSHAYIM)
        return is_in(hebrew, before);
    if (c == KATAKANA_DOT)
        return has_any(word, kana_and_han);
    if (is_in(arabic_digits, c))
        return !has_any(word, extended_digits);
    if (is_in(extended_digits, c))
        return !has_any(word, arabic_digits);
    *ret_is_such = false;
    return false;
}

static bool
is_identifier(const struct word *word, size_t i)
{
    code c = word->items[i];
    bool needs_neighbours, fits = fits_neighbours(word, i, &needs_neighbours);
    if (needs_neighbours)
        return fits;
    if (is_in(allowed, c) || (c > BLANK && c < 0x7f))
        return true;
    if (is_in(refused, c) || utf8proc_get_property(c)->ignorable || has_compatible(c))
        return false;
    return is_letter_or_digit(c);
}

// --- writing directions (RFC 5893, section 2) ---

#define CLASS(name) (UINT32_C(1) << UTF8PROC_BIDI_CLASS_##name)

static uint32_t
class_of(code c)
{
    return UINT32_C(1) << utf8proc_get_property(c)->bidi_class;
}

// All classes of the word, and that of its last character that is no mark.
static uint32_t
classes_of(const struct word *word, uint32_t *ret_last)
{
    uint32_t all = 0;
    for (size_t i = 0; i < word->count; i++) {
        uint32_t class = class_of(word->items[i]);
        all |= class;
        if (class != CLASS(NSM))
            *ret_last = class;
    }
    return all;
}

static bool
is_of_one_direction(const struct word *word)
{
    const uint32_t right = CLASS(R) | CLASS(AL), neutral = CLASS(EN) | CLASS(ES) | CLASS(CS) |
                                                           CLASS(ET) | CLASS(ON) | CLASS(BN) |
                                                           CLASS(NSM) | CLASS(WS);
    uint32_t last = 0, all = classes_of(word, &last);
    if (!(all & (right | CLASS(AN))))
        return true;
    if (class_of(word->items[0]) & right)
        return !(all & ~(right | CLASS(AN) | neutral)) &&
               (last & (right | CLASS(EN) | CLASS(AN))) &&
               (all & (CLASS(EN) | CLASS(AN))) != (CLASS(EN) | CLASS(AN));
    return (class_of(word->items[0]) & CLASS(L)) && !(all & ~(CLASS(L) | neutral)) &&
           (last & (CLASS(L) | CLASS(EN)));
}

// --- the whole name ---

static bool
word_read(const struct text *name, struct word *ret_word)
{
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text_bytes(name);
    size_t left = text_size(name);
    ret_word->count = 0;
    while (left) {
        utf8proc_ssize_t size =
            utf8proc_iterate(bytes, (utf8proc_ssize_t)left, &ret_word->items[ret_word->count]);
        if (size <= 0)
            return false;
        ret_word->count++;
        bytes += size;
        left -= (size_t)size;
    }
    return ret_word->count > 0;
}

static fallible
refuse(const char *reason)
{
    return fail(ERR_INVALID, "/username", "%s", reason);
}

// Blanks separate words; no other character is taken for one.
static fallible
check(const struct word *word)
{
    for (size_t i = 0; i < word->count; i++) {
        bool is_blank = word->items[i] == BLANK;
        if (is_blank && (i == 0 || i + 1 == word->count))
            return refuse("must not begin or end with a blank");
        if (!is_blank && !is_identifier(word, i))
            return fail(ERR_INVALID, "/username",
                        "must have letters, digits and visible ASCII characters only, not U+%04X",
                        (unsigned)word->items[i]);
    }
    return is_of_one_direction(word) ? OK : refuse("must have one writing direction");
}

fallible
username_prepare(struct arena *arena, const struct text *name, const struct text **ret_name)
{
    struct word word;
    const struct text *mapped = map(arena, name, keep_case);
    if (!mapped || text_size(mapped) > LIMIT_NAME_BYTES || !word_read(mapped, &word))
        return refuse("must be a text of UTF-8 with at most 256 bytes");
    TRY(check(&word));
    *ret_name = mapped;
    return OK;
}
