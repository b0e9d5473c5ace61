#!/usr/bin/env python3
"""Asks for a disbursement over HTTP and waits for its event, with nothing but Python's standard library.

Start `./bin/relais.js dev`, then:  python3 examples/python/disburse.py order-1042
Another address or key: RELAIS_URL, RELAIS_API_KEY.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

API = os.environ.get("RELAIS_URL", "http://127.0.0.1:3000")
KEY = os.environ.get("RELAIS_API_KEY", "dev")


def ask(method, path, body=None):
    """One request, repeated while nobody answers: the reference makes that harmless."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    for wait in (0.5, 1, 2, 4, None):
        request = urllib.request.Request(API + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            # `application/problem+json`: `type` is for programs, `detail` for people.
            problem = json.load(error)
            if error.code not in (429, 503) or wait is None:
                raise SystemExit(f"{error.code} {problem['detail']}") from None
        except urllib.error.URLError:
            if wait is None:
                raise
        time.sleep(wait)


def events(after="0-0"):
    """Every event from a place on, the oldest first, without end. A service would keep the place."""
    while True:
        page = ask("GET", "/v1/events?" + urllib.parse.urlencode({"after": after, "limit": 100}))
        yield from page["events"]
        if page["next"] == after:
            time.sleep(0.5)
        after = page["next"]


def main():
    order = sys.argv[1] if len(sys.argv) > 1 else "order-1042"
    asked = ask("POST", "/v1/disbursements", {
        "reference": order,
        "accountAlias": "771234567",
        "amount": 25000,  # whole XOF: 25000.0 or "25000" is refused
        "withdrawMode": "wallet-a-senegal",
        "metadata": {"orderId": order},  # your own data: it comes back with the event
    })
    print(asked["id"], asked["state"], flush=True)
    for event in events():
        if event["data"]["id"] == asked["id"]:
            print(event["type"], json.dumps(event["data"]))
            if event["data"]["state"] != "held":  # held goes on by itself
                break


if __name__ == "__main__":
    main()
