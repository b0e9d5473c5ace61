#!/usr/bin/env bash
# Asks for a disbursement and a text over HTTP, and reads how they ended. Start `./bin/relais.js dev`, then:
#
#   examples/enqueue.sh                                       (another address or key: RELAIS_URL, RELAIS_API_KEY)
set -euo pipefail

readonly API=${RELAIS_URL:-http://127.0.0.1:3000}
readonly KEY=${RELAIS_API_KEY:-dev}

ask() {
  curl --silent --show-error --fail-with-body \
    -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$@"
  echo
}

# The reference makes a retry harmless: run this twice, pay once. The second time the same record is answered.
ask "$API/v1/disbursements" -d '{
  "reference": "salary-2026-11-awa",
  "accountAlias": "771234567",
  "amount": 25000,
  "withdrawMode": "wallet-a-senegal"
}'

ask "$API/v1/messages" -d '{
  "reference": "hello-awa",
  "to": "+221771234567",
  "text": "Bonjour Awa, votre salaire est en route."
}'

# What ended so far. `next` is the cursor to go on from: `?after=<next>`.
ask "$API/v1/events?limit=100"
