// watch.c - a subscriber of Diorama's PUB in C: prints the topic and the size of each event.
//   cc watch.c -o watch -lczmq
//   ./watch tcp://127.0.0.1:8763 scene.plaza. [alice.key server.key]
// The last two are for a server with pub.curve_dir: our keys, as `diorama keygen alice.key` made
// them, and the server's public one. A topic is scene.<key>.<noun>.<msg_type>; header and body are
// msgpack maps, for any msgpack library.
#include <czmq.h>

static int
use_keys(zsock_t *feed, const char *ours, const char *server)
{
    zcert_t *cert = zcert_load(ours), *server_cert = zcert_load(server);
    if (cert && server_cert) {
        zcert_apply(cert, feed);
        zsock_set_curve_serverkey(feed, zcert_public_txt(server_cert));
    }
    int is_ready = cert && server_cert;
    zcert_destroy(&cert);
    zcert_destroy(&server_cert);
    return is_ready;
}

int
main(int argc, char **argv)
{
    if (argc != 3 && argc != 5)
        return 2;
    zsock_t *feed = zsock_new(ZMQ_SUB);
    if (argc == 5 && !use_keys(feed, argv[3], argv[4]))
        return 1;
    zsock_set_subscribe(feed, argv[2]);
    if (zsock_connect(feed, "%s", argv[1]) != 0)
        return 2;
    zmsg_t *message;
    while ((message = zmsg_recv(feed)) != NULL) {
        char *topic = zmsg_popstr(message);
        zframe_t *header = zmsg_pop(message), *body = zmsg_pop(message);
        printf("%s header=%zu body=%zu\n", topic, header ? zframe_size(header) : 0,
               body ? zframe_size(body) : 0);
        fflush(stdout);
        zframe_destroy(&header);
        zframe_destroy(&body);
        zstr_free(&topic);
        zmsg_destroy(&message);
    }
    zsock_destroy(&feed);
    return 0;
}
