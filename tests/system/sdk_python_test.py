"""The Python SDK (tools/sdk/python): golden packets, its first fifteen lines, gaps, restarts, errors and leases."""

import asyncio
import random
import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path

from sdk_case import SdkCase
from sdk_golden import exactly, gaps, lines

SDK = Path(__file__).resolve().parent.parent.parent / "tools/sdk/python"
sys.path.insert(0, str(SDK))

import diorama  # noqa: E402
from diorama import packets, sealing, transforms  # noqa: E402
from diorama._gaps import Gaps  # noqa: E402
from diorama._stream import StreamFeed  # noqa: E402
from diorama.http import Repeat  # noqa: E402
from diorama.scene import Scene  # noqa: E402

FORMS = ("packed", "plain", "sealed", "sse", "delta")


class Golden(unittest.TestCase):
    def assert_equal(self, said, line):
        self.assertEqual(exactly(said), exactly(line["json"]), line["name"])

    def test_packed_datagrams_say_what_they_say(self):
        for line, data in lines("packed"):
            told = packets.read_packed(data)
            said = {"epoch": told.epoch, "prev": told.prev, "seq": told.seq, "changes": told.changes}
            self.assert_equal({**said, **({"note": told.note} if told.note else {})}, line)

    def test_json_datagrams_say_what_they_say(self):
        for form in ("plain", "controls", "updates"):
            for line, data in lines(form):
                self.assert_equal(packets.read_plain(data), line)

    def test_pub_says_what_it_says(self):
        for line, frames in lines("pub"):
            self.assert_equal(packets.read_pub(frames), line)

    def test_streams_say_what_they_say_wherever_they_are_cut(self):
        for form in ("sse", "delta"):
            for line, data in lines(form):
                for step in (1, 7, len(data)):
                    reader = packets.EventReader()
                    told = [event for at in range(0, len(data), step)
                            for event in reader.feed(data[at:at + step])]
                    self.assert_equal({"events": [vars(event) for event in told]}, line)

    def test_sealed_datagrams_are_opened_and_sealed_to_the_bit(self):
        for line, data in lines("sealed"):
            said = line["json"]
            key, content = sealing.derived(said["seal_key"], said["direction"]), bytes.fromhex(said["content"])
            self.assertEqual(sealing.unseal(key, data), content)
            self.assertEqual(sealing.seal(key, bytes.fromhex(said["seal_id"]), bytes.fromhex(said["session"]),
                                          said["counter"], content), data)
            self.assertIsNone(sealing.unseal(key, data[:-1] + bytes([data[-1] ^ 1])))

    def test_controls_are_written_to_the_bit(self):
        written = {
            "60 HELLO": lambda said: packets.hello(said["token"]),
            "62 ECHO": lambda said: packets.echo(said["challenge"], said["token"]),
            "63 ask again": lambda said: packets.ask(said["from"], said["to"], said["token"]),
            "63 ask again for a lot": lambda said: packets.ask(said["from"], said["to"], said["token"]),
        }
        for line, data in lines("controls"):
            if line["name"] in written:
                self.assertEqual(written.pop(line["name"])(line["json"]), data)
        self.assertEqual(written, {})

    def test_broken_datagrams_are_malformed_and_nothing_else(self):
        chance = random.Random(5)
        for line, data in lines("packed"):
            for _ in range(40):
                broken = bytearray(data[:chance.randrange(len(data) + 1)])
                for _ in range(chance.randrange(4)):
                    if broken:
                        broken[chance.randrange(len(broken))] = chance.randrange(256)
                try:
                    packets.read_packed(bytes(broken))
                except diorama.Malformed:
                    pass


class Missing(unittest.TestCase):
    def test_a_client_does_about_gaps_what_the_document_says(self):
        case = None
        for name, words, wanted in gaps():
            case = Gaps() if words[0] == "begin" else case
            numbers = [int(word) for word in words[1:] if word.isdigit()]
            if words[0] == "state":
                case.absorb(*numbers)
            elif words[0] == "note":
                case.note(*numbers[:2], numbers[2] / 1000)
            elif words[0] == "wish":
                wish = case.wish(numbers[0] / 1000)
                told = f"ask {wish[0]} {wish[1]}" if isinstance(wish, tuple) else wish or "nothing"
                self.assertEqual(wanted, told, f"{name}: {words}")


class Transforms(unittest.TestCase):
    def test_half_way_of_a_quarter_turn_is_an_eighth(self):
        turned = [0.0, -1.0, 0.0, 4.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        half = transforms.between(transforms.IDENTITY, turned, 0.5)
        for place, value in ((0, 0.5 ** 0.5), (1, -(0.5 ** 0.5)), (3, 2.0), (10, 1.0)):
            self.assertAlmostEqual(half[place], value)

    def test_what_was_composed_splits_into_its_parts(self):
        parts = transforms.Parts((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5), (-2.0, 3.0, 4.0))
        again = transforms.decompose(transforms.compose(parts))
        for had, has in zip(parts, again):
            for a, b in zip(had, has):
                self.assertAlmostEqual(a, b)


class Withheld:
    """A scene with one object, without a server: answers and events come when the test says so."""

    def __init__(self):
        self.waiting = []
        self.scene = Scene(self, "s", device="d", form="sse", rate=60, convention="")
        self.scene.store.begin(1)
        self.scene.tell(self.scene.store.take_state("object", [{"key": "o", "name": "first"}], 0, 1))
        self.object, = self.scene.objects
        self.told()

    async def call(self, *_words, **_more):
        """As the HTTP of a connection."""
        answer = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        return await answer

    async def saving(self, **members):
        """A save that waits for its answer: a function that gives it, and returns when save() has."""
        return await self._asking(self.object.save(**members), "o")

    async def creating(self, key, **members):
        return await self._asking(self.scene.create(**members), key)

    async def _asking(self, work, key):
        task = asyncio.create_task(work)
        while not self.waiting:
            await asyncio.sleep(0)
        waiting = self.waiting.pop()

        async def answer(members, **place):
            waiting.set_result({**place, "objects": [{"key": key, **members}]})
            return await task
        return answer

    def event(self, seq, key="o", **members):
        self.scene.tell(self.scene.store.take_record("object", {"key": key, **members}, seq - 1, seq))

    def told(self):
        """What changes were told since this was asked last."""
        changes, self.scene._changes = self.scene._changes, []
        return [(change.kind, set(change.members), change.seq) for change in changes]


class Written(unittest.IsolatedAsyncioTestCase):
    """What shows after a write, whatever events come before and after its answer."""

    def setUp(self):
        self.at = Withheld()

    async def test_events_of_earlier_writes_that_come_late_show_nothing_older(self):
        at = self.at
        await (await at.saving(name="second"))({"name": "second"}, epoch=1, seq=2)
        await (await at.saving(name="third"))({"name": "third"}, epoch=1, seq=3)
        await (await at.saving(name=""))({}, epoch=1, seq=4)
        for seq, name in ((2, "second"), (3, "third"), (4, "")):
            at.event(seq, name=name)
            self.assertEqual("", at.object.name, seq)
        self.assertEqual([], at.told())
        at.event(5, name="fifth")
        self.assertEqual("fifth", at.object.name)

    async def test_an_answer_that_is_older_than_an_event_does_not_show(self):
        at = self.at
        answer = await at.saving(name="mine")
        at.event(2, name="mine")
        at.event(3, name="theirs")
        await answer({"name": "mine"}, epoch=1, seq=2)
        self.assertEqual("theirs", at.object.name)
        self.assertEqual([("updated", {"name"}, 3)], at.told())

    async def test_of_two_saves_at_once_the_later_one_shows(self):
        at = self.at
        first, second = await at.saving(name="first"), await at.saving(name="second")
        await second({"name": "second"}, epoch=1, seq=3)
        await first({"name": "first"}, epoch=1, seq=2)
        self.assertEqual("second", at.object.name)

    async def test_what_an_answer_says_beyond_what_was_written_is_told_once(self):
        at = self.at
        await (await at.saving(name="mine"))({"name": "mine", "type": "lamp"}, epoch=1, seq=2)
        at.event(2, name="mine", type="lamp")
        self.assertEqual([("updated", {"type"}, 2)], at.told())

    async def test_what_was_moved_here_is_drawn_where_it_is(self):
        at = self.at
        moved = transforms.moved(transforms.IDENTITY, (1, 2, 3))
        at.event(2, name="first", transform=transforms.IDENTITY)
        at.event(3, name="first", transform=transforms.IDENTITY)
        await (await at.saving(translation=(1, 2, 3)))({"name": "first", "transform": moved}, epoch=1, seq=4)
        self.assertEqual(moved, at.object.pose_at())

    async def test_an_answer_without_a_number_shows_until_the_server_says_what_is(self):
        for place in ({}, {"epoch": 2, "seq": 1}, {"epoch": 2, "seq": 9}):
            with self.subTest(place=place):
                at = Withheld()
                await (await at.saving(name="third"))({"name": "third"}, **place)
                at.event(2, name="second")
                self.assertEqual("third", at.object.name)
                at.event(3, name="third")
                at.event(4, name="fourth")
                self.assertEqual("fourth", at.object.name)

    async def test_what_was_created_and_has_gone_by_then_is_not_there(self):
        at = self.at
        answer = await at.creating("l", name="lamp")
        at.event(2, key="l", name="lamp")
        list(at.scene.store.take(3, "l", {}, 2, 3))
        self.assertFalse((await answer({}, epoch=1, seq=2)).exists)

    async def test_what_was_created_is_there_before_its_event(self):
        at = self.at
        lamp = await (await at.creating("l", name="lamp"))({}, epoch=1, seq=2)
        self.assertEqual((True, "lamp", []), (lamp.exists, lamp.name, at.told()))
        at.event(2, key="l", name="lamp")
        self.assertEqual([("created", {"name"}, 2)], at.told())


async def following(scene):
    """What an application knows that takes every change, and nothing but changes."""
    known = {entity.key: dict(entity.members) for entity in scene}
    seqs = []

    async def follow():
        async for change in scene:
            seqs.append(change.seq)
            if change.kind == "deleted":
                known.pop(change.object.key, None)
            else:
                known[change.object.key] = dict(change.object.members)
    return known, asyncio.create_task(follow())


async def eventually(predicate, what, deadline=15.0):
    end = time.monotonic() + deadline
    while not predicate():
        if time.monotonic() > end:
            raise AssertionError(f"{what()} after {deadline} s")
        await asyncio.sleep(0.02)


class Sdk(SdkCase, unittest.IsolatedAsyncioTestCase):
    async def assert_follows(self, known, scene):
        await eventually(lambda: self.difference(known) is None,
                         lambda: f"{scene.form}: {self.difference(known)} ({scene.state}, {scene.gaps} gaps)")

    async def test_the_fifteen_lines(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene, device="sim-1", form="packed", rate=60, convention="ros")
            box = await plaza.create(name="box", translation=(0, 0, 1))
            other = self.client.create(self.scene, {"name": "other"})[0]
            self.client.update(self.scene, other, translation=[3, 2, 1])
            async for change in plaza:  # gaps healed; change.prev, change.seq, change.object
                if change.object is box:
                    continue
                if change.object.translation == (-1, -3, 2):
                    break
            box.send(transform=change.object.transform)  # UDP; await box.save(...) is durable
            await eventually(lambda: self.client.object(self.scene, box.key)["transform"][3::4]
                             == [3, 2, 1, 1], lambda: "the box is not there")

    async def test_changes_alone_tell_what_get_shows_with_a_tenth_lost(self):
        chance = random.Random(11)
        async with diorama.connect(self.url) as d:
            joined = [await d.join(self.scene, form=form, device=f"{form}-1") for form in FORMS]
            for scene in joined[:3]:
                lose(scene, chance, 0.1)
            followers = [await following(scene) for scene in joined]
            keys = []
            for _ in range(150):
                self.change_something(chance, keys)
                await asyncio.sleep(0)
            for scene, (known, _) in zip(joined, followers):
                await self.assert_follows(known, scene)
            self.assertGreater(sum(scene.gaps for scene in joined), 0)
            for _, task in followers:
                task.cancel()

    async def test_a_kill_of_the_server_loses_no_change(self):
        chance = random.Random(12)
        self.start_server()
        async with diorama.connect(self.url) as d:
            joined = [await d.join(self.scene, form=form, device=f"{form}-1") for form in FORMS]
            followers = [await following(scene) for scene in joined]
            keys = []
            for _ in range(20):
                self.change_something(chance, keys)
                await asyncio.sleep(0)
            await asyncio.to_thread(self.crash)
            for _ in range(20):
                self.change_something(chance, keys)
                await asyncio.sleep(0)
            for scene, (known, _) in zip(joined, followers):
                await self.assert_follows(known, scene)
                await eventually(lambda s=scene: s.state == "live", lambda s=scene: f"{s.form}: {s.state}")
            for _, task in followers:
                task.cancel()

    async def test_a_refused_write_is_rolled_back_and_says_where(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            lamp = await plaza.create(name="lamp", translation=(1, 2, 3))
            lamp.move(translation=(4, 5, 6))
            self.assertEqual(lamp.translation, (4, 5, 6))
            with self.assertRaises(diorama.BadInput) as caught:
                await lamp.save(tags="none")
            self.assertEqual(caught.exception.pointer, "/objects/0/tags")
            self.assertIn(caught.exception.status, (400, 422))
            self.assertEqual(lamp.translation, (1, 2, 3))
            lamp.move(translation=(4, 5, 6))
            await lamp.save(name="torch")
            self.assertEqual(self.client.object(self.scene, lamp.key)["transform"][3::4], [4, 5, 6, 1])

    async def test_what_a_save_does_not_change_does_not_show(self):
        async with diorama.connect(self.url) as d:
            for form in ("delta", "packed"):
                plaza = await d.join(self.scene, form=form)
                with self.assertWarns(diorama.DioramaWarning):
                    lamp = await plaza.create(name="lamp", tags=["a"], colour="red", values=[1])
                wanted = {"name": "lamp", "tags": ["a"], "transform": transforms.IDENTITY, "scene": self.scene}
                await eventually(lambda: lamp.members == wanted, lambda: f"{form}: {lamp.members}")
                with self.assertWarns(diorama.DioramaWarning):
                    await lamp.save(tags=[], name=None, colour="red", values=[2])
                self.assertEqual(lamp.members, wanted, form)

    async def test_a_save_shows_what_the_server_made_of_it(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene, form="delta")
            speed = await plaza.create(noun="property", values=[1])
            self.assertIs((await anext(plaza)).object, speed)
            await speed.save(values=[{"value": 2}])
            change = await anext(plaza)
            self.assertEqual((change.kind, change.object, change.members), ("updated", speed, {"values"}))
            self.assertEqual(speed.values, self.client.ok("GET", f"/v1/scene/{self.scene}/property/{speed.key}")
                             ["properties"][0]["values"])
            lamp = await plaza.create(name="lamp")
            await lamp.save(scale=(2, 2, 2))
            self.assertEqual(lamp.transform[::5], [2, 2, 2, 1])

    async def test_a_name_that_the_server_does_not_know_is_warned_of_where_it_was_written(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            with self.assertWarns(diorama.DioramaWarning) as caught:
                lamp = await plaza.create(nmae="lamp")
            self.assertEqual((str(caught.warning), caught.filename),
                             ("/objects/0/nmae is not known here; the nearest is name", __file__))
            with self.assertWarns(diorama.DioramaWarning) as caught:
                await lamp.save(nmae="lamp", type="light")
            self.assertEqual((str(caught.warning), caught.filename),
                             ("/objects/0/nmae is not known here; the nearest is name", __file__))
            with warnings.catch_warnings():
                warnings.simplefilter("error", diorama.DioramaWarning)
                with self.assertRaises(diorama.DioramaWarning):
                    await lamp.save(nmae="lamp", type="sun")
            self.assertEqual(lamp.type, "sun")

    async def test_what_cannot_be_sent_is_said_in_words(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            lamp = await plaza.create(name="lamp", translation=(1, 2, 3))

            async def assert_refused(words, call):
                with self.assertRaises(diorama.DioramaError) as caught:
                    await call()
                self.assertEqual(str(caught.exception), words)
                self.assertEqual(lamp.translation, (1, 2, 3))
            for name, count in (("translation", 3), ("scale", 3), ("euler_rotation", 3), ("quaternion_rotation", 4),
                                ("transform", 16)):
                for value in ([1] * (count - 1), [1] * (count + 1), "1" * count, 1, ["1"] * count):
                    for write in (lamp.save, plaza.create):
                        await assert_refused(f"{name} must have {count} numbers", lambda: write(**{name: value}))
                    for write in (lamp.move, lamp.send):
                        await assert_refused(f"{name} must have {count} numbers",
                                             lambda: asyncio.to_thread(write, **{name: value}))
            for number in (float("nan"), float("inf")):
                await assert_refused("numbers must be finite", lambda: lamp.save(translation=(number, 0, 0)))
                await assert_refused("numbers must be finite", lambda: lamp.save(extras={"a": [number]}))
                await assert_refused("numbers must be finite",
                                     lambda: asyncio.to_thread(lamp.send, translation=(number, 0, 0)))
            await assert_refused("noun is object or property", lambda: plaza.create(noun="prop"))
            lamp.move(translation=None)
            await lamp.save(translation=None)
            self.assertEqual(lamp.translation, (1, 2, 3))

    async def test_what_was_deleted_shows_what_it_was(self):
        async with diorama.connect(self.url) as d:
            joined = [await d.join(self.scene, form=form) for form in FORMS]
            lamp = await joined[0].create(name="lamp", translation=(1, 2, 3), tags=["a"])
            self.client.ok("DELETE", f"/v1/scene/{self.scene}/object/{lamp.key}")
            for scene in joined:
                async for change in scene:
                    if change.kind == "deleted":
                        break
                gone = change.object
                self.assertEqual((gone.exists, gone.name, gone.translation, gone.tags),
                                 (False, "lamp", (1, 2, 3), ["a"]), scene.form)
                self.assertEqual(change.members, {"name", "transform", "tags", "scene"})
                self.assertEqual((scene.objects, scene.find(name="lamp")), ([], None))

    async def test_what_is_there_again_shows_nothing_of_before(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            speed = await plaza.create(noun="property", key="speed", name="speed", values=[1])
            await speed.delete()
            await eventually(lambda: not speed.exists, lambda: speed)
            self.assertIs(await plaza.create(noun="property", key="speed", values=[2]), speed)
            self.assertEqual((speed.exists, speed.name, speed.values), (True, "", [2]))

    async def test_a_stream_forgets_what_was_deleted(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene, form="sse")
            lamp = await plaza.create(name="lamp")
            await lamp.delete()
            await eventually(lambda: not lamp.exists, lambda: lamp)
            lamp.buried -= 61
            plaza.store._purge_at = 0
            await plaza.create(name="next")
            await eventually(lambda: lamp.key not in plaza.store.entities, lambda: plaza.store.entities)

    async def test_a_scene_is_joined_by_await_by_a_block_and_by_a_task(self):
        async with diorama.connect(self.url) as d:
            async with d.join(self.scene, device="crane-9") as plaza:
                await plaza.create(name="lamp")
                self.assertEqual(plaza.state, "live")
                self.assertIn("crane-9", str(self.client.get(f"/v1/scene/{self.scene}").body))
            self.assertEqual(plaza.state, "closed")
            self.assertNotIn("crane-9", str(self.client.get(f"/v1/scene/{self.scene}").body))
            for joined in (await d.join(self.scene), await asyncio.create_task(d.join(self.scene)),
                           *await asyncio.gather(d.join(self.scene)), await asyncio.wait_for(d.join(self.scene), 9)):
                self.assertEqual([thing.name for thing in joined.objects], ["lamp"])
            with self.assertRaises(KeyError):
                async with d.join(self.scene) as plaza:
                    plaza["nothing"]
            self.assertEqual(plaza.state, "closed")
            with self.assertRaises(diorama.NotFound):
                async with d.join("nowhere-" + self.scene, create=False):
                    self.fail("it is not there")

    async def test_a_file_is_uploaded_and_downloaded(self):
        content = bytes(range(256)) * 5 + b"\r\n--"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cube.glb"
            path.write_bytes(content)
            async with diorama.connect(self.url) as d:
                first = await d.upload(content, name='a "cube".glb')
                self.assertEqual(await d.download(first), content)
                second = await d.upload(path, asset=first)
                third = await d.upload(str(path))
                for key in (second, third):
                    self.assertEqual(await d.download(key), content)
                self.assertEqual(len({first, second, third}), 3)
                for key in (first, third):
                    self.assertEqual(self.client.get(f"/v1/asset/{key}").headers["Content-Type"], "model/gltf-binary")
                await d.upload(b"")
                with self.assertRaises(diorama.NotFound):
                    await d.upload(b"x", asset="none")
                with self.assertRaises(diorama.NotFound):
                    await d.download("none")

    async def test_bytes_are_sent_as_they_are_and_text_is_answered_as_text(self):
        async with diorama.connect(self.url) as d:
            form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n123\r\n--x--\r\n'
            key = await d.call("POST", "/v1/asset", form, content_type="multipart/form-data; boundary=x")
            self.assertIn(key, [record["key"] for record in self.client.get("/v1/asset").body])
            self.assertEqual(await d.call("GET", f"/v1/asset/{key}"), "123")
            self.assertIn("dioram", await d.call("GET", "/metrics"))
            with self.assertRaises(diorama.BadInput):
                await d.call("POST", "/v1/asset", b"no form")

    async def test_what_is_moved_while_a_save_is_under_way_stays(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            lamp = await plaza.create(name="lamp")
            for is_refused in (False, True):
                saving = asyncio.create_task(lamp.save(translation=(1, 0, 0), tags="none" if is_refused else ["a"]))
                await asyncio.sleep(0)
                lamp.move(translation=(2, 0, 0))
                await asyncio.wait([saving])
                self.assertEqual((saving.exception() is not None, lamp.translation), (is_refused, (2, 0, 0)))
            await lamp.save()
            self.assertEqual(self.client.object(self.scene, lamp.key)["transform"][3], 2)

    async def test_errors_have_types(self):
        async with diorama.connect(self.url) as d:
            with self.assertRaises(diorama.NotFound):
                await d.join("nowhere-" + self.scene, form="sse", create=False)
        with self.assertRaises(diorama.ConnectionFailed):
            async with diorama.connect("http://127.0.0.1:9"):
                pass

    async def test_a_locked_error_names_the_holder(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            lamp = await plaza.create(name="lamp")
            self.client.ok("PUT", f"/v1/scene/{self.scene}/object/{lamp.key}/lock",
                           {"device": "thief", "lease_s": 30})
            with self.assertRaises(diorama.Locked) as caught:
                async with lamp.lock():
                    pass
            self.assertEqual((caught.exception.holder, caught.exception.problem["holder"]), ("thief", "thief"))
            with self.assertRaises(diorama.NotFound) as caught:
                await d.call("GET", "/v1/asset/none")
            self.assertEqual((caught.exception.holder, caught.exception.retry_after), ("", 0))

    async def test_an_error_says_when_to_try_again(self):
        for header in ("Retry-After: 7", "retry-after:7"):
            async def refuse(reader, writer):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(f"HTTP/1.1 429 No\r\n{header}\r\nContent-Length: 2\r\n"
                             "Connection: close\r\n\r\n{}".encode())
                writer.close()
            server = await asyncio.start_server(refuse, "127.0.0.1", 0)
            d = diorama.connect("http://127.0.0.1:%d" % server.sockets[0].getsockname()[1])
            with self.assertRaises(diorama.Budget) as caught:
                await d.call("POST", "/v1/login", {}, repeat=Repeat.NEVER)
            self.assertEqual(caught.exception.retry_after, 7)
            feed = StreamFeed(Scene(d.http, "s", device="", form="sse", rate=60, convention=""))
            with self.assertRaises(diorama.Budget) as caught:
                await feed.open()
            self.assertEqual(caught.exception.retry_after, 7)
            server.close()

    async def test_a_lease_is_renewed_and_its_fence_is_named(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            lamp = await plaza.create(name="lamp")
            async with lamp.lock(lease=3) as lock:
                def stored():
                    return self.client.object(self.scene, lamp.key)["lock"]
                end = stored()["until_us"]
                await eventually(lambda: stored()["until_us"] > end, lambda: "it is not renewed")
                self.assertFalse(lock.is_lost)
                self.assertEqual(stored()["fence"], lock.fence)
                await lamp.save(name="mine")
                self.client.ok("PUT", f"/v1/scene/{self.scene}/object/{lamp.key}/lock",
                               {"device": "thief", "lease_s": 30, "force": True})
                with self.assertRaises(diorama.Locked):
                    await lamp.save(name="late")
                self.assertEqual(lamp.name, "mine")
                await asyncio.wait_for(lock.lost.wait(), 15)
            self.assertEqual(self.client.object(self.scene, lamp.key)["lock"]["holder"], "thief")

    async def test_a_request_whose_answer_is_lost_is_done_once(self):
        async with diorama.connect(self.url) as d:
            plaza = await d.join(self.scene)
            real, lost = d.http._try, []

            def lossy(*arguments):
                answer = real(*arguments)
                if not lost:
                    lost.append(answer)
                    raise ConnectionResetError
                return answer
            d.http._try = lossy
            await plaza.create(name="once")
            self.assertEqual([r["name"] for r in self.records().values()], ["once"])
            lost.clear()
            with self.assertRaises(diorama.ConnectionFailed):
                await d.call("POST", f"/v1/scene/{self.scene}/object", {"objects": [{}]}, repeat=Repeat.NEVER)


def lose(scene, chance, share):
    """So many of the datagrams do not arrive."""
    feed = scene._feed
    arrive = feed.datagram_received
    feed.datagram_received = lambda data, place: chance.random() < share or arrive(data, place)


if __name__ == "__main__":
    unittest.main()
