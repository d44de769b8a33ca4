"""Row BACKUP: what a backup costs the writers beside it, how fast it is restored, how near to a time a
restore with the log comes, and how far the log is behind.

A server has so many MiB, 60 % of them files of assets, the rest records. Backups go to another disk
(memory), where all is copied, and to the disk of the data, where most is linked.
"""

import os
import random
import shutil
import tempfile
import threading
import time

from peers import Client, Server, milliseconds, wait_until

from backups import ask, backups, diorama, make_backup, now_us, time_text
from files import upload
from support import object_path, objects, scene_path, scenes

MIB = 1 << 20
WRITERS = 4
ASSET_MIB = 15
SUB_ID_CHARS, OBJECTS_AT_ONCE, OBJECTS_A_SCENE = 1000, 2000, 10000
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
OTHER_DISK = "/dev/shm"


class Load:
    """Writers that change one object each as fast as they are answered; the time that each took."""

    def __init__(self, server):
        self.server, self.ended, self.times = server, threading.Event(), []
        self.threads = [threading.Thread(target=self.write, args=(number,))
                        for number in range(WRITERS)]

    def write(self, number):
        scene, step = f"load-{number}", 0
        with Client(self.server) as client:
            client.put_scene(scene, name=scene)
            key = client.create(scene, {"name": "o", "translation": [0, 0, 0]})[0]
            while not self.ended.is_set():
                step, began = step + 1, time.perf_counter()
                answer = client.request("POST", object_path(scene, key), objects({"name": str(step)}))
                assert answer.status == 200, answer
                self.times.append((time.perf_counter() - began) * 1e3)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def during(self, work):
        """The times of the writes that end while `work` runs."""
        first = len(self.times)
        work()
        return self.times[first:]


def p99(times):
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]


def middle(values):
    return sorted(values)[len(values) // 2]


def fill(server, mib):
    """Random bytes and random text: nothing of it can be compressed by much."""
    letters = bytes.maketrans(bytes(range(256)), (LETTERS * 4).encode())
    with Client(server, timeout=120) as client:
        for _ in range(max(1, mib * 6 // 10 // ASSET_MIB)):
            assert upload(client, "/v1/asset", os.urandom(ASSET_MIB * MIB)).status == 200
        count = mib * 4 // 10 * MIB // (SUB_ID_CHARS + 150)
        for start in range(0, count, OBJECTS_AT_ONCE):
            text = os.urandom(OBJECTS_AT_ONCE * SUB_ID_CHARS).translate(letters).decode()
            client.create(f"records-{start // OBJECTS_A_SCENE}", *(
                {"name": f"o{number}", "asset_sub_id": text[number * SUB_ID_CHARS:][:SUB_ID_CHARS]}
                for number in range(min(OBJECTS_AT_ONCE, count - start))))


def folder_mib(path):
    return sum(os.path.getsize(os.path.join(where, name))
               for where, _, names in os.walk(path) for name in names) / MIB


def cost(say, options, data, folder, where):
    """What writes take while backups are made into `folder`; returns the last one."""
    server = Server(data_dir=data, log_level="warning").start(backup_dir=folder)
    ratios, took, copied, pooled = [], [], 0, ([], [])
    try:
        with Client(server) as client, Load(server) as load:
            for _ in range(options.rounds):
                for name in os.listdir(folder):
                    shutil.rmtree(os.path.join(folder, name))
                time.sleep(1)
                told = []
                before = load.during(lambda: time.sleep(options.seconds))
                while_made = load.during(lambda: told.append(make_backup(client)))
                assert told[0]["state"] == "done", told
                ratios.append(p99(while_made) / p99(before))
                took.append(told[0]["took_ms"] / 1e3)
                pooled[0].extend(before)
                pooled[1].extend(while_made)
                copied = told[0]["copied"] / MIB
    finally:
        server.end()
    say("BACKUP", f"a backup to {where}: {middle(took):.2f} s, {copied:,.0f} MiB of it copied")
    say("BACKUP", f"  writes beside it: p99 {p99(pooled[1]):.2f} ms ({len(pooled[1]):,} writes), else "
        f"{p99(pooled[0]):.2f} ms; best round {min(ratios):.2f}, median {middle(ratios):.2f}; of all",
        p99(pooled[1]) / p99(pooled[0]), 2, at_most=True)
    return os.path.join(folder, told[0]["key"])


def restore(say, options, backup, to):
    """A plain copy beside it says what the disk does."""
    rates, mib, size = [], [], folder_mib(backup)
    for _ in range(options.rounds):
        mib.append(size / milliseconds(lambda: shutil.copytree(backup, to)) * 1e3)
        shutil.rmtree(to)
        began = time.perf_counter()
        code, _, why = diorama("backup", "restore", backup, to)
        rates.append(size / (time.perf_counter() - began))
        assert code == 0, why
        shutil.rmtree(to)
    say("BACKUP", f"restore of {size:,.0f} MiB, best {max(rates):,.0f} MiB/s, a plain copy "
        f"{middle(mib):,.0f} MiB/s; median MiB/s", middle(rates), 200)


class Clock(threading.Thread):
    """Names a scene by the time, again and again."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.ended = server, threading.Event()

    def run(self):
        with Client(self.server) as client:
            while not self.ended.is_set():
                client.ok("PUT", scene_path("clock"), scenes({"name": str(now_us())}))


def point_in_time(say, options, data, folder):
    log, base = os.path.join(folder, "log"), os.path.join(folder, "of-the-log")
    server = Server(data_dir=data, log_level="warning").start(backup_dir=base, backup_log=log)
    clock, lags, moments, off = Clock(server), [], [], []
    try:
        with Client(server) as client, Load(server):
            def reach():
                return max((each.get("until_us", 0) for each in backups(client)), default=0)

            wait_until(reach, 60, "the first backup")
            clock.start()
            deadline = time.monotonic() + options.seconds * 3
            while time.monotonic() < deadline:
                lags.append((now_us() - reach()) / 1e6)
                time.sleep(0.02)
                moments.append(now_us())
            wait_until(lambda: reach() >= moments[-1], 60, "the log")
            clock.ended.set()
            clock.join()
        took, commits = [], 0
        for at in random.Random(1).sample(moments[len(moments) // 10:], options.rounds):
            fresh = Server(scene_actors=1, log_level="warning")
            began = time.perf_counter()
            code, said, why = diorama("backup", "restore", base, fresh.flags["data_dir"],
                                      f"--at={time_text(at)}", f"--log={log}")
            took.append(time.perf_counter() - began)
            assert code == 0, why
            commits = max(commits, int(said.split(" and ")[1].split(" ")[0]) / took[-1])
            with Client(fresh.start()) as client:
                off.append(abs(at - int(client.scene("clock")["name"])) / 1e6)
            fresh.end()
    finally:
        server.end()
    say("BACKUP", f"log behind the writes, p99 of {len(lags)} looks, s", p99(lags), 1.5, at_most=True)
    say("BACKUP", f"restores to {len(off)} times, {commits:,.0f} commits/s: the last change is off by at "
        "most, s", max(off), 1, at_most=True)


def table(say, options):
    here = tempfile.mkdtemp(prefix="diorama-bench-", dir=options.disk)
    there = tempfile.mkdtemp(prefix="diorama-bench-", dir=OTHER_DISK)
    data = os.path.join(here, "data")
    try:
        server = Server(data_dir=data, log_level="warning").start()
        fill(server, options.mib)
        server.stop()
        say("BACKUP", f"a server with {folder_mib(os.path.join(data, 'blobs')):,.0f} MiB of files and "
            f"{folder_mib(os.path.join(data, 'store')):,.0f} MiB of records")
        for folder in (os.path.join(here, "backups"), os.path.join(there, "backups")):
            os.mkdir(folder)
        cost(say, options, data, os.path.join(here, "backups"), "the same disk")
        backup = cost(say, options, data, os.path.join(there, "backups"), "another disk")
        restore(say, options, backup, os.path.join(here, "restored"))
        point_in_time(say, options, os.path.join(here, "logged"), here)
        server.end()
    finally:
        shutil.rmtree(here, ignore_errors=True)
        shutil.rmtree(there, ignore_errors=True)
