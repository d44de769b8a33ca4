"""Row ENGINE: PostgreSQL with a standby in step beside RocksDB, on the same disk; a takeover and a
start with many scenes at rest.
"""

import subprocess
import time

from peers import BIN, Client, Server, lua, milliseconds, wait_until

import database
from loads import FOLDER, UPDATE, server_with_object, side

ON_DISK = "/var/tmp"
SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "8GB"}


def middle(values):
    return sorted(values)[len(values) // 2]


def speed(say, interleaved, primary):
    """64 writers and 64 readers, in one interleaved run."""
    script = lua(FOLDER, "POST", UPDATE)
    rocks, rocks_key = server_with_object()
    postgres, postgres_key = server_with_object(store_uri=primary.create())
    paths = [f"/v1/scene/bench/object/{key}" for key in (rocks_key, postgres_key)]
    for what, script_of, goal in (("durable update", script, 0.25), ("GET of an object", None, 0.95)):
        got = interleaved(postgres=side(postgres, paths[1], 64, script_of), rocks=side(rocks, paths[0], 64, script_of))
        say("ENGINE", f"{what}, 64 connections: PostgreSQL {got['postgres'][0]:,.0f}/s "
            f"({got['postgres'][1]:.1f} µs CPU of ours), RocksDB {got['rocks'][0]:,.0f}/s ({got['rocks'][1]:.1f} µs)",
            got["postgres"][0] / got["rocks"][0], goal)
    rocks.end()
    postgres.end()


def filled(primary, scenes):
    """The URI of a database with so many scenes, each with an object."""
    server = Server(store_uri=primary.create())
    subprocess.run([BIN / "bench_fill", str(scenes), "1", f"--data.dir={server.flags['data_dir']}",
                    f"--store.uri={server.flags['store_uri']}"], check=True)
    server.end()
    primary.run("VACUUM ANALYZE", server.flags["store_uri"])
    return server.flags["store_uri"]


def first_write(server):
    """Waits until the server takes one."""
    def is_taken():
        try:
            with Client(server, timeout=2) as client:
                return client.post("/v1/scene/first/object/", {"objects": [{"name": "first"}]}).status == 200
        except OSError:
            return False
    wait_until(is_taken, 60, "a takeover")


def takeovers(say, primary, scenes, rounds):
    uri = filled(primary, scenes)
    first = Server(store_uri=uri, log_level="warning").start()
    took = []
    for _ in range(rounds):
        second = Server(store_uri=uri, log_level="warning")
        second.launch()
        wait_until(lambda server=second: "stands by" in server.log_text(), 30, "a standby")
        time.sleep(1)  # it has seen a beat
        began = time.monotonic()
        first.kill()
        first_write(second)
        took.append(time.monotonic() - began)
        first.end()
        first = second
    say("ENGINE", f"{scenes:,} scenes: from a kill -9 to the first write elsewhere {middle(took):.2f} s, "
        f"at most {max(took):.2f} s", max(took) / 4, 1, at_most=True)
    first.end()


def starts(say, primary, scenes, rounds):
    server, took = Server(store_uri=filled(primary, scenes), log_level="warning"), []
    for _ in range(rounds):
        took.append(milliseconds(server.start))
        server.stop()
    say("ENGINE", f"{scenes:,} scenes at rest: ready after {middle(took):,.0f} ms", middle(took) / 4000, 1, at_most=True)
    server.end()


def table(say, interleaved, options):
    if not database.programs():
        say("ENGINE", "PostgreSQL is not installed (tools/install-packages test)")
        return
    primary = database.Cluster(ON_DISK, **SETTINGS).start()
    database.Replica(primary).start()
    speed(say, interleaved, primary)
    takeovers(say, primary, options.million // 10, options.rounds)
    starts(say, primary, options.million, options.rounds)

