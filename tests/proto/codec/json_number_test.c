// json_number_test.c - numbers as JSON text, against their own bits and against what printf rounds.
#include "proto/codec/json_number.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/samples.h"

static struct buffer out;

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(json_number, .fini = finish);

static void
prints(double value, const char *expected)
{
    buffer_clear(&out);
    json_put_number(&out, value);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(json_number, numbers_have_a_decimal_and_as_few_digits_as_read_back)
{
    static const struct {
        double value;
        const char *chars;
    } rows[] = {
        // clang-format off
        {0, "0.0"},             {-0.0, "-0.0"},         {1, "1.0"},               {-1, "-1.0"},
        {9, "9.0"},             {10, "10.0"},           {-10, "-10.0"},           {123456, "123456.0"},
        {0.1, "0.1"},           {-0.5, "-0.5"},         {0.3, "0.3"},             {1.0 / 3, "0.3333333333333333"},
        {0.001, "0.001"},       {1e-5, "1.0e-05"},      {1.5e-9, "1.5e-09"},      {1e300, "1.0e+300"},
        {-1e300, "-1.0e+300"},  {1.5e300, "1.5e+300"},  {5e-324, "5.0e-324"},     {999999999999999, "999999999999999.0"},
        {1e15, "1.0e+15"},      {-1e15, "-1.0e+15"},    {9007199254740993.0, "9007199254740992.0"},
        {1.7976931348623157e308, "1.7976931348623157e+308"}, {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {100000, "100000.0"},   {1e14, "100000000000000.0"}, {3.141592653589793, "3.141592653589793"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        prints(rows[i].value, rows[i].chars);
}

// Digits without sign, leading zeros, point and exponent.
static size_t
count_digits(const char *chars)
{
    size_t digits = 0, zeros = 0;
    for (; *chars && *chars != 'e'; chars++)
        if (*chars >= '0' && *chars <= '9' && (digits || *chars != '0')) {
            zeros = *chars == '0' ? zeros + 1 : 0;
            digits++;
        }
    return digits - zeros;
}

Test(json_number, two_hundred_thousand_numbers_read_back_as_the_same_bits)
{
    struct random random = {7};
    for (unsigned i = 0; i < 200000; i++) {
        double value = random_number(&random), back;
        buffer_clear(&out);
        json_put_number(&out, value);
        buffer_put_char(&out, '\0');
        back = strtod(out.data, NULL);
        cr_assert_eq(memcmp(&back, &value, sizeof value), 0, "%s for %a", out.data, value);
        cr_assert(strchr(out.data, '.'), "%s", out.data);
    }
}

Test(json_number, no_text_with_fewer_digits_reads_back)
{
    struct random random = {8};
    for (unsigned i = 0; i < 5000; i++) {
        double value = random_number(&random);
        char shorter[40];
        buffer_clear(&out);
        json_put_number(&out, value);
        buffer_put_char(&out, '\0');
        size_t digits = count_digits(out.data);
        // Beyond 2^53 a whole number without exponent has all its digits: they are not longer.
        if (digits < 2 || (fabs(value) >= 0x1p53 && !strchr(out.data, 'e')))
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, value);
        cr_assert_neq(strtod(shorter, NULL), value, "%s, but %s is enough", out.data, shorter);
    }
}

// Of the texts with so many digits it is the one that lies nearest.
Test(json_number, digits_are_those_that_printf_rounds_to)
{
    struct random random = {11};
    for (unsigned i = 0; i < 200000; i++) {
        double value = ((double)random_below(&random, UINT32_MAX) / UINT32_MAX * 2 - 1) *
                       pow(10, (double)random_below(&random, 19) - 4);
        char rounded[64];
        buffer_clear(&out);
        json_put_number(&out, value);
        buffer_put_char(&out, '\0');
        const char *point = strchr(out.data, '.');
        if (fabs(value) < 1e-3 || strcmp(point, ".0") == 0)
            continue;
        snprintf(rounded, sizeof rounded, "%.*f", (int)strlen(point + 1), value);
        cr_assert_str_eq(out.data, rounded);
    }
}

Test(json_number, numbers_of_few_decimals_are_printed_as_they_were_written)
{
    static const struct {
        double value;
        const char *chars;
    } rows[] = {
        {11.5, "11.5"},
        {-0.001, "-0.001"},
        {0.0012, "0.0012"},
        {0.0001, "1.0e-04"},
        {-62.8040351, "-62.8040351"},
        {99999999.9999999, "99999999.9999999"},
        {100000000.5, "100000000.5"},
        {0.00000005, "5.0e-08"},
        {999999999.999999, "999999999.999999"},
        {1000000000.25, "1000000000.25"},
        {-0.001001, "-0.001001"},
        {50.92, "50.92"},
        {2.0000005, "2.0000005"},
        {2.00000049999999, "2.00000049999999"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        prints(rows[i].value, rows[i].chars);
    struct random random = {9};
    for (unsigned i = 0; i < 100000; i++) {
        char written[64];
        unsigned whole_digits = (unsigned)random_below(&random, 9);
        int decimals = 1 + (int)random_below(&random, 14 - whole_digits); // 15 digits are exact
        double size = pow(10, whole_digits);
        snprintf(written, sizeof written, "%.*f", decimals,
                 (double)random_below(&random, 1000000000) / 1e9 * size + 1);
        size_t end = strlen(written);
        while (written[end - 1] == '0' && written[end - 2] != '.')
            end--;
        written[end] = '\0';
        prints(strtod(written, NULL), written);
    }
}

Test(json_number, integers_are_plain)
{
    json_put_integer(&out, INT64_MIN);
    buffer_put_char(&out, ' ');
    json_put_integer(&out, 0);
    buffer_put_char(&out, ' ');
    json_put_integer(&out, INT64_MAX);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "-9223372036854775808 0 9223372036854775807");
}
