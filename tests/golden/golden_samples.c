// golden_samples.c - what the golden packets are about (golden.h): every msg_type, every member,
// every way to say a transform, texts and numbers that are easily got wrong.
#include <assert.h>
#include <string.h>

#include "tests/golden/golden.h"

#define CUBE "{\"key\":\"5b98880a270698496c36e392\",\"name\":\"cube\",\"scene\":\"s1\""
#define AT "\"transform\":[1,0,0,5,0,1,0,6.25,0,0,1,-7,0,0,0,1]"
#define PLACED CUBE "," AT "}"
#define GRAVITY "{\"key\":\"gravity\",\"name\":\"g\",\"scene\":\"s1\""
#define WALK                                                                                       \
    "\"actions\":[{\"name\":\"walk\",\"description\":\"on\",\"fps\":30,\"loop\":true,"             \
    "\"keyframes\":["                                                                              \
    "{\"frame\":-1,\"transform\":[1,0,0,1,0,1,0,2,0,0,1,3,0,0,0,1]},{\"frame\":24,"                \
    "\"translation_handle\":[{\"left_type\":\"vector\",\"left_x\":1,\"left_y\":2,"                 \
    "\"right_type\":\"free\",\"right_x\":3,\"right_y\":4.5},{\"left_x\":0.5},{\"left_x\":0.25}]}]" \
    "}]"
#define SWING                                                                                      \
    "\"actions\":[{\"name\":\"swing\",\"keyframes\":[{\"frame\":1,\"values\":[103,{\"value\":1.5," \
    "\"left_type\":\"t\",\"left_x\":15,\"left_y\":16.2,\"right_type\":\"u\",\"right_x\":17.1,"     \
    "\"right_y\":18.3}]}]}]"
#define MOVED(matrix) CUBE ",\"transform\":[" matrix "]}"

// clang-format off
const struct golden_sample golden_entities[] = {
    {"object created",                0, 0, PLACED, NULL},
    {"object created with everything", 0, 0, CUBE ",\"type\":\"Mesh\",\"subtype\":\"Cube\",\"owner\":\"d1\",\"parent\":\"k0\",\"asset_sub_id\":\"body\",\"frame\":-3,\"timestamp\":9007199254740991,\"assets\":[\"a1\",\"a2\"],\"tags\":[\"red\",\"small\"],\"extras\":{\"x\":[1,2.5,null,true],\"y\":{\"z\":\"w\"}},\"visible\":false," AT "}", NULL},
    {"object created without anything", 0, 0, "{\"key\":\"k\"}", NULL},
    {"object moved",                  1, 0, MOVED("1,0,0,5,0,1,0,6,0,0,1,7,0,0,0,1"), PLACED},
    {"object turned and scaled",      1, 0, MOVED("0,0,3,5,1,0,0,6.25,0,2,0,-7,0,0,0,1"), PLACED},
    {"object turned by a third of a right angle", 1, 0, MOVED("0.8660254037844387,-0.49999999999999994,0,0.1,0.49999999999999994,0.8660254037844387,0,0.2,0,0,1,0.3,0,0,0,1"), PLACED},
    {"object mirrored",               1, 0, MOVED("-1,0,0,5,0,1,0,6,0,0,1,7,0,0,0,1"), PLACED},
    {"object sheared",                1, 0, MOVED("1,0.5,0,5,0,1,0,6.25,0,0,1,-7,0,0,0,1"), PLACED},
    {"object that is not affine",     1, 0, MOVED("1,0,0,5,0,1,0,6.25,0,0,1,-7,0.125,0,0,2"), PLACED},
    {"object flat",                   1, 0, MOVED("1,0,0,5,0,0,0,6.25,0,0,1,-7,0,0,0,1"), PLACED},
    {"object far away",               1, 0, MOVED("1,0,0,6378137.123456789,0,1,0,-1e-300,0,0,1,-0.0,0,0,0,1"), PLACED},
    {"object small",                  1, 0, MOVED("1e-3,0,0,0.1,0,1e-3,0,0.2,0,0,1e-3,0.3,0,0,0,1"), PLACED},
    {"object renamed",                1, 0, "{\"key\":\"5b98880a270698496c36e392\",\"name\":\"die\",\"scene\":\"s1\"," AT "}", PLACED},
    {"object with words of the world", 1, 0, "{\"key\":\"k\",\"name\":\"Würfel 立方体 🧊 \\\"quoted\\\" \\\\ \\n\\t\\u0001\\u0000 end\"}", "{\"key\":\"k\"}"},
    {"object with a text of 31 bytes", 1, 0, "{\"key\":\"k\",\"name\":\"0123456789012345678901234567890\"}", "{\"key\":\"k\"}"},
    {"object with a text of 32 bytes", 1, 0, "{\"key\":\"k\",\"name\":\"01234567890123456789012345678901\"}", "{\"key\":\"k\"}"},
    {"object with a text of 256 bytes", 1, 0, "{\"key\":\"k\",\"name\":\"0123456789012345678901234567890101234567890123456789012345678901012345678901234567890123456789010123456789012345678901234567890101234567890123456789012345678901012345678901234567890123456789010123456789012345678901234567890101234567890123456789012345678901\"}", "{\"key\":\"k\"}"},
    {"object with twenty assets",     1, 0, "{\"key\":\"k\",\"assets\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\",\"r\",\"s\",\"t\"]}", "{\"key\":\"k\"}"},
    {"object without what it had",    1, 0, "{\"key\":\"k\"}", "{\"key\":\"k\",\"owner\":\"d\",\"frame\":7,\"assets\":[\"a\"],\"tags\":[\"a\"],\"extras\":1,\"visible\":true,\"transform\":[1,0,0,5,0,1,0,6,0,0,1,7,0,0,0,1]}"},
    {"object shown",                  1, 0, "{\"key\":\"k\",\"visible\":true}", "{\"key\":\"k\"}"},
    {"object with extras of numbers", 1, 0, "{\"key\":\"k\",\"extras\":[0,-1,127,128,255,256,65535,65536,4294967295,4294967296,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,0.1,1e300,5e-324,-0.0]}", "{\"key\":\"k\"}"},
    {"object with extras of a text",  1, 0, "{\"key\":\"k\",\"extras\":\"text\"}", "{\"key\":\"k\"}"},
    {"object with extras that nest",  1, 0, "{\"key\":\"k\",\"extras\":{\"a\":{\"b\":{\"c\":[[{}]]}}}}", "{\"key\":\"k\"}"},
    {"object at frame 1000000",       1, 0, "{\"key\":\"k\",\"frame\":1000000,\"timestamp\":-9007199254740991}", "{\"key\":\"k\"}"},
    {"object with a fence of its lock", 1, 0, "{\"key\":\"k\",\"owner\":\"d1\",\"lock\":{\"holder\":\"d1\",\"user\":\"u1\",\"since_us\":1000000,\"until_us\":31000000,\"fence\":17}}", "{\"key\":\"k\"}"},
    {"object deleted",                3, 0, PLACED, NULL},
    {"keyframe of an object created", 15, 0, CUBE "," AT "," WALK "}", NULL},
    {"keyframe of an object updated", 16, 0, CUBE "," WALK "}", NULL},
    {"keyframe of an object deleted", 18, 0, CUBE ",\"actions\":[{\"name\":\"walk\"}]}", NULL},
    {"action of an object created",   19, 0, CUBE ",\"actions\":[{\"name\":\"walk\"},{\"name\":\"run\",\"fps\":60,\"loop\":false}]}", NULL},
    {"action of an object updated",   20, 0, CUBE "," WALK "}", NULL},
    {"action of an object deleted",   22, 0, CUBE "}", NULL},
    {"property created",              8, 0, GRAVITY ",\"values\":[9.81,{\"value\":1.0,\"left_type\":\"vector\",\"left_x\":0.25}]}", NULL},
    {"property created with everything", 8, 0, GRAVITY ",\"parent\":\"k0\",\"asset_sub_id\":\"body\",\"frame\":1,\"timestamp\":2,\"values\":[1]}", NULL},
    {"property with numbers",         9, 0, GRAVITY ",\"values\":[0,-0.0,-1,0.1]}", GRAVITY "}"},
    {"property with the ends of numbers", 9, 0, GRAVITY ",\"values\":[1e300,5e-324,1.7976931348623157e308,9007199254740992]}", GRAVITY "}"},
    {"property with values of all members", 9, 0, GRAVITY ",\"values\":[{\"value\":-2.5,\"left_type\":\"free\",\"left_x\":1,\"left_y\":2,\"right_type\":\"vector\",\"right_x\":3,\"right_y\":4}]}", GRAVITY "}"},
    {"property without values",       9, 0, GRAVITY "}", GRAVITY ",\"frame\":1,\"values\":[1]}"},
    {"property deleted",              11, 0, GRAVITY ",\"values\":[9.81]}", NULL},
    {"keyframe of a property created", 23, 0, GRAVITY "," SWING "}", NULL},
    {"keyframe of a property updated", 24, 0, GRAVITY "," SWING "}", NULL},
    {"keyframe of a property deleted", 26, 0, GRAVITY ",\"actions\":[{\"name\":\"swing\"}]}", NULL},
    {"action of a property created",  27, 0, GRAVITY ",\"actions\":[{\"name\":\"swing\",\"description\":\"to and fro\"}]}", NULL},
    {"action of a property updated",  28, 0, GRAVITY "," SWING "}", NULL},
    {"action of a property deleted",  30, 0, GRAVITY "}", NULL},
};
const unsigned golden_entities_count = sizeof golden_entities / sizeof golden_entities[0];

#define LOCKED CUBE ",\"owner\":\"d1\",\"lock\":{\"holder\":\"d1\",\"user\":\"u1\",\"since_us\":1000000,\"until_us\":31000000,\"fence\":17}}"
const struct golden_sample golden_others[] = {
    {"scene created",                 40, 0, "{\"key\":\"s1\",\"name\":\"plaza\",\"latitude\":48.2,\"longitude\":16.37,\"public\":true}", NULL},
    {"scene updated",                 41, 0, "{\"key\":\"s1\",\"name\":\"plaza\",\"height_m\":171.5,\"heading_deg\":-30,\"tags\":[\"a\"]}", NULL},
    {"scene deleted",                 42, 0, "{\"key\":\"s1\",\"name\":\"plaza\"}", NULL},
    {"device registered",             43, 0, "{\"key\":\"d1\",\"transform\":{\"translation\":[1,2,3],\"rotation\":[0,1.5,0]},\"hostname\":\"127.0.0.1\",\"port\":4000}", NULL},
    {"device deregistered",           44, 0, "{\"key\":\"d1\"}", NULL},
    {"alignment changed",             45, 0, "{\"key\":\"d1\",\"transform\":{\"translation\":[1,2,3.5],\"rotation\":[0,0,0]}}", NULL},
    {"lock granted",                  46, 0, LOCKED, NULL},
    {"lock expired",                  47, REASON_EXPIRED, CUBE "}", NULL},
    {"lock released",                 47, REASON_RELEASED, CUBE "}", NULL},
    {"lock of a device that is gone", 47, REASON_DEVICE_GONE, CUBE "}", NULL},
    {"lock revoked",                  47, REASON_REVOKED, CUBE "}", NULL},
    {"lock taken",                    47, REASON_TAKEN, LOCKED, NULL},
    {"lock asked for",                48, 0, "{\"object\":\"5b98880a270698496c36e392\",\"scene\":\"s1\",\"holder\":\"d1\",\"user\":\"u1\",\"asker\":\"u2\",\"device\":\"d2\",\"message\":\"please\"}", NULL},
};
const unsigned golden_others_count = sizeof golden_others / sizeof golden_others[0];
// clang-format on

unsigned
golden_find(const char *name)
{
    unsigned at = 0;
    while (at < golden_entities_count && strcmp(golden_entities[at].name, name) != 0)
        at++;
    assert(at < golden_entities_count);
    return at;
}
