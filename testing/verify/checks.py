"""Answers the checks of the tests: a line of JSON for each question and each answer, with a clock that is told."""

import json
import logging
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from types import SimpleNamespace

import gatehouse_verify

clock = {"now": 0.0}
current = {"api": 0}
gatehouse_verify.time = SimpleNamespace(monotonic=lambda: clock["now"], time=time.time)
made: dict[int, gatehouse_verify.Gatehouse] = {}
writing = threading.Lock()


def say(**what):
    with writing:
        print(json.dumps(what), flush=True)


def snake(names: dict) -> dict:
    return {re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name): value for name, value in names.items()}


class Problems(logging.Handler):
    def emit(self, record):
        say(api=current["api"], problem=record.getMessage())


def check(asked: dict) -> None:
    try:
        if asked["api"] not in made:
            raise asked["fault"]
        required = made[asked["api"]].require(**snake(asked["needs"]))
        called = asked.get("called")
        called = called and gatehouse_verify.Called(called["method"], called["url"], called["proof"])
        caller = asdict(required.check(asked["header"], called))
        say(id=asked["id"], caller=caller)
    except gatehouse_verify.Refused as refused:
        headers = {name.lower(): value for name, value in refused.headers.items()}
        say(id=asked["id"], refused={"status": refused.status, "headers": headers})
    except Exception as error:
        say(id=asked["id"], error=f"{type(error).__name__}: {error}")


logging.getLogger("gatehouse_verify").addHandler(Problems())
with ThreadPoolExecutor(64) as threads:
    for line in sys.stdin:
        asked = json.loads(line)
        clock["now"] = asked["now"]
        current["api"] = asked["api"]
        try:
            if asked["api"] not in made:
                made[asked["api"]] = gatehouse_verify.Gatehouse(
                    **snake(asked["options"]),
                    on_refused=lambda reason, api=asked["api"]: say(api=api, reason=reason),
                )
                gatehouse_verify._told = ""
        except Exception as fault:
            asked["fault"] = fault
        threads.submit(check, asked)
