// json_corpus.h - tricky and malformed texts, and whether they are JSON to us. jansson reads each
// of them too; `ODD` marks those where the two differ (proto/codec/README.md has the table).
#ifndef DIORAMA_TESTS_PROTO_CODEC_JSON_CORPUS_H
#define DIORAMA_TESTS_PROTO_CODEC_JSON_CORPUS_H

#include <stdbool.h>
#include <stddef.h>

struct json_case {
    const char *chars;
    size_t size;
    bool good;
    bool odd; // jansson says the opposite
};

#define GOOD(chars_)                                                                               \
    {                                                                                              \
        chars_, sizeof(chars_) - 1, true, false                                                    \
    }
#define BAD(chars_)                                                                                \
    {                                                                                              \
        chars_, sizeof(chars_) - 1, false, false                                                   \
    }
#define ODD_GOOD(chars_)                                                                           \
    {                                                                                              \
        chars_, sizeof(chars_) - 1, true, true                                                     \
    }
#define ODD_BAD(chars_)                                                                            \
    {                                                                                              \
        chars_, sizeof(chars_) - 1, false, true                                                    \
    }

#define NEST_8(open) open open open open open open open open
#define NEST_31(open) NEST_8(open) NEST_8(open) NEST_8(open) open open open open open open open

// clang-format off
static const struct json_case json_cases[] = {
    // scalars and white space
    GOOD("null"), GOOD("true"), GOOD("false"), GOOD("\"\""), GOOD("0"), GOOD("[]"), GOOD("{}"),
    GOOD(" \t\r\n[ ] \n"), GOOD("[null,true,false]"), GOOD("\"text\""), GOOD("[[],{}]"),
    BAD(""), BAD(" "), BAD("\n\t"), BAD("nul"), BAD("nulll"), BAD("Null"), BAD("NULL"), BAD("True"),
    BAD("tru"), BAD("truefalse"), BAD("undefined"), BAD("nan"), BAD("NaN"), BAD("Infinity"),
    BAD("-Infinity"), BAD("inf"), BAD("\f[]"), BAD("\v[]"), BAD("\xa0[]"), BAD("[]\0"), BAD("\0"),
    BAD("[\0]"), BAD("\xef\xbb\xbf[]"), BAD("\xfe\xff"), BAD("// comment\n[]"), BAD("/**/[]"),
    BAD("[] []"), BAD("1 2"), BAD("{}{}"), BAD("[],"), BAD("'a'"), BAD("a"), BAD("*"),
    // arrays
    GOOD("[1]"), GOOD("[1,2]"), GOOD("[[[]]]"), GOOD("[\"a\",1,{}]"),
    BAD("["), BAD("]"), BAD("[1"), BAD("[1,"), BAD("[1,]"), BAD("[,1]"), BAD("[1,,2]"), BAD("[,]"),
    BAD("[1 2]"), BAD("[1;2]"), BAD("[1:2]"), BAD("[1}"), BAD("[[1]"), BAD("[1]]"), BAD("[(1)]"),
    BAD("[1,2"), BAD("[\"a\""), BAD("[\"a\","), BAD("[true false]"),
    // objects
    GOOD("{\"\":1}"), GOOD("{\"a\":{\"a\":1}}"), GOOD("{\"a\":1,\"b\":2}"), GOOD("{ \"a\" : 1 }"),
    BAD("{"), BAD("}"), BAD("{\"a\"}"), BAD("{\"a\":}"), BAD("{\"a\":1"), BAD("{\"a\":1,}"),
    BAD("{,}"), BAD("{:1}"), BAD("{1:2}"), BAD("{a:1}"), BAD("{'a':1}"), BAD("{null:1}"),
    BAD("{\"a\" 1}"), BAD("{\"a\"::1}"), BAD("{\"a\":1 \"b\":2}"), BAD("{\"a\":1;\"b\":2}"),
    BAD("{\"a\":1]"), BAD("{\"a\":1}}"), BAD("{[]:1}"), BAD("{\"a\",\"b\"}"), BAD("{\"a\":1,,\"b\":2}"),
    // the same name twice
    BAD("{\"a\":1,\"a\":1}"), BAD("{\"a\":1,\"b\":2,\"a\":3}"), BAD("{\"a\":1,\"\\u0061\":2}"),
    BAD("[{\"x\":{\"a\":1,\"a\":1}}]"), BAD("{\"\":1,\"\":2}"), GOOD("{\"a\":1,\"A\":2}"),
    GOOD("{\"a\":1,\"aa\":2,\"aaa\":3}"), GOOD("[{\"a\":1},{\"a\":1}]"),
    BAD("{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,"
        "\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"r\":0,\"c\":0}"),
    GOOD("{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,"
         "\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"r\":0,\"s\":0}"),
    // numbers
    GOOD("-0"), GOOD("-1"), GOOD("0.0"), GOOD("-0.0"), GOOD("1e5"), GOOD("1E5"), GOOD("1e+5"),
    GOOD("1e-5"), GOOD("1.5e300"), GOOD("123456789"), GOOD("9223372036854775807"),
    GOOD("-9223372036854775808"), GOOD("1e308"), GOOD("1.7976931348623157e308"), GOOD("5e-324"),
    GOOD("1e-400"), GOOD("0e0"), GOOD("0e999"), GOOD("0.1"), GOOD("1e00"), GOOD("1e-00"),
    GOOD("0.00000000000000000000000000000000000000000000000000000000000000000000000000000000001"),
    GOOD("3.141592653589793238462643383279502884197169399375105820974944592307816406286"),
    ODD_GOOD("9223372036854775808"), ODD_GOOD("18446744073709551615"),
    BAD("18446744073709551616"), BAD("-9223372036854775809"), BAD("100000000000000000000000"),
    BAD("1e309"), BAD("-1e309"), BAD("1e999999999999"), BAD("2e308"),
    BAD("00"), BAD("01"), BAD("-01"), BAD("-"), BAD("+1"), BAD(".5"), BAD("5."), BAD("-.5"),
    BAD("1.e5"), BAD("1e"), BAD("1e+"), BAD("1e-"), BAD("1ee5"), BAD("1e5.5"), BAD("1.2.3"),
    BAD("0x10"), BAD("1_000"), BAD("1,000"), BAD("--1"), BAD("1-"), BAD("1a"), BAD("\xef\xbc\x91"),
    BAD("- 1"), BAD("[1.]"), BAD("[-]"), BAD("[0.e1]"), BAD("1f"), BAD("1L"), BAD("0b1"), BAD("1e1e1"),
    // strings
    GOOD("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), GOOD("\"\\u0041\""), GOOD("\"\\u00e9\""), GOOD("\"\\uFFFF\""),
    GOOD("\"\\ud83d\\ude00\""), GOOD("\"\\uD83D\\uDE00\""), GOOD("\"\xc3\xa9\""), GOOD("\"/\""),
    GOOD("\"\xf0\x9f\x98\x80\""), GOOD("\"\x7f\""), GOOD("\"\\u007f\""), GOOD("\"\\u0000\""),
    GOOD("\"a\\u0000b\""), GOOD("\"\xef\xbf\xbf\""), GOOD("\"\xf4\x8f\xbf\xbf\""), GOOD("\"\xef\xbb\xbf\""),
    ODD_GOOD("{\"\\u0000\":1}"), ODD_GOOD("{\"a\\u0000b\":1}"),
    BAD("\""), BAD("\"a"), BAD("a\""), BAD("\"\\\""), BAD("\"\\"), BAD("\"\\x41\""), BAD("\"\\a\""),
    BAD("\"\\0\""), BAD("\"\\v\""), BAD("\"\\'\""), BAD("\"\\u\""), BAD("\"\\u1\""), BAD("\"\\u12\""),
    BAD("\"\\u123\""), BAD("\"\\u123g\""), BAD("\"\\U0041\""), BAD("\"\\u{41}\""), BAD("\"\\u 041\""),
    BAD("\"\\u-041\""), BAD("\"\\ud83d\""), BAD("\"\\ude00\""), BAD("\"\\ud83dx\""), BAD("\"\\ud83d\\n\""),
    BAD("\"\\ud83d\\u0041\""), BAD("\"\\ud83d\\ud83d\""), BAD("\"\\ude00\\ud83d\""), BAD("\"\\ud83d\\ude0\""),
    BAD("\"\n\""), BAD("\"\t\""), BAD("\"\r\""), BAD("\"\x01\""), BAD("\"\x1f\""), BAD("\"\0\""),
    BAD("{\"\\ud800\":1}"), BAD("{\"\n\":1}"), BAD("\"a\" \"b\""),
    // what is not UTF-8
    BAD("\"\x80\""), BAD("\"\xbf\""), BAD("\"\xc0\x80\""), BAD("\"\xc1\xbf\""), BAD("\"\xc3\""),
    BAD("\"\xc3(\""), BAD("\"\xe0\x80\x80\""), BAD("\"\xe0\x9f\xbf\""), BAD("\"\xed\xa0\x80\""),
    BAD("\"\xed\xbf\xbf\""), BAD("\"\xe2\x82\""), BAD("\"\xf0\x80\x80\x80\""), BAD("\"\xf0\x8f\xbf\xbf\""),
    BAD("\"\xf4\x90\x80\x80\""), BAD("\"\xf5\x80\x80\x80\""), BAD("\"\xf8\x88\x80\x80\x80\""),
    BAD("\"\xfe\""), BAD("\"\xff\""), BAD("{\"\xff\":1}"), BAD("\xff"), BAD("[\xc3\xa9]"),
    // depth: 32 is the most
    GOOD(NEST_31("[") "[" "]" NEST_31("]")), GOOD(NEST_31("[") "1" NEST_31("]")),
    GOOD(NEST_31("{\"a\":") "{}" NEST_31("}")), GOOD(NEST_31("[") "{}" NEST_31("]")),
    ODD_BAD(NEST_31("[") "[[]]" NEST_31("]")), ODD_BAD(NEST_31("{\"a\":") "{\"a\":{}}" NEST_31("}")),
    ODD_BAD(NEST_31("[") "[[1]]" NEST_31("]")), BAD(NEST_31("[")), BAD(NEST_31("[") NEST_31("[")),
    BAD(NEST_31("{\"a\":")),
};
// clang-format on

#endif
