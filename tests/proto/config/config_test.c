// config_test.c - the settings: defaults, file, environment, flags, refusals.
#include "proto/config/config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/config/config_check.h"

enum { ARGUMENTS = 8 };

static struct config config;
static enum config_action action;

// Loads with up to seven flags, ended by NULL.
static enum error
load(const char *const *flags)
{
    char *argv[ARGUMENTS + 1] = {strdup("dioramad")};
    int argc = 1;
    for (; flags[argc - 1]; argc++)
        argv[argc] = strdup(flags[argc - 1]);
    enum error error = config_load(argc, argv, &config, &action);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return error;
}
#define LOAD(...) load((const char *const[ARGUMENTS]){__VA_ARGS__})

static void
expect_refused(enum error error, const char *words)
{
    cr_expect_eq(error, ERR_INVALID);
    cr_expect_str_eq(fault_last()->detail, words);
}

// A file with this text; its name is good until the next call.
static const char *
file_with(const char *text)
{
    static char path[64];
    strcpy(path, "/tmp/diorama-config-XXXXXX");
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    return path;
}

static enum error
load_text(const char *text, const char *flag)
{
    const char *path = file_with(text);
    enum error error = LOAD("--config", path, flag);
    unlink(path);
    return error;
}

Test(config, defaults_serve_this_machine_alone)
{
    cr_assert_eq(LOAD(NULL), OK);
    cr_assert_eq(action, CONFIG_RUN);
    cr_assert_str_eq(config.data_dir, "./data");
    cr_assert(config.store_sync);
    cr_assert_not(config.store_recover);
    cr_assert_eq(config.store_reserve, INT64_C(64) << 20);
    cr_assert_str_eq(config.http_host, "127.0.0.1");
    cr_assert_eq(config.http_port, 8080);
    cr_assert_eq(config.http_threads, 512);
    cr_assert_eq(config.http_deadline_ms, 10000);
    cr_assert_str_eq(config.udp_host, "127.0.0.1");
    cr_assert_eq(config.udp_port, 8762);
    cr_assert_str_eq(config.pub_endpoint, "tcp://127.0.0.1:8763");
    cr_assert_eq(config.scene_memory, INT64_C(4) << 30);
    cr_assert_eq(config.scene_actors, 0);
    cr_assert_not(config.locks_enforce);
    cr_assert_not(config.events_cascade);
}

Test(config, flags_have_two_forms)
{
    cr_assert_eq(LOAD("--http.port=9000", "--udp.port", "9001"), OK);
    cr_assert_eq(config.http_port, 9000);
    cr_assert_eq(config.udp_port, 9001);
}

Test(config, flags_win_over_environment_over_file_over_defaults)
{
    setenv("DIORAMA_HTTP_PORT", "2", 1);
    setenv("DIORAMA_UDP_PORT", "2", 1);
    cr_assert_eq(load_text("http\n    port = 3\nudp\n    port = 3\nscene\n    actors = 3\n",
                           "--http.port=1"),
                 OK);
    cr_assert_eq(config.http_port, 1);
    cr_assert_eq(config.udp_port, 2);
    cr_assert_eq(config.scene_actors, 3);
    cr_assert_eq(config.http_threads, 512);
}

Test(config, the_last_of_two_flags_wins)
{
    cr_assert_eq(LOAD("--http.port=1", "--http.port=2"), OK);
    cr_assert_eq(config.http_port, 2);
}

Test(config, sizes_take_suffixes)
{
    static const struct {
        const char *flag;
        int64_t bytes;
    } rows[] = {
        {"--scene.memory=65536", 65536},         {"--scene.memory=64K", 65536},
        {"--scene.memory=3M", 3 << 20},          {"--scene.memory=2G", INT64_C(2) << 30},
        {"--scene.memory=1T", INT64_C(1) << 40},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_eq(LOAD(rows[i].flag), OK);
        cr_expect_eq(config.scene_memory, rows[i].bytes, "%s", rows[i].flag);
    }
}

Test(config, words_choose)
{
    cr_assert_eq(LOAD("--store.sync=never", "--store.recover=point-in-time", "--log.level=error",
                      "--log.format=json", "--locks.enforce=true"),
                 OK);
    cr_assert_not(config.store_sync);
    cr_assert(config.store_recover);
    cr_assert_eq(config.log_level, 3);
    cr_assert_eq(config.log_format, 1);
    cr_assert(config.locks_enforce);
}

Test(config, a_bad_number_names_the_range)
{
    static const char words[] = " is not allowed: it must be a whole number from 0 to 65535";
    static const char *const values[] = {
        "65536", "-1", "80x", "", " 80", "+80", "0x50", "1K", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char expected[128];
        snprintf(expected, sizeof(expected), "--http.port: \"%s\"%s", values[i], words);
        expect_refused(LOAD("--http.port", values[i]), expected);
    }
}

Test(config, a_bad_size_names_the_range)
{
    static const char *const values[] = {"4X", "63K", "17T", "4GB", "9999999999T"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char expected[128];
        snprintf(expected, sizeof(expected),
                 "--scene.memory: \"%s\" is not allowed: it must be a size from 64K to 16T, such "
                 "as 4G",
                 values[i]);
        expect_refused(LOAD("--scene.memory", values[i]), expected);
    }
}

Test(config, a_bad_word_names_the_words)
{
    expect_refused(
        LOAD("--log.level=loud"),
        "--log.level: \"loud\" is not allowed: it must be one of debug|info|warning|error");
}

Test(config, an_unknown_flag_names_the_nearest)
{
    expect_refused(LOAD("--http.prot=1"),
                   "--http.prot: there is no setting http.prot; the nearest is http.port");
    expect_refused(LOAD("--log.levle", "info"),
                   "--log.levle: there is no setting log.levle; the nearest is log.level");
}

Test(config, an_argument_that_is_no_flag_is_refused)
{
    expect_refused(LOAD("serve"),
                   "serve: only flags such as --http.port=8080 are known; see --help");
    expect_refused(LOAD("--http.port"), "--http.port needs a value");
}

Test(config, an_unknown_variable_of_our_sections_is_refused)
{
    setenv("DIORAMA_HTTP_PROT", "1", 1);
    expect_refused(LOAD(NULL),
                   "DIORAMA_HTTP_PROT: there is no setting http.prot; the nearest is http.port");
}

Test(config, variables_of_others_are_left_alone)
{
    setenv("DIORAMA_SERVICE_HOST", "10.0.0.1", 1);
    setenv("DIORAMA_LONG", "1", 1);
    cr_assert_eq(LOAD(NULL), OK);
}

Test(config, a_failure_leaves_the_outputs_alone)
{
    cr_assert_eq(LOAD("--http.port=77"), OK);
    cr_assert_eq(LOAD("--http.port=88", "--udp.port=x"), ERR_INVALID);
    cr_assert_eq(config.http_port, 77);
}

Test(config, a_file_names_itself_in_what_is_wrong)
{
    const char *path = file_with("http\n    port = high\n");
    char expected[256];
    snprintf(expected, sizeof(expected),
             "%s: http.port: \"high\" is not allowed: it must be a whole number from 0 to 65535",
             path);
    expect_refused(LOAD("--config", path), expected);
    unlink(path);
}

Test(config, unknown_names_in_a_file_are_refused)
{
    cr_assert_eq(load_text("http\n    prot = 1\n", NULL), ERR_INVALID);
    cr_assert_not_null(strstr(fault_last()->detail, "http.prot; the nearest is http.port"));
    cr_assert_eq(load_text("htpt\n    port = 1\n", NULL), ERR_INVALID);
    cr_assert_eq(load_text("http = 1\n", NULL), ERR_INVALID);
}

Test(config, a_file_that_cannot_be_read_says_why)
{
    expect_refused(LOAD("--config=/nowhere/x.zpl"),
                   "--config: cannot read /nowhere/x.zpl: No such file or directory");
    expect_refused(LOAD("--config=/tmp"), "--config: cannot read /tmp: Is a directory");
    expect_refused(LOAD("--config=/dev/zero"),
                   "--config: /dev/zero is not a ZPL file of less than 64 KiB");
}

Test(config, beyond_loopback_needs_a_word_while_there_are_no_users)
{
    static const char *const hosts[] = {"0.0.0.0", "::", "192.168.1.2", "128.0.0.1"};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        cr_expect_eq(LOAD("--http.host", hosts[i]), ERR_INVALID, "%s", hosts[i]);
        cr_expect_eq(LOAD("--udp.host", hosts[i]), ERR_INVALID, "%s", hosts[i]);
        cr_expect_eq(LOAD("--foxglove.host", hosts[i], "--foxglove.port=8765"), ERR_INVALID, "%s",
                     hosts[i]);
        cr_expect_eq(LOAD("--foxglove.host", hosts[i]), OK, "%s: it is off", hosts[i]);
        cr_expect_eq(
            LOAD("--http.host", hosts[i], "--udp.host", hosts[i], "--auth.allow_anonymous=true"),
            OK);
    }
}

Test(config, any_loopback_address_needs_none)
{
    static const char *const hosts[] = {"127.0.0.1", "127.1.2.3", "::1", "localhost"};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
        cr_expect_eq(LOAD("--http.host", hosts[i], "--udp.host", hosts[i]), OK, "%s", hosts[i]);
}

Test(config, a_text_that_no_settings_file_can_hold_is_refused)
{
    expect_refused(LOAD("--data.dir=a\"b'c"), "--data.dir: \"a\"b'c\" is not allowed: it must be "
                                              "without one of the two quotes");
    expect_refused(LOAD("--data.dir=a\tb"), "--data.dir: \"a\tb\" is not allowed: it must be "
                                            "without control characters");
}

Test(config, hosts_are_addresses)
{
    expect_refused(LOAD("--http.host=127.1"), "--http.host: \"127.1\" is not allowed: it must be "
                                              "an IPv4 or IPv6 address, or localhost");
    cr_assert_eq(LOAD("--http.host="), ERR_INVALID);
}

Test(config, pub_beyond_loopback_needs_pub_insecure)
{
    static const char *const endpoints[] = {"tcp://*:8763", "tcp://0.0.0.0:8763", "tcp://eth0:1",
                                            "tcp://[::]:1", "udp://127.0.0.1:1",  "tcp:"};
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        cr_expect_eq(LOAD("--pub.endpoint", endpoints[i]), ERR_INVALID, "%s", endpoints[i]);
        cr_expect_eq(LOAD("--pub.endpoint", endpoints[i], "--pub.insecure=true"), OK);
    }
    cr_assert_eq(LOAD("--pub.endpoint=tcp://*:1", "--auth.allow_anonymous=true"), ERR_INVALID);
}

Test(config, local_pub_endpoints_need_none)
{
    static const char *const endpoints[] = {"tcp://127.0.0.1:0", "tcp://[::1]:8763",
                                            "tcp://localhost:1", "ipc:///run/diorama.pub", ""};
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++)
        cr_expect_eq(LOAD("--pub.endpoint", endpoints[i]), OK, "%s", endpoints[i]);
}

Test(config, users_may_be_served_beyond_loopback)
{
    cr_expect_eq(LOAD("--http.host=0.0.0.0", "--auth.enabled=true", "--pub.endpoint="), OK);
    cr_expect(config.auth_enabled);
    cr_expect_str_eq(config.auth_admin_user, "admin");
    cr_expect_str_eq(config.auth_admin_password, "");
    cr_expect_eq(LOAD("--auth.admin_user="), ERR_INVALID);
}

Test(config, with_users_nothing_is_published_to_everybody)
{
    static const char *const endpoints[] = {"tcp://127.0.0.1:8763", "ipc:///run/diorama.pub",
                                            "tcp://*:8763"};
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        char folder[CONFIG_FOLDER_SIZE];
        cr_expect_eq(LOAD("--auth.enabled=true", "--pub.endpoint", endpoints[i]), OK);
        cr_expect(config_curve_folder(&config, folder));
        cr_expect_str_eq(folder, "./data/pub");
        cr_expect_eq(
            LOAD("--auth.enabled=true", "--pub.endpoint", endpoints[i], "--pub.insecure=true"), OK);
        cr_expect_eq(
            LOAD("--auth.enabled=true", "--pub.endpoint", endpoints[i], "--pub.curve_dir=/keys"),
            OK);
    }
}

Test(config, the_password_of_the_administrator_is_never_said)
{
    char *words = NULL;
    size_t size;
    cr_assert_eq(LOAD("--auth.admin_password=correct horse"), OK);
    cr_assert_str_eq(config.auth_admin_password, "correct horse");
    FILE *out = open_memstream(&words, &size);
    config_print(&config, out);
    fclose(out);
    cr_assert_not_null(strstr(words, "admin_password = \"***\""));
    cr_assert_null(strstr(words, "horse"));
    free(words);
}

Test(config, half_lives_are_checked)
{
    cr_expect_eq(LOAD("--alignment.half_life="), OK);
    cr_expect_eq(config.alignment_confirm_users, 2);
    cr_expect_eq(LOAD("--alignment.confirm_users=0"), ERR_INVALID);
    cr_expect_eq(LOAD("--alignment.half_life=gps=86400, marker=1.5"), OK);
    cr_expect_float_eq(half_life_s(config.alignment_half_life, "gps"), 86400, 0);
    cr_expect_float_eq(half_life_s(config.alignment_half_life, "marker"), 1.5, 0);
    cr_expect_float_eq(half_life_s(config.alignment_half_life, "mark"), 0, 0);
    cr_expect_float_eq(half_life_s(config.alignment_half_life, ""), 0, 0);
    cr_expect_float_eq(half_life_s(NULL, "gps"), 0, 0);
    cr_expect_eq(LOAD("--alignment.half_life=gps"), ERR_INVALID);
    cr_expect_eq(LOAD("--alignment.half_life==1"), ERR_INVALID);
    cr_expect_eq(LOAD("--alignment.half_life=gps=0"), ERR_INVALID);
    cr_expect_eq(LOAD("--alignment.half_life=gps=1s"), ERR_INVALID);
    cr_expect_eq(LOAD("--alignment.half_life=gps=1,,marker=1"), ERR_INVALID);
}

Test(config, networks_and_proxies_are_checked)
{
    cr_expect_eq(LOAD("--udp.trusted_networks=10.0.0.0/8, ::1/128"), OK);
    cr_expect_eq(LOAD("--udp.trusted_networks=10.0.0.0/33"), ERR_INVALID);
    cr_expect_eq(LOAD("--udp.trusted_networks=10.0.0.0"), ERR_INVALID);
    cr_expect_eq(LOAD("--udp.trusted_networks=10.0.0.0/8,,::1/128"), ERR_INVALID);
    cr_expect_eq(LOAD("--http.cors_origins=https://a.example,http://127.0.0.1:8000"), OK);
    cr_expect_eq(LOAD("--http.cors_origins=*"), ERR_INVALID);
    cr_expect_eq(LOAD("--http.cors_origins=https://a.example,https://*.b.example"), ERR_INVALID);
    cr_expect_eq(LOAD("--http.cors_origins=null"), ERR_INVALID);
    cr_expect_eq(LOAD("--http.trusted_proxies=10.0.0.1,fd00::1"), OK);
    cr_expect_eq(LOAD("--http.trusted_proxies=proxy"), ERR_INVALID);
}

Test(config, actions_come_back)
{
    static const struct {
        const char *flag;
        enum config_action action;
    } rows[] = {
        {"--check-config", CONFIG_CHECK}, {"--check-store", CONFIG_STORE},
        {"--print-config", CONFIG_PRINT}, {"--help", CONFIG_HELP},
        {"--version", CONFIG_VERSION},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_eq(LOAD(rows[i].flag), OK);
        cr_expect_eq(action, rows[i].action);
    }
}

Test(config, checking_refuses_what_running_would_refuse)
{
    cr_assert_eq(LOAD("--check-config", "--http.port=x"), ERR_INVALID);
    cr_assert_eq(LOAD("--help", "--http.port=x"), OK);
}

Test(config, what_is_printed_reads_back_the_same)
{
    cr_assert_eq(LOAD("--data.dir=/srv/a \"b\" #c", "--scene.memory=65537", "--store.sync=never",
                      "--log.level=debug", "--http.port=1"),
                 OK);
    char *first = NULL, *second = NULL;
    size_t size;
    FILE *out = open_memstream(&first, &size);
    config_print(&config, out);
    fclose(out);
    cr_assert_eq(load_text(first, NULL), OK, "%s", fault_last()->detail);
    cr_assert_str_eq(config.data_dir, "/srv/a \"b\" #c");
    cr_assert_eq(config.scene_memory, 65537);
    out = open_memstream(&second, &size);
    config_print(&config, out);
    fclose(out);
    cr_assert_str_eq(first, second);
    free(first);
    free(second);
}

Test(config, a_setting_without_a_section_stands_before_those_of_its_name)
{
    cr_assert_eq(LOAD("--follow=tcp://127.0.0.1:1", "--follow.key=k"), OK);
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    config_print(&config, out);
    fclose(out);
    cr_assert_not_null(strstr(printed, "\nfollow = \"tcp://127.0.0.1:1\"\n    curve_dir = \"\"\n"
                                       "    key = \"k\"\n"));
    cr_assert_eq(load_text(printed, NULL), OK, "%s", fault_last()->detail);
    cr_assert_str_eq(config.follow, "tcp://127.0.0.1:1");
    cr_assert_str_eq(config.follow_key, "k");
    free(printed);
}

Test(config, keys_of_a_section_alone_are_read_too)
{
    cr_assert_eq(load_text("follow\n    key = \"k\"\n", NULL), OK, "%s", fault_last()->detail);
    cr_assert_str_eq(config.follow, "");
    cr_assert_str_eq(config.follow_key, "k");
}

Test(config, help_names_a_setting_with_default_and_sentence)
{
    char *help = NULL;
    size_t size;
    FILE *out = open_memstream(&help, &size);
    config_help(out);
    fclose(out);
    cr_assert_not_null(strstr(help, "  --http.deadline          How long a request may take inside "
                                    "before it is answered 503. Default 10000 ms.\n"));
    free(help);
}

// Secrets

#define TOKEN "0123456789abcdef"

static void
expect_never_said(const char *secret, const char *words)
{
    cr_expect_null(strstr(words, secret), "%s", words);
}

Test(config, secret_is_not_printed)
{
    char *printed = NULL;
    size_t size;
    cr_assert_eq(LOAD("--metrics.token=" TOKEN), OK);
    cr_assert_str_eq(config.metrics_token, TOKEN);
    FILE *out = open_memstream(&printed, &size);
    config_print(&config, out);
    fclose(out);
    expect_never_said(TOKEN, printed);
    cr_assert(strstr(printed, "metrics\n    token = \"***\"\n"), "%s", printed);
    // What stands there is no token: a printed file cannot make a server with a known one.
    cr_assert_eq(load_text(printed, NULL), ERR_INVALID);
    free(printed);
}

Test(config, secret_that_is_refused_is_not_said)
{
    expect_refused(LOAD("--metrics.token=hunter2"),
                   "--metrics.token: \"***\" is not allowed: it must be 16 to 256 visible ASCII "
                   "characters");
    cr_assert_eq(LOAD("--metrics.token=hunter2 hunter2 hunter2"), ERR_INVALID);
    expect_never_said("hunter2", fault_last()->detail);
}

Test(config, secret_comes_from_the_first_line_of_its_file)
{
    const char *path = file_with(TOKEN "\r\nsecond line\n");
    cr_assert_eq(LOAD("--metrics.token_file", path), OK, "%s", fault_last()->detail);
    unlink(path);
    cr_assert_str_eq(config.metrics_token, TOKEN);
}

Test(config, the_uri_of_a_database_ends_before_the_blanks_of_its_file)
{
    const char *path = file_with("postgresql://h/d \t\r\n");
    cr_assert_eq(LOAD("--store.uri_file", path), OK, "%s", fault_last()->detail);
    unlink(path);
    cr_assert_str_eq(config.store_uri, "postgresql://h/d");
}

Test(config, the_uri_of_a_database_is_not_awaited_from_a_pipe)
{
    expect_refused(LOAD("--store.uri_file=/dev/zero"),
                   "store.uri_file: /dev/zero is no regular file");
}

Test(config, file_of_a_secret_must_be_there_and_hold_it)
{
    expect_refused(LOAD("--metrics.token_file=/nowhere"),
                   "metrics.token_file: cannot read /nowhere: No such file or directory");
    const char *path = file_with("\n" TOKEN);
    cr_assert_eq(LOAD("--metrics.token_file", path), ERR_INVALID);
    unlink(path);
    expect_never_said(TOKEN, fault_last()->detail);
}

Test(config, secret_and_its_file_are_one_too_many)
{
    expect_refused(LOAD("--metrics.token=" TOKEN, "--metrics.token_file=/nowhere"),
                   "metrics.token and metrics.token_file: only one of them may be set");
}
