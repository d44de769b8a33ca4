// media_sniffer_test.c - the media type of files by libmagic and by the end of a name.
#include "gateway/request/media_sniffer.h"

#include <criterion/criterion.h>
#include <string.h>

static struct sniffed found;

static const char *
type_of(const char *bytes, size_t size, const char *extension)
{
    media_sniff(bytes, size, extension, &found);
    return found.media_type;
}

Test(media_sniffer, images_are_known_by_their_first_bytes)
{
    static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0";
    cr_expect_str_eq(type_of(png, sizeof png - 1, ""), "image/png");
    cr_expect_str_eq(found.extension, "png");
    cr_expect_str_eq(type_of(png, sizeof png - 1, "obj"), "image/png");
}

Test(media_sniffer, models_are_known_by_their_names)
{
    cr_expect_str_eq(type_of("v 1 2 3\nf 1 1 1\n", 16, "obj"), "model/obj");
    cr_expect_str_eq(type_of("{\"asset\":{}}", 12, "GLTF"), "model/gltf+json");
    cr_expect_str_eq(type_of("glTF\2\0\0\0", 8, "glb"), "model/gltf-binary");
    cr_expect_str_eq(type_of("HIERARCHY\nROOT Hips\n", 20, "bvh"), "model/bvh");
}

Test(media_sniffer, what_nobody_knows_is_a_stream_of_octets)
{
    cr_expect_str_eq(type_of("\1\2\3\4", 4, "zzz"), "application/octet-stream");
    cr_expect_str_eq(found.extension, "");
    cr_expect_str_eq(type_of("", 0, ""), "application/octet-stream");
}

// A hundred thousand brackets: what reads them recurses.
Test(media_sniffer, deep_documents_do_no_harm)
{
    static char deep[64 << 10];
    memset(deep, '[', sizeof deep);
    cr_expect_neq(type_of(deep, sizeof deep, "json")[0], '\0');
    memset(deep, '{', sizeof deep);
    cr_expect_neq(type_of(deep, sizeof deep, "")[0], '\0');
}
