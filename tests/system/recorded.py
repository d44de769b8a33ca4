"""Answers that a server gave once, and whether another gives the same (tests/fixtures)."""

import base64
import json
import os
import tarfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "fixtures")
HEADERS = ("Content-Type", "Content-Disposition", "Cache-Control", "ETag")
STARTED = ("epoch", "seq", "as_of_us")  # count the starts, or tell when the solver solved
NEWER = ("rejected_share", "reason", "confidence")  # members that 0.1 did not have
SOLVED = ("alignment", "corrections", "devices", "links")  # members with numbers of the solver


def rounded(value):
    """Numbers of the solver may differ in their last digits."""
    if isinstance(value, float):
        return round(value, 6) + 0.0
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return value


def is_left_out(value, name):
    """The sigma of a transform that follows from others was too large in 0.1: it counted the lever
    from the origin of the scene twice."""
    is_derived = "path" in value and "from" not in value
    return name in STARTED + NEWER or (is_derived and name == "sigma_t_m")


def settled(value):
    """A JSON value without what differs with each start, and without members that are newer."""
    if isinstance(value, list):
        return [settled(item) for item in value]
    if isinstance(value, dict):
        return {name: rounded(settled(item)) if name in SOLVED else settled(item)
                for name, item in value.items() if not is_left_out(value, name)}
    return value


def content_of(answer, ask):
    """Of a failure only the code: its words may be improved."""
    if answer.status >= 400:
        return {"err_code": answer.body["err_code"]}
    if answer.headers["Content-Type"] == "application/json":
        return rounded(settled(answer.body)) if "/alignment?" in ask else settled(answer.body)
    return "base64:" + base64.b64encode(answer.content).decode()


def answer_to(client, ask, body=None):
    """What a server says to `GET /v1/...`, in the form that is kept."""
    answer = client.request(*ask.split(" "), body)
    headers = {name: answer.headers[name] for name in HEADERS if name in answer.headers}
    if '"epoch"' in str(answer.content.partition(b'"alignment":{')[2]):
        headers.pop("ETag", None)  # hash of a record that has an epoch
    return {"status": answer.status, "headers": headers, "content": content_of(answer, ask)}


def text_of(answer):
    """Two answers are equal when these are: the order of members and the form of numbers count."""
    return json.dumps(answer, ensure_ascii=False)


class Answers:
    """Answers by question and by who asked for it, and when; equal ones are kept once."""

    def __init__(self, rows=()):
        self.rows = list(rows)

    def record(self, client, who, questions):
        """`who` is for instance `stopped/alice`; `questions` are pairs of `GET /v1/...` and body."""
        for ask, body in questions:
            self.add(who, ask, body, answer_to(client, ask, body))

    def add(self, who, ask, body, answer):
        row = next((row for row in self.rows if (row["ask"], row["body"]) == (ask, body)), None)
        if not row:
            row = {"ask": ask, "body": body, "answers": []}
            self.rows.append(row)
        for known in row["answers"]:
            if text_of(known["answer"]) == text_of(answer):
                known["to"].append(who)
                return
        row["answers"].append({"to": [who], "answer": answer})

    def of(self, who):
        """(ask, body, expected answer) of all that were given to `who`."""
        return [(row["ask"], row["body"], known["answer"]) for row in self.rows
                for known in row["answers"] if who in known["to"]]

    def differences(self, client, who):
        """Words for each answer that is not as it was."""
        for ask, body, expected in self.of(who):
            found = answer_to(client, ask, body)
            expected = {**expected, "content": settled(expected["content"])}
            if text_of(found) != text_of(expected):
                yield f"{who}: {ask} {body or ''}\n  was {text_of(expected)}\n  is  {text_of(found)}"


def save(path, document, answers):
    """One row a line, so that a change is seen."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of(document)[:-1] + ',\n"rows": [\n' +
                   ",\n".join(map(text_of, answers.rows)) + "]}\n")


def load(release):
    """What is known of a release's data folder, and the answers."""
    with open(os.path.join(FOLDER, release, "answers.json"), encoding="utf-8") as file:
        document = json.load(file)
    return document, Answers(document.pop("rows"))


def unpack(release, state, target):
    """A fresh copy of a data folder, as `target`/data."""
    with tarfile.open(os.path.join(FOLDER, release, f"{state}.tar.xz")) as archive:
        archive.extractall(target)
