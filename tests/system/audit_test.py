"""The audit log: who did what, in data.dir/audit/, each line with the hash of the one before; never a
body or a secret. Names of members are looked for by their values, as clients of the log do."""

import glob
import json
import os
import signal
import subprocess
import unittest

from files import upload
from people import FLAGS, PASSWORD, PeopleCase, log_in
import support
from support import LONG, object_path, scene_path, scenes, wait_until

WITHIN = 3.0 if LONG else 20.0  # synced within a second where the machine is not busy
MINUTE_S = 60.0


class Audit(PeopleCase, unittest.TestCase):
    def lines(self):
        found = []
        folder = os.path.join(self.server.flags["data_dir"], "audit")
        for path in sorted(glob.glob(folder + "/*")):
            with open(path, encoding="utf-8") as file:
                found += [json.loads(line) for line in file]
        return found

    @staticmethod
    def has(line, *words):
        values = {str(value) for value in line.values()}
        return all(any(word in value for value in values) for word in words)

    def await_line(self, *words):
        """The line among whose values all these are."""
        def find():
            return next((line for line in self.lines() if self.has(line, *words)), None)
        return wait_until(find, WITHIN, f"a line of the audit log with {words}")

    def test_login_and_its_failure(self):
        user = self.sign_up("ann")
        outcomes = []
        for password in ("wrong", PASSWORD):
            answer = log_in(self.client, "ann", password)
            line = self.await_line("login", answer.headers["X-Request-Id"])
            self.assertTrue(self.has(line, "127.0.0.1"), line)
            outcomes.append(line["outcome"])
        self.assertTrue(self.has(line, user["id"]), line)
        self.assertEqual(len(set(outcomes)), 2, outcomes)

    def test_changes_of_roles_and_access(self):
        user = self.sign_up("boss")
        path = f"/v1/users/{user['id']}"
        for method, target in (("PUT", "/admin"), ("DELETE", "/admin"), ("DELETE", "/active"),
                               ("PUT", "/active"), ("DELETE", "")):
            answer = self.admin.request(method, path + target)
            self.assertEqual(answer.status, 200, answer)
            self.await_line(user["id"], answer.headers["X-Request-Id"])

    def test_creates_and_deletes(self):
        for kind, key in self.make_and_delete():
            self.assertGreaterEqual(
                len([line for line in self.lines() if self.has(line, key)]), 2, kind)

    def test_scenes_that_were_made_before_another_was_refused(self):
        self.admin.put_scene("taken")
        answer = self.admin.request("POST", "/v1/scene",
                                    scenes({"key": "first"}, {"key": "taken"}, {"key": "last"}))
        self.assertEqual(answer.status, 409, answer)
        request = answer.headers["X-Request-Id"]
        wait_until(lambda: any(line["outcome"] == 409 and self.has(line, request)
                               for line in self.lines()), WITHIN, "the line of the request")
        for key in ("first", "last"):
            line = self.await_line(request, key)
            self.assertEqual((line["operation"], line["outcome"]), ("scene_create", 200), line)
        self.assertEqual(len([line for line in self.lines() if self.has(line, request)]), 3)

    def test_repeat_tells_only_of_the_scenes_that_it_made_itself(self):
        person = self.new_person("pat")  # refusals of one user are counted by the minute
        self.addCleanup(person.close)
        person.put_scene("late")
        body, key = scenes({"key": "soon"}, {"key": "late"}), {"Idempotency-Key": "both"}
        refusal = person.request("POST", "/v1/scene", body, key)
        self.assertEqual(refusal.status, 409, refusal)
        self.await_line(refusal.headers["X-Request-Id"], "soon")
        person.ok("DELETE", scene_path("late"))
        repeat = person.request("POST", "/v1/scene", body, key)
        self.assertEqual((repeat.status, len(repeat.body["scenes"])), (200, 2), repeat)
        self.await_line(repeat.headers["X-Request-Id"], "late")
        again = person.request("POST", "/v1/scene", body, key)
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        self.await_line(person.request("PUT", scene_path("behind"), scenes({})).headers[
            "X-Request-Id"])
        told = [(line["operation"], line["key"]) for line in self.lines()
                if line.get("key") in ("soon", "late") and line["outcome"] == 200]
        self.assertEqual(sorted(told), [("scene_create", "late"), ("scene_create", "soon"),
                                        ("scene_delete", "late"), ("scene_put", "late")])

    def make_and_delete(self):
        self.admin.put_scene("hall")
        self.admin.ok("DELETE", scene_path("hall"))
        asset = upload(self.admin, "/v1/asset", b"bytes").text
        self.admin.delete("/v1/asset/" + asset)
        project = self.admin.post("/v1/project", {"name": "p"}).body
        project = project.get("key", project.get("id"))
        answer = self.admin.delete("/v1/project/" + project)
        self.await_line(answer.headers["X-Request-Id"])
        return (("scene", "hall"), ("asset", asset), ("project", project))

    def test_other_writes_of_a_minute_are_one_line(self):
        self.admin.put_scene("busy")
        keys = self.admin.create("busy", *[{"name": "o"}] * 5)
        for key in keys:
            self.admin.update("busy", key, name="n")

        def told():
            lines = [line for line in self.lines() if self.has(line, "busy", "object_update")]
            return lines if sum(line.get("count", 1) for line in lines) == 5 else None
        # One line, or two where a slow machine made a pause between the writes: the second one ends the minute.
        lines = wait_until(told, MINUTE_S + WITHIN, "the lines of five writes")
        self.assertLessEqual(len(lines), 2)

    def test_scene_that_is_made_by_what_is_put_into_it_has_a_line(self):
        self.admin.create("byway", {"name": "o"})
        line = self.await_line("scene_create", "byway")
        self.admin.create("byway", {"name": "o"})
        self.await_line("object_create", "byway")
        made = [line for line in self.lines() if self.has(line, "scene_create", "byway")]
        self.assertEqual(made, [line])

    def test_each_line_has_the_hash_of_the_one_before(self):
        self.admin.put_scene("chained")
        self.await_line("chained")
        lines = self.lines()
        hashes = [value for line in lines for value in line.values()
                  if isinstance(value, str) and len(value) in (32, 64, 128)
                  and all(char in "0123456789abcdef" for char in value)]
        self.assertGreaterEqual(len(set(hashes)), len(lines) - 1)

    def test_no_secret_is_in_it(self):
        user = self.new_person("secretive")
        user.close()
        self.admin.put_scene("bodies", description="what a body says")
        self.await_line("bodies")
        text = json.dumps(self.lines())
        for secret in (PASSWORD, user.token, self.admin.token, "what a body says", "$argon2id$"):
            self.assertNotIn(secret, text)

    def test_administrators_read_it_and_nobody_else(self):
        self.admin.put_scene("read")
        self.await_line("read")
        answer = self.admin.get("/v1/audit?key=read")
        self.assertEqual(answer.status, 200, answer)
        self.assertIn("read", answer.text)
        self.assertNotIn("secretive", answer.text)
        other = self.new_person("curious")
        self.addCleanup(other.close)
        other.refused(403, 131, "GET", "/v1/audit")
        self.client.refused(401, 130, "GET", "/v1/audit")

    def test_file_is_for_the_server_alone(self):
        self.admin.put_scene("closed")
        self.await_line("closed")
        for path in glob.glob(os.path.join(self.server.flags["data_dir"], "audit", "*")):
            self.assertEqual(os.stat(path).st_mode & 0o077, 0)


class EachWrite(PeopleCase, unittest.TestCase):
    flags = None

    def test_setting_asks_for_each_write(self):
        self.start_server(**FLAGS, audit_writes="each")
        admin = self.enter(self.server, "admin")
        self.addCleanup(admin.close)
        key, = admin.create("busy", {"name": "o"})
        for number in range(3):
            admin.request("POST", object_path("busy", key), scenes({"name": str(number)}))
        path = os.path.join(self.server.flags["data_dir"], "audit")

        def count():
            found = 0
            for name in glob.glob(path + "/*"):
                with open(name, encoding="utf-8") as file:
                    found += file.read().count(key)
            return found
        wait_until(lambda: count() >= 3, WITHIN, "a line for each write")


class Flood(PeopleCase, unittest.TestCase):
    flags = {**FLAGS, "audit_size": "1M"}

    def test_writes_of_one_user_do_not_push_out_what_concerns_security(self):
        victim = self.sign_up("victim")

        def found():
            answer = self.admin.get("/v1/audit?operation=sign_up")
            return [line for line in answer.body if line.get("key") == victim["id"]]

        wait_until(found, WITHIN, "the line of the sign-up")
        user = self.new_person("noisy")
        self.addCleanup(user.close)
        for _ in range(8000):
            user.put_scene("hall")
        self.assertTrue(found(), "8,000 writes removed the line of a sign-up")


    def test_changes_of_who_may_see_a_scene_do_not_either(self):
        victim = self.sign_up("seen")
        user = self.new_person("flipping")
        self.addCleanup(user.close)
        user.put_scene("flipped")
        for number in range(3000):
            user.ok("POST", scene_path("flipped"), scenes({"public": number % 2 == 0}))
        answer = self.admin.get("/v1/audit?class=security&operation=sign_up")
        self.assertIn(victim["id"], [line.get("key") for line in answer.body])
        folder = os.path.join(self.server.flags["data_dir"], "audit")
        checked = subprocess.run([os.path.join(support.BIN, "diorama"), "audit", folder, "--check"],
                                 capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertEqual(checked.stderr.count("none changed or missing"), 2, checked.stderr)


class Chain(PeopleCase, unittest.TestCase):
    """The files themselves: what a crash, a mover of files and a forger do to them."""

    flags = None

    def setUp(self):
        self.start_server(**FLAGS)
        self.folder = os.path.join(self.server.flags["data_dir"], "audit")
        self.enter(self.server, "admin").close()

    def files(self):
        return sorted(glob.glob(self.folder + "/audit-*"))

    def text(self):
        parts = []
        for name in self.files():
            with open(name, encoding="utf-8") as file:
                parts.append(file.read())
        return "".join(parts)

    def await_text(self, words):
        wait_until(lambda: words in self.text(), WITHIN, words)

    def command(self, *arguments):
        return subprocess.run([os.path.join(support.BIN, "diorama"), "audit", *arguments],
                              capture_output=True, text=True, timeout=60, check=False)

    def assert_whole(self):
        checked = self.command(self.folder, "--check")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        return checked.stderr

    def test_goes_on_after_a_kill_and_a_torn_line_is_cut(self):
        self.await_text('"operation":"login"')
        self.server.kill()
        with open(self.files()[-1], "a", encoding="utf-8") as file:
            file.write('{"number":77,"time":"20')
        self.server.start()
        self.await_text('"operation":"audit_cut"')
        self.assertIn("audit_cut", self.server.log_text())
        self.assertNotIn('"number":77', self.text())
        self.enter(self.server, "admin").close()
        wait_until(lambda: self.text().count('"login"') == 2, WITHIN, "the second login")
        self.assert_whole()

    def test_changed_line_is_found(self):
        self.server.stop()
        self.assert_whole()
        text = self.text().splitlines(keepends=True)
        self.assertGreaterEqual(len(text), 1)
        self.server.start()
        self.enter(self.server, "admin").close()
        self.server.stop()
        text = self.text()
        with open(self.files()[0], "w", encoding="utf-8") as file:
            file.write(text.replace('"outcome":200', '"outcome":201', 1))
        checked = self.command(self.folder, "--check")
        self.assertEqual(checked.returncode, 1, checked.stderr)
        self.assertIn("hash", checked.stderr)

    def test_file_that_was_moved_is_opened_again_at_sighup(self):
        self.await_text('"login"')
        name = self.files()[0]
        os.rename(name, name + ".moved")
        self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "audit_reopened" in self.server.log_text(), WITHIN, "the new file")
        self.enter(self.server, "admin").close()
        wait_until(lambda: any(not name.endswith(".moved") and os.path.getsize(name)
                               for name in self.files()), WITHIN, "a line in the new file")

    def test_command_shows_and_checks_what_the_server_has(self):
        admin = self.enter(self.server, "admin")
        self.addCleanup(admin.close)
        for number in range(5):
            admin.put_scene(f"scene{number}")
        self.await_text("scene4")
        shown = subprocess.run(
            [os.path.join(support.BIN, "diorama"), "audit", "--operation=scene_put",
             f"--url=http://127.0.0.1:{self.server.http_port}"],
            capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "DIORAMA_TOKEN": admin.token})
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(shown.stdout.count("scene_put"), 5, shown.stdout)
        lines = admin.get("/v1/audit").body
        self.assertEqual([line["number"] for line in lines], list(range(1, len(lines) + 1)))
        later = admin.get(f"/v1/audit?after={lines[2]['number']}").body
        self.assertEqual(later[0]["number"], 4)

    def test_refused_requests_are_counted_and_do_not_fill_it(self):
        with support.Client(self.server) as stranger:
            for _ in range(50):
                stranger.refused(401, 130, "DELETE", scene_path("hall"))
        self.await_text('"count":50')
        self.assertEqual(self.text().count("scene_delete"), 1)

    def test_change_of_who_may_see_a_scene_is_in_both_logs(self):
        admin = self.enter(self.server, "admin")
        self.addCleanup(admin.close)
        admin.put_scene("hall")
        answer = admin.request("POST", scene_path("hall"), scenes({"public": False}))
        self.await_text(answer.headers["X-Request-Id"])
        self.assertIn("op=SCENE_UPDATE", self.server.log_text())


if __name__ == "__main__":
    unittest.main()
