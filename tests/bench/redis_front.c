// redis_front.c - the peer of row P4: the least HTTP service that makes an update durable. civetweb
// with our own options hands each body to Redis (SET) and answers when Redis did.
// Usage: redis_front HTTP_PORT REDIS_PORT

#include <civetweb.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_BYTES = 4096 };

static int redis_port;

static void *
on_thread_start(const struct mg_context *server, int type)
{
    (void)server;
    return type == 1 ? redisConnect("127.0.0.1", redis_port) : NULL;
}

static void
on_thread_end(const struct mg_context *server, int type, void *redis)
{
    (void)server;
    (void)type;
    if (redis)
        redisFree(redis);
}

static int
on_request(struct mg_connection *connection)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Content-Length: 54\r\n\r\n"
                                 "{\"msg_type\":1,\"err_code\":100,\"num_records\":0,\"o\":[]}  ";
    char body[BODY_BYTES];
    int size = mg_read(connection, body, sizeof body);
    redisReply *reply = redisCommand(mg_get_thread_pointer(connection), "SET %s %b",
                                     mg_get_request_info(connection)->local_uri, body,
                                     (size_t)(size > 0 ? size : 0));
    if (!reply || reply->type == REDIS_REPLY_ERROR)
        mg_send_http_error(connection, 500, "redis");
    else
        mg_write(connection, answer, sizeof answer - 1);
    freeReplyObject(reply);
    return 200;
}

int
main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    redis_port = atoi(argv[2]);
    const char *options[] = {"listening_ports",   argv[1], "num_threads", "128",
                             "enable_keep_alive", "yes",   "tcp_nodelay", "1",
                             "connection_queue",  "2048",  NULL};
    const struct mg_callbacks callbacks = {
        .begin_request = on_request, .init_thread = on_thread_start, .exit_thread = on_thread_end};
    mg_init_library(0);
    struct mg_context *server = mg_start(&callbacks, NULL, options);
    if (!server)
        return 1;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int got;
    sigwait(&signals, &got);
    return 0;
}
