// range.c - Range and If-Range. Pure. A header that cannot be understood is ignored, as RFC 9110
// demands: the answer is the whole file.
#include "gateway/http/range.h"

#include <string.h>
#include <strings.h>

// Takes a number from `*at`; false if there is none. One that is too large becomes UINT64_MAX.
static bool
take_number(const char **at, uint64_t *ret_number)
{
    uint64_t number = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        unsigned digit = (unsigned)(**at - '0');
        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
    }
    *ret_number = number;
    return *at > start;
}

static bool
condition_holds(const char *if_range, const struct etag *etag)
{
    struct etag_item item;
    const char *at = if_range;
    return !if_range ||
           (etag_next(&at, &item) && *at == '\0' && !item.is_any &&
            item.size == strlen(etag->chars) && etag_item_names(&item, etag, ETAG_STRONG));
}

static enum range_verdict
last_bytes(uint64_t count, uint64_t size, struct range *ret_range)
{
    if (count == 0 || size == 0)
        return RANGE_NOWHERE;
    if (count > size)
        count = size;
    *ret_range = (struct range){size - count, count};
    return RANGE_PART;
}

enum range_verdict
range_decide(const char *range, const char *if_range, const struct etag *etag, uint64_t size,
             struct range *ret_range)
{
    static const char unit[] = "bytes=";
    if (!range || strncasecmp(range, unit, sizeof unit - 1) != 0 ||
        !condition_holds(if_range, etag))
        return RANGE_WHOLE;
    const char *at = range + sizeof unit - 1;
    at += strspn(at, " \t");
    uint64_t first, last;
    bool has_first = take_number(&at, &first);
    if (*at++ != '-')
        return RANGE_WHOLE;
    bool has_last = take_number(&at, &last);
    at += strspn(at, " \t");
    if (*at || !(has_first || has_last) || (has_first && has_last && last < first))
        return RANGE_WHOLE;
    if (!has_first)
        return last_bytes(last, size, ret_range);
    if (first >= size)
        return RANGE_NOWHERE;
    if (!has_last || last >= size)
        last = size - 1;
    *ret_range = (struct range){first, last - first + 1};
    return RANGE_PART;
}
