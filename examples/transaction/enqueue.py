#!/usr/bin/env python3
"""Refund an order: the refund and its payment are one transaction.

    DATABASE_URL=postgresql://shop:password@127.0.0.1:5432/shop python3 enqueue.py 1042 25000
"""
import json
import os
import sys

import psycopg

order, amount = int(sys.argv[1]), int(sys.argv[2])
request = {
    "reference": f"order-{order}",
    "accountAlias": "771234567",
    "amount": amount,
    "withdrawMode": "wallet-a-senegal",
}

# The end of this block commits. An error rolls both back, and nothing is paid.
with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    (operation,) = connection.execute(
        "select relais.enqueue('disbursement', %s)", [json.dumps(request)]
    ).fetchone()
    connection.execute(
        "insert into refunds (order_id, amount) values (%s, %s) on conflict (order_id) do nothing",
        [order, amount],
    )

print(operation)
