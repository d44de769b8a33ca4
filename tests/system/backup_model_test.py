"""Backups under mixed load over all kinds of things: scenes, objects, properties, registrations,
corrections, locks, users, passwords, tokens, projects, collections, assets with bytes and versions,
relationships. Each restored server is as after some prefix of what each writer did, and the
prefixes are of one moment: nothing is missing that was done before something began that is there.
"""

import os
import threading
import time
import unittest

from backups import BackupCase, make_backup
from people import FLAGS, PASSWORD, PeopleCase, Person, bearer, log_in, token_of
from support import LONG, Client, Server, is_sanitized, wait_until
from thing_writers import (Request, Writer, read_links, read_records, read_scenes, read_users,
                           read_versions)

RESTORES = 200 if LONG else 2 if is_sanitized() else 4
WRITERS = 4
STEPS_BETWEEN = 20  # of each writer, between two backups
MOST_ASSETS, MOST_VERSIONS, MOST_TOKENS = 8, 6, 3
OF_SCENES = ("objects", "properties", "devices", "corrections", "locks")


class AccountWriter(Writer):
    """Also knows passwords and tokens, and how all was after each step that may be in a backup."""

    def __init__(self, number):
        super().__init__(number)
        self.passwords = {}  # id of a user -> password
        self.tokens = {}     # token -> id of its user
        self.begun = self.done = 0
        self.kept_from = 0
        self.past = [(0, 0.0, 0.0, self.state())]  # (step, when it began, when it was done, all)

    def work(self, client, ended, may_work):
        while may_work.wait() and not ended.is_set():
            began, self.begun = time.monotonic(), self.done + 1
            self.step(client)
            while self.pending:  # 503: nobody knows its end
                self.step(client)
            self.past.append((self.begun, began, time.monotonic(), self.state()))
            self.past = [step for step in self.past if step[0] >= self.kept_from]
            self.done = self.begun

    def ways(self):
        return super().ways() + [self.log_in] * 3 + [self.log_out, self.change_password]

    def new_objects(self):
        """Few: many would be two commits, and half of a request in a backup."""
        scene, name = self.pick(self.scenes), self.name()
        return scene and len(self.objects) < 300 and Request(
            "POST", f"/v1/scene/{scene}/object", {"objects": [{"name": name, "translation": [1, 0, 0]}]},
            lambda answer: self.objects.update(
                {(scene, answer.body["objects"][0]["key"]): (name, 1.0, ())}))

    def bulk(self):
        return len(self.objects) < 300 and super().bulk()

    def new_asset(self):
        return len(self.assets) < MOST_ASSETS and super().new_asset()

    def with_room(self, key):
        return key if key and len(self.assets[key]) < MOST_VERSIONS else None

    # --- accounts ---

    def new_user(self):
        request, password = super().new_user(), f"password of {self.name()}"
        if request:
            request.body["password"] = password
            self.also(request, lambda answer: self.passwords.update({answer.body["id"]: password}))
        return request

    def change_user(self):
        request = super().change_user()
        return request and self.also(request, lambda _: self.end_tokens())

    def delete_user(self):
        request = super().delete_user()
        return request and self.also(request, lambda _: self.end_tokens())

    @staticmethod
    def also(request, more):
        settle = request.settle
        request.settle = lambda answer: (settle(answer), more(answer))
        return request

    def end_tokens(self, of=None):
        """Those of a user, and of all who may not log in any more."""
        self.tokens = {token: id_ for token, id_ in self.tokens.items()
                       if id_ != of and id_ in self.users and self.users[id_][2]}

    def change_password(self):
        id_, password = self.pick(self.users), f"password of {self.name()}"

        def settle(_):
            self.passwords[id_] = password
            self.end_tokens(of=id_)

        return id_ and Request("PUT", f"/v1/users/{id_}", {"password": password}, settle)

    def log_in(self):
        id_ = self.pick([id_ for id_, (_, _, is_active) in self.users.items() if is_active])
        if not id_ or len(self.tokens) >= MOST_TOKENS:
            return None
        body = {"username": self.users[id_][0], "password": self.passwords[id_]}
        return Request("POST", "/v1/login", body,
                       lambda answer: self.tokens.update({token_of(answer): id_}))

    def log_out(self):
        token = self.pick(self.tokens)
        if not token:
            return None
        request = Request("POST", "/v1/logout", None, lambda _: self.tokens.pop(token))
        request.headers.update(bearer(token))
        return request

    # --- what a server must have ---

    def state(self):
        versions = [version for versions in self.assets.values() for version in versions]
        return {
            **{kind: type(getattr(self, kind))(getattr(self, kind))
               for kind in ("scenes", *OF_SCENES, "users", "tokens")},
            **{noun: dict(records) for noun, records in self.records.items()},
            "bytes": dict(versions),
            "histories": {tuple(key for key, _ in versions) for versions in self.assets.values()},
            "links": {id_: tuple(ends) for id_, ends in self.links.items()},
            "passwords": {id_: self.passwords[id_] for id_ in self.users},
        }


def of_prefix(table, prefix):
    return {key: value for key, value in table.items() if value[0].startswith(prefix)}


class Found:
    """What a restored server has, each thing with the writer that its name says."""

    def __init__(self, client, tokens):
        self.all = {**read_scenes(client), "users": read_users(client),
                    **{noun: read_records(client, noun) for noun in ("project", "collection")},
                    "links": read_links(client), "tokens": self.good_tokens(client, tokens)}
        keys = {record["key"] for record in client.get("/v1/asset?limit=10000").body}
        self.all["bytes"] = {key: client.get("/v1/asset/" + key).content for key in keys}
        self.all["histories"] = {tuple(read_versions(client, key)) for key in keys}

    @staticmethod
    def good_tokens(client, tokens):
        users = {token: client.request("GET", "/v1/session", None, bearer(token))
                 for token in tokens}
        return {token: answer.body["user"]["id"] for token, answer in users.items()
                if answer.status == 200 and answer.body.get("user")}

    def of(self, writer):
        prefix, found = f"w{writer.number}-", self.all
        scenes = {key: name for key, name in found["scenes"].items() if name.startswith(prefix)}
        users = of_prefix(found["users"], prefix)
        contents = {key: content for key, content in found["bytes"].items()
                    if content.startswith(prefix.encode())}
        return {
            "scenes": scenes, "users": users, "bytes": contents,
            **{kind: type(found[kind])(filtered(found[kind], scenes)) for kind in OF_SCENES},
            **{noun: of_prefix(found[noun], prefix) for noun in ("project", "collection")},
            "tokens": {token: id_ for token, id_ in found["tokens"].items() if id_ in users},
            "histories": {keys for keys in found["histories"] if set(keys) & set(contents)},
            "links": {id_: ends for id_, ends in found["links"].items() if ends[0] in contents},
        }

    def is_of_writers(self, parts):
        """Whether nothing is there that is no writer's."""
        return all(sum(len(part[kind]) for part in parts) == len(found)
                   for kind, found in self.all.items() if kind not in ("users", "tokens"))


def filtered(places, scenes):
    if isinstance(places, dict):
        return {place: value for place, value in places.items() if place[0] in scenes}
    return {place for place in places if place[0] in scenes}


def difference(found, state):
    return {kind: (found[kind], state[kind]) for kind in found if found[kind] != state[kind]}


class Prefix(BackupCase, unittest.TestCase):
    def test_each_backup_is_one_moment_of_all_kinds_of_things(self):
        self.server = server = Server(scene_actors=2, **FLAGS)
        self.addCleanup(server.end)
        self.dir = os.path.join(server.folder, "backups")
        server.start(backup_dir=self.dir, backup_keep=2, http_deadline=25000)
        self.client = PeopleCase.enter(server, "admin")
        self.addCleanup(self.client.close)
        self.writers = [AccountWriter(number) for number in range(WRITERS)]
        ended, failures, self.may_work = threading.Event(), [], threading.Event()
        self.may_work.set()
        threads = [threading.Thread(target=self.load, args=(writer, ended, failures))
                   for writer in self.writers]
        for thread in threads:
            thread.start()
        try:
            for number in range(RESTORES):
                wait_until(lambda: failures or self.has_all_kinds(), 120, "something of each kind")
                self.assertEqual([], failures)
                with self.subTest(restore=number):
                    self.restore_one()
        finally:
            ended.set()
            self.may_work.set()
            for thread in threads:
                thread.join()
        print(f"\n{RESTORES} restores, {sum(writer.done for writer in self.writers)} steps")

    def load(self, writer, ended, failures):
        try:
            with Person(self.server, self.client.token) as client:
                writer.work(client, ended, self.may_work)
        except BaseException as failure:
            failures.append(failure)
            raise

    def has_all_kinds(self):
        """Whether each kind of thing is there, of some writer, and some time has gone by."""
        states = [writer.past[-1][3] for writer in self.writers]
        return (all(any(state[kind] for state in states) for kind in states[0]) and
                all(writer.done >= writer.kept_from + STEPS_BETWEEN for writer in self.writers))

    def restore_one(self):
        for writer in self.writers:
            writer.kept_from = writer.done
        told = make_backup(self.client)
        self.assertEqual("done", told["state"], told)
        upto = {writer: writer.begun for writer in self.writers}
        wait_until(lambda: all(writer.done >= upto[writer] for writer in self.writers), 30,
                   "the end of what was under way")
        self.may_work.clear()  # what they do now is in no backup
        candidates = {writer: [step for step in writer.past if step[0] <= upto[writer]]
                      for writer in self.writers}
        restored = self.restored(told["key"], **FLAGS)
        try:
            with Person(restored, self.client.token) as admin:
                self.check(admin, candidates)
        finally:
            restored.end()
            self.may_work.set()

    def check(self, admin, candidates):
        tokens = {token for steps in candidates.values() for step in steps
                  for token in step[3]["tokens"]}
        deadline = time.monotonic() + 20
        while True:  # what follows from a write in another actor comes a moment later
            found = Found(admin, tokens)
            parts = {writer: found.of(writer) for writer in self.writers}
            fitting = {writer: [step for step in candidates[writer]
                                if not difference(parts[writer], step[3])]
                       for writer in self.writers}
            if all(fitting.values()) and found.is_of_writers(list(parts.values())):
                break
            if time.monotonic() > deadline:
                self.fail({writer.number: [(step[0], difference(parts[writer], step[3]))
                                           for step in candidates[writer]]
                           for writer in self.writers if not fitting[writer]}
                          or "something is nobody's")
            time.sleep(0.1)
        for writer in self.writers:
            fitting[writer] = [step for step in fitting[writer]
                               if self.passwords_fit(admin.server, step[3])]
            self.assertTrue(fitting[writer], f"passwords of writer {writer.number}")
        self.check_moment(candidates, fitting)

    @staticmethod
    def passwords_fit(server, state):
        with Client(server) as client:
            return all(log_in(client, name, state["passwords"][id_]).status == 200
                       for id_, (name, _, is_active) in state["users"].items() if is_active)

    def check_moment(self, candidates, fitting):
        """No step is missing that was done before another one began that is there."""
        begun = max(steps[0][1] for steps in fitting.values())  # the last of which it is certain
        for writer, steps in fitting.items():
            missing = [step for step in candidates[writer] if step[0] > steps[-1][0]]
            if missing:
                self.assertLess(begun, missing[0][2], f"writer {writer.number} is behind the others")


if __name__ == "__main__":
    unittest.main()
