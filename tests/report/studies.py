"""Studies that the pages under test are made of, through the program alone."""
import csv
import io
import json
import math
import pathlib
import random
import signal
import subprocess


class Program:
    def __init__(self, carbo, folder):
        self.carbo, self.folder = carbo, pathlib.Path(folder)

    def __call__(self, *words, text=None, succeeds=True):
        done = subprocess.run([self.carbo, *map(str, words)], cwd=self.folder, input=text, text=True,
                              capture_output=True, timeout=120)
        if succeeds and done.returncode != 0:
            raise AssertionError(f"carbo {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
        return done

    def rows(self, study):
        """What `carbo export` says, a dictionary a trial."""
        return list(csv.DictReader(io.StringIO(self("export", study).stdout)))


def study_file(program, name, text):
    path = program.folder / f"{name}.toml"
    path.write_text(f'name = {json.dumps(name)}\ndurability = "normal"\n' + text)
    return path.name


def conversation(program, study, evaluate, rounds, count):
    """Asks and tells so often, `count` at a time; `evaluate` returns a result without its id."""
    server = subprocess.Popen([program.carbo, "serve", study, "--stdio"], cwd=program.folder, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(request):
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        reply = json.loads(server.stdout.readline())
        assert reply["ok"], reply
        return reply

    number = 0
    for _ in range(rounds):
        suggestions = call({"op": "ask", "count": count})["suggestions"]
        for suggestion in suggestions:
            result = evaluate(suggestion["configuration"], number)
            number += 1
            call({"op": "tell", "id": suggestion["id"], **result})
        if not suggestions:
            break
    server.communicate(timeout=60)


def tuned(program, name="tuned", rounds=12, count=4):
    """A study of four parameters with noise, failures and a timeout, which the engine has searched."""
    study = study_file(program, name, """
budget = "2000 s"
batch_size = 4
seed = 5
[parameters]
rate = "1e-4..1.0 log"
layers = "1..8"
optimiser = ["sgd", "adam", "rmsprop"]
width = [16, 32, 64, 128, 256]
""")
    noise = random.Random(7)

    def evaluate(point, number):
        cost = 2.0 * point["layers"] * (point["width"] / 32) ** 0.7 * math.exp(noise.gauss(0, 0.1))
        started = 1.7e9 + 40 * (number // count)
        notes = {"started": started, "ended": started + cost}
        if point["optimiser"] == "rmsprop" and point["rate"] > 0.3:
            return {"failed": "the loss is not finite", "cost": cost / 3, "started": started, "ended": started + cost / 3}
        if cost > 60:
            return {"failed": "cut off", "timed_out": True, "cost": 60.0, "started": started, "ended": started + 60}
        loss = 0.2 + (math.log10(point["rate"]) + 2) ** 2 / 6 + {"sgd": 0.15, "adam": 0, "rmsprop": 0.05}[point["optimiser"]]
        loss += 0.5 / point["layers"] + 4 / point["width"] + abs(noise.gauss(0, 0.01))
        return {"objective": loss, "cost": cost, "metrics": {"accuracy": 1 - loss / 3}, **notes}

    conversation(program, study, evaluate, rounds, count)
    return study


def told(program, name, parameters, results, head='budget = "1e6 s"\n'):
    """A study whose results were all told from outside."""
    study = study_file(program, name, head + "[parameters]\n" + parameters)
    program("tell", study, "--from", "-", text="".join(json.dumps(each) + "\n" for each in results))
    return study


def serve(test, program, study, *words):
    """Port and the address that was printed; it is ended by the signal of Ctrl-C, and ends well."""
    server = subprocess.Popen([program.carbo, "serve", study, "--port", "0", *words], cwd=program.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end():
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=30)
        test.assertEqual((server.returncode, said), (0, ""))

    address = server.stdout.readline().strip()
    test.addCleanup(end)
    test.assertTrue(address.startswith("http://"), address)
    return int(address.split(":")[2].split("/")[0]), address


def has_no_live_page(carbo):
    answer = subprocess.run([carbo, "serve", "--port", "0", __file__], text=True, capture_output=True, check=False)
    return "no live page" in answer.stderr
