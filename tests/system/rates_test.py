"""Rates: http.rate_limit, by user or by address; what is open and who is on this machine is never
limited."""

import unittest

from people import FLAGS, PeopleCase
from support import ServerCase, scene_path, scenes

LIMIT = 5
FROM = "X-Forwarded-For"
AWAY = {FROM: "192.0.2.7"}
RATE = {"http_rate_limit": str(LIMIT), "http_rate_burst": str(LIMIT),
        "http_trusted_proxies": "127.0.0.1"}


class Limited(PeopleCase, unittest.TestCase):
    flags = {**FLAGS, **RATE}

    def from_away(self, method, path, body=None):
        return self.admin.request(method, path, body, AWAY)

    def use_up(self, ask):
        """Asks until it is refused; the refusal."""
        for _ in range(200):
            answer = ask()
            if answer.status == 429:
                return answer
            self.assertNotEqual(answer.status, 503, answer)
        raise AssertionError("200 requests were not too many")

    def test_who_asks_too_often_is_told_when_to_come_back(self):
        refusal = self.use_up(lambda: self.from_away("GET", "/v1/users?username=admin"))
        self.assertEqual((refusal.body["err_code"], refusal.headers["Retry-After"]), (132, "1"))
        refusal = self.use_up(
            lambda: self.from_away("PUT", scene_path("s"), scenes({"name": "x"})))
        self.assertEqual((refusal.body["err_code"], refusal.body["budget"]), (132, "requests"))

    def test_who_is_on_this_machine_is_never_refused(self):
        for _ in range(20 * LIMIT):
            self.assertEqual(self.admin.get("/v1/users?username=admin").status, 200)

    def test_what_is_open_is_never_refused(self):
        self.use_up(lambda: self.from_away("GET", "/v1/users?username=admin"))
        for _ in range(4 * LIMIT):
            for path in ("/livez", "/readyz", "/metrics", "/health"):
                self.assertNotEqual(self.from_away("GET", path).status, 429)

    def test_a_bad_token_is_refused_as_such(self):
        for _ in range(4 * LIMIT):
            self.client.refused(401, 130, "GET", "/v1/users")


class Addresses(ServerCase, unittest.TestCase):
    flags = RATE

    def test_without_users_addresses_are_counted(self):
        def ask(address):
            return self.client.request("POST", "/v1/scene/query", scenes(), {FROM: address})

        statuses = [ask("192.0.2.1").status for _ in range(200)]
        self.assertEqual(statuses[:LIMIT], [200] * LIMIT)
        self.assertIn(429, statuses)
        self.assertEqual(ask("192.0.2.2").status, 200)


if __name__ == "__main__":
    unittest.main()
