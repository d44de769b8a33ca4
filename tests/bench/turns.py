"""What hostile work does to everybody else: row P17 of tests/bench/run.

A scene of 100,000 objects is queried by 100 filters, streamed anew after updates, and deleted, while
another user reads another scene.
"""

from peers import Client, Server, wait_until

from loads import NO_BUDGET
from pace import Pace
from support import objects, run_together, scene_path, scenes

OBJECTS, FILTERS, UPDATES, READS = 100000, 100, 10, 200
BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1)  # of the histogram of turns
EVENTS = "diorama_events_total"


def query(server):
    body = objects(*({"name": f"no{number}"} for number in range(FILTERS)))

    def ask():
        with Client(server, timeout=120) as client:
            client.ok("POST", scene_path("big") + "/object/query", body)

    for _ in range(3):
        run_together(*[ask] * 4)


def restream(server):
    before = server.metrics()[EVENTS]
    with Client(server, timeout=120) as client:
        for number in range(UPDATES):
            client.ok("POST", scene_path("big"), scenes({"name": f"n{number}"}))
    wait_until(lambda: server.metrics()[EVENTS] - before >= OBJECTS, 120, "one restream")


def delete(server):
    swept = server.log_text().count("scene_swept")
    with Client(server, timeout=120) as client:
        client.ok("DELETE", scene_path("big"))
    wait_until(lambda: server.log_text().count("scene_swept") > swept, 300, "the sweep")


def read_other(server):
    with Client(server) as client:
        for _ in range(READS):
            client.ok("GET", scene_path("other"))


LOADS = {"nothing but reads": read_other,
         f"four queries at once by {FILTERS} filters each": query,
         f"{UPDATES} updates that stream all anew": restream,
         "its end": delete}


def turns(server):
    """How many turns took longer than each bound, of all actors together."""
    return {bound: sum(server.turns_beyond(bound).values()) for bound in BOUNDS_S}


def measure():
    """Of each load: what it is, p99 of a GET of another scene beside it in ms, and the bound in ms that no
    turn of an actor exceeded."""
    server = Server(store_sync="never", **NO_BUDGET).start()
    with Client(server, timeout=120) as client:
        client.put_scene("other")
        for _ in range(0, OBJECTS, 5000):
            client.create("big", *[{"name": "o"}] * 5000)
    for what, load in LOADS.items():
        before = turns(server)
        with Pace(server, "other") as pace:
            load(server)
        after = turns(server)
        longest = next((bound for bound in BOUNDS_S if after[bound] == before[bound]), float("inf"))
        yield what, pace.p99() * 1e3, longest * 1e3
    server.end()
