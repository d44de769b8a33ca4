"""Users who are logged in: what the tests of access stand on.

A server with authentication has the administrator `admin`; sign-up and login cost a hash of about
a tenth of a second each, so a test makes few users.
"""

from support import Client, ServerCase

PASSWORD = "correct horse battery"
FLAGS = {"auth_enabled": "true", "pub_insecure": "true", "auth_admin_password": PASSWORD}


def token_of(answer):
    """The token of a login's answer."""
    assert answer.status == 200, f"login: {answer}"
    scheme, token = answer.headers["Authorization"].split(" ")
    assert scheme == "Bearer"
    return token


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def log_in(client, username, password=PASSWORD, **headers):
    return client.request("POST", "/v1/login", {"username": username, "password": password},
                          headers)


class Person(Client):
    """A client that sends its token."""

    def __init__(self, server, token, user=None):
        super().__init__(server)
        self.token, self.user = token, user or {}
        self.id = self.user.get("id")

    def again(self):
        """The same person after a restart of the server, whose port is another one."""
        self.close()
        return Person(self.server, self.token, self.user)

    def request(self, method, path, body=None, headers=None):
        return super().request(method, path, body, {**bearer(self.token), **(headers or {})})


class PeopleCase(ServerCase):
    """A class of tests whose server has authentication; `self.admin` is logged in."""

    flags = FLAGS
    admin = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.flags is not None:
            cls.admin = cls.enter(cls.shared_server, "admin")
            cls.addClassCleanup(cls.admin.close)

    @staticmethod
    def enter(server, username, password=PASSWORD, user=None):
        """Logs a user in."""
        with Client(server) as client:
            return Person(server, token_of(log_in(client, username, password)), user)

    @classmethod
    def sign_up(cls, username, admin=None, **members):
        """A new user, by the administrator; returns the record."""
        body = {"username": username, "password": PASSWORD, **members}
        answer = (admin or cls.admin).post("/v1/users/sign-up", body)
        assert answer.status == 200, answer
        return answer.body

    @classmethod
    def new_person(cls, username, **members):
        """A new user who is logged in."""
        user = cls.sign_up(username, **members)
        return cls.enter(cls.admin.server, username, user=user)
