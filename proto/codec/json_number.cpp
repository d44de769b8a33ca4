// json_number.cpp - numbers as JSON text (json_number.h). Most are whole, have few decimals, or lie
// between a thousandth and 10^15, where the plain form of the shortest digits is the shortest text
// too; std::to_chars chooses the form of the others.
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <dragonbox/dragonbox.h>

extern "C" {
#include "proto/codec/json_number.h"
}

namespace {

constexpr size_t NUMBER_BYTES = 32; // more than the longest double, with room for ".0"
constexpr double WHOLE_MOST = 1e15;
constexpr double PLAIN_LEAST = 1e-3;
constexpr double SHORT_MOST = 1e9;
constexpr unsigned SHORT_PLACES = 6; // behind the point
constexpr unsigned PLACES = 19;      // behind the point: 17 digits, the first at the third place

constexpr std::array<uint64_t, PLACES + 1> POWERS = [] {
    std::array<uint64_t, PLACES + 1> powers{1};
    for (size_t i = 1; i < powers.size(); i++)
        powers[i] = powers[i - 1] * 10;
    return powers;
}();

// "00" to "99".
constexpr std::array<char, 200> PAIRS = [] {
    std::array<char, 200> pairs{};
    for (size_t i = 0; i < pairs.size(); i++)
        pairs[i] = static_cast<char>('0' + (i % 2 ? i / 2 % 10 : i / 20));
    return pairs;
}();

char *
room_for(struct buffer *out, size_t size)
{
    if (out->capacity - out->size < size)
        buffer_reserve(out, size);
    return out->data + out->size;
}

void
put_pair(uint32_t number, char *at)
{
    std::memcpy(at, &PAIRS[size_t{number} * 2], 2);
}

void
put_eight_digits(uint32_t number, char *at)
{
    uint32_t high = number / 10000, low = number % 10000;
    put_pair(high / 100, at);
    put_pair(high % 100, at + 2);
    put_pair(low / 100, at + 4);
    put_pair(low % 100, at + 6);
}

// Prints so many digits of a number, zeros ahead of it.
char *
put_digits(uint64_t number, unsigned count, char *at)
{
    char *end = at + count, *place = end;
    for (; place - at >= 8; number /= 100000000) {
        place -= 8;
        put_eight_digits(static_cast<uint32_t>(number % 100000000), place);
    }
    auto rest = static_cast<uint32_t>(number);
    for (; place - at >= 2; rest /= 100) {
        place -= 2;
        put_pair(rest % 100, place);
    }
    if (place > at)
        *at = static_cast<char>('0' + rest);
    return end;
}

char *
put_integer(int64_t value, char *at)
{
    if (value < 0 || value >= 10)
        return std::to_chars(at, at + NUMBER_BYTES, value).ptr;
    *at = static_cast<char>('0' + value);
    return at + 1;
}

// Most numbers of a transform are whole: identity rows, origins, unit scales. False for other
// numbers, for those too large to be exact, and for -0.0, whose sign an integer loses.
bool
put_whole(double value, char **end)
{
    if (!(value > -WHOLE_MOST && value < WHOLE_MOST))
        return false;
    auto whole = static_cast<int64_t>(value);
    if (static_cast<double>(whole) != value || (whole == 0 && std::signbit(value)))
        return false;
    char *at = put_integer(whole, *end);
    *at++ = '.';
    *at++ = '0';
    *end = at;
    return true;
}

// What people write, as places and sizes, has few decimals. Of numbers of at most 15 digits no two
// are the same double: one that reads back is the shortest. False for others; it is not whole.
bool
put_short(double value, char **end)
{
    constexpr uint64_t parts = POWERS[SHORT_PLACES];
    double size = std::fabs(value);
    if (!(size >= PLAIN_LEAST && size < SHORT_MOST))
        return false;
    auto scaled = static_cast<uint64_t>(size * parts + 0.5);
    if (static_cast<double>(scaled) / parts != size)
        return false;
    uint64_t rest = scaled % parts;
    unsigned places = SHORT_PLACES;
    for (; rest % 10 == 0; rest /= 10)
        places--;
    char *at = *end;
    *at = '-';
    at = put_integer(static_cast<int64_t>(scaled / parts), at + (value < 0));
    *at++ = '.';
    *end = put_digits(rest, places, at);
    return true;
}

// The shortest digits as they are, with a point. False for numbers of another size. The number is
// not whole, so that some of its digits stand behind the point.
bool
put_plain(double value, char **end)
{
    double size = std::fabs(value);
    if (!(size >= PLAIN_LEAST && size < WHOLE_MOST))
        return false;
    auto digits = jkj::dragonbox::to_decimal(size, jkj::dragonbox::policy::sign::ignore);
    auto places = static_cast<unsigned>(-digits.exponent);
    assert(places > 0 && places <= PLACES);
    char *at = *end;
    *at = '-';
    at = put_integer(static_cast<int64_t>(digits.significand / POWERS[places]), at + (value < 0));
    *at++ = '.';
    *end = put_digits(digits.significand % POWERS[places], places, at);
    return true;
}

// "1e+300" becomes "1.0e+300": old clients take a number without a decimal for an integer.
char *
put_shortest(double value, char *at)
{
    char *end = std::to_chars(at, at + NUMBER_BYTES, value).ptr;
    char *after = at + (*at == '-');
    while (after < end && *after >= '0' && *after <= '9')
        after++;
    if (after < end && *after == '.')
        return end;
    std::memmove(after + 2, after, static_cast<size_t>(end - after));
    after[0] = '.';
    after[1] = '0';
    return end + 2;
}

} // namespace

extern "C" void
json_put_number(struct buffer *out, double value)
{
    assert(std::isfinite(value));
    char *end = room_for(out, NUMBER_BYTES + 2);
    if (!put_whole(value, &end) && !put_short(value, &end) && !put_plain(value, &end))
        end = put_shortest(value, end);
    out->size = static_cast<size_t>(end - out->data);
}

extern "C" void
json_put_integer(struct buffer *out, int64_t value)
{
    char *at = room_for(out, NUMBER_BYTES);
    out->size = static_cast<size_t>(put_integer(value, at) - out->data);
}
