"""Revocation: what is taken is gone before the answer says so, and stays gone."""

import threading
import time
import unittest

from people import FLAGS, PASSWORD, PeopleCase, bearer, log_in, token_of
from support import LONG, Client, scenes

TRIALS = 1000 if LONG else 50
CLIENTS = 3


class Hammer:
    """Clients that use one token without a pause, and note when each request began."""

    def __init__(self, server, token, path):
        self.server, self.headers, self.path = server, bearer(token), path
        self.seen = []  # (when it began, status)
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        with Client(self.server) as client:
            while not self.stopping.is_set():
                began = time.monotonic()
                status = client.request("GET", self.path, None, self.headers).status
                self.seen.append((began, status))

    def wait_for(self, status):
        """Until each client may have seen this status."""
        count = len(self.seen)
        end = time.monotonic() + 20
        while sum(seen == status for _, seen in self.seen[count:]) < 2 * CLIENTS:
            assert time.monotonic() < end, f"no {status}: {self.seen[-5:]}"
            time.sleep(0.001)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        return self.seen


class Revocation(PeopleCase, unittest.TestCase):
    flags = {**FLAGS, "http_trusted_proxies": "127.0.0.1"}

    def revoke(self, kind, user, token):
        """Takes the session; returns when the answer was there."""
        path = f"/v1/users/{user['id']}"
        steps = {"deactivate": ("DELETE", path + "/active", None),
                 "demote": ("DELETE", path + "/admin", None),
                 "password": ("PUT", path, {"password": PASSWORD}),
                 "logout": ("POST", "/v1/logout", None)}
        method, target, body = steps[kind]
        headers = bearer(token if kind == "logout" else self.admin.token)
        answer = self.client.request(method, target, body, headers)
        answered = time.monotonic()
        self.assertEqual(answer.status, 200, answer)
        return answered

    def restore(self, kind, user):
        path = f"/v1/users/{user['id']}"
        if kind == "deactivate":
            self.assertEqual(self.admin.put(path + "/active").status, 200)
        if kind == "demote":
            self.assertEqual(self.admin.put(path + "/admin").status, 200)

    def trial(self, kind, user):
        token = token_of(log_in(self.client, user["username"]))
        hammer = Hammer(self.server, token, f"/v1/users/{user['id']}")
        hammer.wait_for(200)
        answered = self.revoke(kind, user, token)
        hammer.wait_for(401)
        self.restore(kind, user)
        hammer.wait_for(401)
        late = [status for began, status in hammer.stop() if began > answered]
        self.assertEqual(set(late), {401}, f"after {kind}")
        return token

    def test_no_request_that_begins_after_the_answer_succeeds(self):
        user = self.sign_up("ann", isAdmin=True)
        kinds = ("deactivate", "logout", "deactivate", "demote", "logout", "password")
        dead = [self.trial(kinds[n % len(kinds)], user) for n in range(TRIALS)]
        alive = token_of(log_in(self.client, "ann"))
        self.server.crash()
        with Client(self.server) as client:
            path = f"/v1/users/{user['id']}"
            statuses = [client.request("GET", path, None, bearer(token)).status for token in dead]
            self.assertEqual(statuses, [401] * TRIALS)
            self.assertEqual(client.request("GET", path, None, bearer(alive)).status, 200)

    def test_login_that_crosses_a_deactivation_ends_with_it(self):
        """Whichever comes first: once deactivated, no session works."""
        user = self.sign_up("bob")
        path = f"/v1/users/{user['id']}"
        for n in range(100 if LONG else 8):
            answers = []
            thread = threading.Thread(target=self.log_in_alone, args=(n, answers))
            thread.start()
            time.sleep(0.02 * n)  # chooses where they cross; nothing depends on it
            self.assertEqual(self.admin.delete(path + "/active").status, 200)
            thread.join()
            self.admin.put(path + "/active")
            if answers[0].status == 200:
                token = token_of(answers[0])
                answer = self.client.request("GET", path, None, bearer(token))
                self.assertEqual(answer.status, 401)
            else:
                self.assertEqual(answers[0].status, 401)

    def log_in_alone(self, n, answers):
        with Client(self.server) as client:
            answers.append(log_in(client, "bob", **{"X-Forwarded-For": f"10.9.0.{n}"}))


class Registrations(PeopleCase, unittest.TestCase):
    def test_registration_that_crosses_a_deactivation_ends_with_it(self):
        """A registration of thousands is worked on in slices: no device stays, wherever it was."""
        self.admin.put_scene("hall")
        user = self.sign_up("cat")
        path = f"/v1/users/{user['id']}/active"
        body = scenes({"devices": [{"key": f"cat{number}"} for number in range(5000)]})
        for n in range(24):
            with self.enter(self.server, "cat") as cat:
                thread = threading.Thread(target=cat.post, args=("/v1/scene/hall/register", body))
                thread.start()
                time.sleep(0.01 + 0.004 * n)  # chooses where they cross; nothing depends on it
                self.assertEqual(self.admin.delete(path).status, 200)
                thread.join()
            self.assertEqual(len(self.admin.scene("hall")["devices"]), 0, f"attempt {n}")
            self.admin.put(path)


if __name__ == "__main__":
    unittest.main()
