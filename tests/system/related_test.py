"""What an upload is related to is checked as a relationship is: nobody relates an asset to what they
may not see, and nobody learns from the answer that it is there."""

import unittest

from files import upload
from keys import key_in_partition, partition_of_key
from people import PeopleCase

LINKS = "/v1/relationship?related="


class Related(PeopleCase, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner, cls.other = cls.new_person("owner"), cls.new_person("other")
        for person in (cls.owner, cls.other):
            cls.addClassCleanup(person.close)
        cls.owner.put_scene("studio", public=False)
        cls.hidden, = cls.owner.create("studio", {"name": "secret"})
        cls.unknown = key_in_partition(partition_of_key(cls.hidden))
        cls.owner.put_scene("square")
        cls.seen, = cls.owner.create("square", {"name": "statue"})

    def upload(self, related, path="/v1/asset"):
        return upload(self.other, f"{path}?related-id={related}&related-type=object", b"bytes",
                      "a.bin", "application/x-thing")

    @staticmethod
    def without_names(answer, *names):
        """What tells nothing but the key that the client sent itself."""
        words = {name: answer.body[name] for name in ("type", "status", "err_code", "detail")}
        for name in names:
            words["detail"] = words["detail"].replace(name, "KEY")
        return words

    def test_upload_to_what_is_hidden_is_refused_and_relates_nothing(self):
        for related in (self.hidden, "studio"):
            answer = self.upload(related)
            self.assertEqual(answer.status, 404, answer)
            self.assertEqual(self.owner.get(LINKS + related).body, [])

    def test_upload_to_what_is_unknown_is_told_alike(self):
        answers = [self.upload(key) for key in (self.hidden, self.unknown)]
        self.assertEqual([answer.status for answer in answers], [404, 404], answers)
        self.assertEqual(*(self.without_names(answer, self.hidden, self.unknown)
                           for answer in answers))

    def test_relationship_to_what_is_unknown_is_told_as_to_what_is_hidden(self):
        answers = [self.other.put("/v1/relationship", {"assetId": "wood", "relationshipType": "object",
                                                       "relatedId": key})
                   for key in (self.hidden, self.unknown)]
        self.assertEqual(answers[0].status, answers[1].status, answers)

    def test_new_version_is_not_related_to_what_is_hidden(self):
        key = upload(self.other, "/v1/asset", b"first", "a.bin", "application/x-thing").text
        answer = self.upload(self.hidden, "/v1/asset/" + key)
        self.assertEqual(answer.status, 404, answer)
        self.assertEqual(self.owner.get(LINKS + self.hidden).body, [])

    def test_upload_to_what_is_public_is_related(self):
        answer = self.upload(self.seen)
        self.assertEqual(answer.status, 200, answer)
        links = self.other.get(LINKS + self.seen).body
        self.assertEqual([link["assetId"] for link in links], [answer.text])


if __name__ == "__main__":
    unittest.main()
