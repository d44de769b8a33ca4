// config_check_test.c - rules for values of settings.
#include "proto/config/config_check.h"

#include <criterion/criterion.h>
#include <string.h>

Test(config_check, hosts_are_addresses_or_localhost)
{
    cr_expect_null(check_host("127.0.0.1"));
    cr_expect_null(check_host("::1"));
    cr_expect_null(check_host("localhost"));
    cr_expect_str_eq(check_host("example.org"), "an IPv4 or IPv6 address, or localhost");
    cr_expect_str_eq(check_host("127.1"), "an IPv4 or IPv6 address, or localhost");
}

Test(config_check, a_token_is_16_to_256_visible_characters_or_nothing)
{
    cr_expect_null(check_token(""));
    cr_expect_null(check_token("0123456789abcdef"));
    cr_expect_not_null(check_token("0123456789abcde"));
    cr_expect_not_null(check_token("0123456789 bcdef"));
}

Test(config_check, networks_have_no_more_bits_than_their_family)
{
    cr_expect_null(check_networks(""));
    cr_expect_null(check_networks("10.0.0.0/8, fd00::/128"));
    cr_expect_not_null(check_networks("10.0.0.0/33"));
    cr_expect_not_null(check_networks("10.0.0.0"));
    cr_expect_not_null(check_networks("fd00::/129"));
}

Test(config_check, every_item_of_a_list_of_addresses_is_checked)
{
    cr_expect_null(check_origins("https://a.example, http://[::1]:8000"));
    cr_expect_null(check_origins(""));
    cr_expect_not_null(check_origins("*"));
    cr_expect_not_null(check_origins("a.example"));
    cr_expect_null(check_addresses("10.0.0.1,fd00::1"));
    cr_expect_not_null(check_addresses("10.0.0.1,host"));
}

Test(config_check, an_item_longer_than_any_address_is_refused)
{
    cr_expect_not_null(check_addresses(
        "0000000000000000000000000000000000000000000000000000000000000000000000001"));
}

Test(config_check, a_method_has_its_half_life_and_others_have_none)
{
    cr_expect_eq(half_life_s("gps=86400, marker=604800", "marker"), 604800);
    cr_expect_eq(half_life_s("gps=86400, marker=604800", "gps"), 86400);
    cr_expect_eq(half_life_s("gps=86400", "slam"), 0);
    cr_expect_eq(half_life_s("", "gps"), 0);
}

Test(config_check, half_lives_are_from_1_s_to_1e9_s)
{
    cr_expect_null(check_half_lives("gps=1,marker=1e9"));
    cr_expect_not_null(check_half_lives("gps=0.5"));
    cr_expect_not_null(check_half_lives("gps=2e9"));
    cr_expect_not_null(check_half_lives("=86400"));
    cr_expect_not_null(check_half_lives("gps=1day"));
}

static enum error
check_replica(const char *endpoint, const char *curve)
{
    const struct config config = {.replica_endpoint = endpoint, .replica_curve = curve};
    return config_check_replica(&config);
}

Test(config_check, followers_beyond_loopback_need_keys)
{
    cr_assert_eq(check_replica("", ""), OK);
    cr_assert_eq(check_replica("tcp://127.0.0.1:5563", ""), OK);
    cr_assert_eq(check_replica("tcp://[::1]:*", ""), OK);
    cr_assert_eq(check_replica("tcp://0.0.0.0:5563", ""), ERR_INVALID);
    cr_assert_eq(check_replica("tcp://*:5563", ""), ERR_INVALID);
    cr_assert_eq(check_replica("tcp://leader.example.org:5563", ""), ERR_INVALID);
    cr_assert_eq(check_replica("pgm://127.0.0.1;239.1.1.1:5563", ""), ERR_INVALID);
    cr_assert_eq(check_replica("tcp://0.0.0.0:5563", "/etc/diorama/keys"), OK);
}

static enum error
check_database(const struct config *beside, const char *uri)
{
    struct config config = *beside;
    config.store_uri = uri;
    return config_check_database(&config);
}

Test(config_check, bytes_of_assets_are_in_the_database_or_in_a_folder)
{
    const struct config none = {.backup_dir = "", .replica_endpoint = "", .follow = ""};
    struct config stored = none;
    stored.blob_database = true;
    cr_assert_eq(check_database(&stored, "postgresql://d@/d"), OK);
    cr_assert_eq(check_database(&stored, ""), ERR_INVALID);
    cr_assert_not_null(strstr(fault_last()->detail, "blob.store=database"));
    stored.blob_dir = "/srv/blobs";
    cr_assert_eq(check_database(&stored, "postgresql://d@/d"), ERR_INVALID);
    cr_assert_not_null(strstr(fault_last()->detail, "blob.dir=/srv/blobs"));
}

Test(config_check, beside_a_database_nothing_is_copied_from_the_log_of_the_other_store)
{
    const struct config none = {.backup_dir = "", .replica_endpoint = "", .follow = ""};
    struct config backups = none, leads = none, follows = none;
    backups.backup_dir = "/var/backups/diorama";
    leads.replica_endpoint = "tcp://127.0.0.1:5563";
    follows.follow = "tcp://127.0.0.1:5563";
    const struct config *const refused[] = {&backups, &leads, &follows};
    const char *const named[] = {"backup.dir=", "replica.endpoint=", "follow="};
    struct config shared = none;
    shared.blob_dir = "/srv/blobs";
    cr_assert_eq(check_database(&shared, "postgresql://d@/d"), OK);
    cr_assert_eq(check_database(&shared, ""), ERR_INVALID);
    cr_assert_eq(check_database(&none, "postgresql://d@/d"), OK);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(check_database(refused[i], ""), OK);
        cr_assert_eq(check_database(refused[i], "postgresql://d@/d"), ERR_INVALID);
        cr_assert_not_null(strstr(fault_last()->detail, named[i]), "%s", fault_last()->detail);
    }
}
