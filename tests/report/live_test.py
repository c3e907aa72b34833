"""live_test CARBO FOLDER: `carbo serve --port` as viewers, strangers and broken programs see it."""
import http.client
import json
import os
import pathlib
import shutil
import socket
import sys
import unittest

import studies

CARBO, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        cls.program = studies.Program(CARBO, FOLDER)

    def setUp(self):
        self.study = studies.told(self.program, self._testMethodName, 'x = "0.0..1.0"\n', [
            {"configuration": {"x": i / 8}, "objective": 1 + i, "cost": 1} for i in range(8)])

    def serve(self, *words):
        return studies.serve(self, self.program, self.study, *words)

    def ask(self, port, method="GET", path="/data", body=None, timeout=30, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.addCleanup(connection.close)
        connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def raw(self, port, data, wait=20):
        """What comes back until the other side closes."""
        with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
            try:
                connection.sendall(data)
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
            except ConnectionError:
                pass
            return answer

    def test_shows_the_study_and_refuses_strangers(self):
        port, _ = self.serve()
        status, page = self.ask(port, path="/")
        self.assertEqual(status, 200)
        self.assertIn("<!DOCTYPE html>", page)
        status, data = self.ask(port)
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(data)["studies"][0]["summary"]["succeeded"], 8)
        self.assertEqual(self.ask(port, Host="evil.example")[0], 403)
        self.assertEqual(self.ask(port, Origin="http://evil.example")[0], 403)
        self.assertEqual(self.ask(port, Origin=f"http://127.0.0.1:{port}")[0], 200)
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.css", "//etc/passwd", "/data/", "/\0"):
            answer = self.raw(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            self.assertRegex(answer.split(b"\r\n")[0], rb"^HTTP/1.1 40[04]", path)
        status, why = self.ask(port, "POST", "/enqueue", '{"x": 0.5}')
        self.assertEqual(status, 403)
        self.assertIn("read-only", why)

    def test_broken_huge_and_slow_requests_hurt_nobody(self):
        port, _ = self.serve("--control")
        for data in (b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\xff\xfe" * 100 + b"\r\n\r\n",
                     b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n"):
            self.assertNotIn(b"HTTP/1.1 200", self.raw(port, data))
        status, _ = self.ask(port, "POST", "/enqueue", "x" * 1_000_000)
        self.assertIn(status, (400, 413))
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(4)]  # begin, and say no more
        for each in slow:
            each.sendall(b"GET /data HTT")
        self.assertEqual(self.ask(port)[0], 200)
        for each in slow:
            each.close()

    def test_a_token_opens_changes_and_other_addresses(self):
        port, address = self.serve("--control")
        token = address.split("token=")[1]
        self.assertEqual(self.ask(port)[0], 200)  # reading on this machine needs none
        for headers in ({}, {"Authorization": "Bearer " + "0" * 32}, {"Cookie": "carbo=" + token}):
            self.assertEqual(self.ask(port, "POST", "/enqueue", '{"x": 0.5}', **headers)[0], 403)
        good = {"Authorization": "Bearer " + token}
        self.assertEqual(self.ask(port, "POST", "/enqueue", '{"x": 0.5}', Origin="http://evil.example", **good)[0], 403)
        self.assertEqual(self.ask(port, "POST", "/enqueue", '{"x": 7}', **good)[0], 422)
        self.assertEqual(self.ask(port, "POST", "/enqueue", '{"x": ', **good)[0], 422)
        status = lambda: json.loads(self.program("status", self.study, "--json").stdout)["enqueued"]
        self.assertEqual(status(), 0)
        self.assertEqual(self.ask(port, "POST", "/enqueue", '{"x": 0.5}', **good)[0], 200)
        self.assertEqual(status(), 1)
        for path, body in (("/pause", ""), ("/budget", '{"budget": "2h"}'), ("/resume", "")):
            for headers in ({}, {"Authorization": "Bearer " + "0" * 32}, {"Cookie": "carbo=" + token},
                            {"Origin": "http://evil.example", **good}, {"Host": "evil.example", **good}):
                self.assertEqual(self.ask(port, "POST", path, body, **headers)[0], 403)
        said = lambda path, body="": json.loads(self.ask(port, "POST", path, body, **good)[1])
        self.assertIsNotNone(said("/pause")["paused"])
        self.assertEqual(said("/budget", '{"budget": "2h"}')["budget"], 7200)
        self.assertEqual(said("/budget", '{"budget": 9000}')["budget"], 9000)
        self.assertEqual(self.ask(port, "POST", "/budget", '{"budget": "2 EUR"}', **good)[0], 422)
        self.assertEqual(self.ask(port, "POST", "/budget", "[]", **good)[0], 422)
        self.assertEqual(self.program("ask", self.study, succeeds=False).returncode, 5)
        self.assertIsNone(said("/resume")["paused"])
        self.assertEqual(json.loads(self.program("status", self.study, "--json").stdout)["budget"], 9000)
        wide, address = self.serve("--address", "0.0.0.0")
        token = address.split("token=")[1]
        self.assertEqual(self.ask(wide)[0], 403)
        self.assertEqual(self.ask(wide, path="/data?token=" + token)[0], 200)
        self.assertEqual(self.ask(wide, Cookie="a=b; carbo=" + token)[0], 200)

    def test_two_viewers_hear_of_changes_and_of_a_study_that_vanishes(self):
        port, _ = self.serve()
        viewers = []
        for _ in range(2):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            self.addCleanup(connection.close)
            connection.request("GET", "/events")
            viewers.append(connection.getresponse())

        def next_event(viewer):
            event = {}
            while True:
                line = viewer.readline().decode().strip()
                if line and not line.startswith(":"):
                    key, value = line.split(": ", 1)
                    event[key] = value
                elif event:
                    return event["event"], json.loads(event["data"])

        for viewer in viewers:
            self.assertEqual(next_event(viewer)[1]["succeeded"], 8)
        self.program("tell", self.study, "--at", "x=0.9", "--objective", "0.5", "--cost", "1")
        for viewer in viewers:
            event, summary = next_event(viewer)
            self.assertEqual((event, summary["succeeded"]), ("change", 9))
        os.rename(FOLDER / f"{self._testMethodName}.db", FOLDER / "away.db")
        for viewer in viewers:
            self.assertEqual(next_event(viewer)[0], "gone")
        self.assertEqual(self.ask(port)[0], 503)
        os.rename(FOLDER / "away.db", FOLDER / f"{self._testMethodName}.db")
        for viewer in viewers:
            self.assertEqual(next_event(viewer)[0], "change")

    def test_what_cannot_be_served_is_said(self):
        port, _ = self.serve()
        taken = self.program("serve", self.study, "--port", port, succeeds=False)
        self.assertEqual(taken.returncode, 1)
        self.assertIn(f"port {port}", taken.stderr)
        self.assertNotEqual(self.program("serve", "nothing.toml", "--port", 0, succeeds=False).returncode, 0)
        self.assertIn("either --stdio or --port", self.program("serve", self.study, succeeds=False).stderr)
        self.assertIn("16 characters", self.program("serve", self.study, "--port", 0, "--control", "--token", "short",
                                                    succeeds=False).stderr)


if __name__ == "__main__":
    if studies.has_no_live_page(CARBO):
        print("SKIPPED: this build has no live page; on Debian: apt-get install libcpp-httplib-dev")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
