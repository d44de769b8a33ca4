"""Rates: http.rate_limit, by user or by address; what is open is never limited."""

import unittest

from people import FLAGS, PeopleCase
from support import ServerCase, scene_path, scenes

LIMIT = 5
FROM = "X-Forwarded-For"


class Limited(PeopleCase, unittest.TestCase):
    flags = {**FLAGS, "http_rate_limit": str(LIMIT), "http_trusted_proxies": "127.0.0.1"}

    def use_up(self, ask):
        """Asks until it is refused; the refusal."""
        for _ in range(200):
            answer = ask()
            if answer.status == 429:
                return answer
            self.assertNotEqual(answer.status, 503, answer)
        raise AssertionError("200 requests were not too many")

    def test_who_asks_too_often_is_told_when_to_come_back(self):
        refusal = self.use_up(lambda: self.admin.get("/v1/users?username=admin"))
        self.assertEqual((refusal.body["err_code"], refusal.headers["Retry-After"]), (132, "1"))
        refusal = self.use_up(lambda: self.admin.put(scene_path("s"), scenes({"name": "x"})))
        self.assertEqual(refusal.body["err_code"], 132)

    def test_what_is_open_is_never_refused(self):
        self.use_up(lambda: self.admin.get("/v1/users?username=admin"))
        for _ in range(4 * LIMIT):
            for path in ("/livez", "/readyz", "/metrics", "/health"):
                self.assertEqual(self.admin.get(path).status, 200)

    def test_a_bad_token_is_refused_as_such(self):
        for _ in range(4 * LIMIT):
            self.client.refused(401, 130, "GET", "/v1/users")


class Addresses(ServerCase, unittest.TestCase):
    flags = {"http_rate_limit": str(LIMIT), "http_trusted_proxies": "127.0.0.1"}

    def test_without_users_addresses_are_counted(self):
        def ask(address):
            return self.client.request("POST", "/v1/scene/query", scenes(), {FROM: address})

        statuses = [ask("192.0.2.1").status for _ in range(200)]
        self.assertEqual(statuses[:LIMIT], [200] * LIMIT)
        self.assertIn(429, statuses)
        self.assertEqual(ask("192.0.2.2").status, 200)


if __name__ == "__main__":
    unittest.main()
