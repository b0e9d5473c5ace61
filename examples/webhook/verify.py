#!/usr/bin/env python3
"""Verify a delivery of relais: the body comes on standard input.

    WEBHOOK_SECRET=whsec_… python3 verify.py "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$WEBHOOK_SIGNATURE" < body

In a web framework the first three are the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, and the
body is the raw bytes: `request.get_data()` in Flask, `request.body` in Django.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import time


def verify(secret, event_id, timestamp, signatures, body):
    """Return the event. Raise ValueError if relais did not send exactly these bytes within the last five minutes."""
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("the delivery is older than five minutes")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # During a rotation of the secret there are several signatures.
    for signature in signatures.split(" "):
        if hmac.compare_digest(expected, signature.encode()):
            return json.loads(body)
    raise ValueError("no signature fits")


if __name__ == "__main__":
    event = verify(os.environ["WEBHOOK_SECRET"], *sys.argv[1:4], sys.stdin.buffer.read())
    print(event["type"])
