#!/usr/bin/env bash
# Asks for a disbursement and a text over HTTP, and reads how they ended. Start `./bin/relais.js dev`, then:
#
#   examples/enqueue.sh [order-1042]                          (another address or key: RELAIS_URL, RELAIS_API_KEY)
set -euo pipefail
shopt -s inherit_errexit

readonly API=${RELAIS_URL:-http://127.0.0.1:3000}
readonly KEY=${RELAIS_API_KEY:-dev}
readonly ORDER=${1:-order-1042}

ask() {
  curl --silent --show-error --fail-with-body \
    -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$@"
  echo
}

# The reference makes a retry harmless: run this twice, pay once. The second time the same record is answered.
ask "$API/v1/disbursements" -d '{
  "reference": "'"$ORDER"'",
  "accountAlias": "771234567",
  "amount": 25000,
  "withdrawMode": "wallet-a-senegal"
}'

ask "$API/v1/messages" -d '{
  "reference": "'"$ORDER"'-text",
  "to": "+221771234567",
  "text": "Bonjour Awa, votre salaire est en route."
}'

# How things ended, page by page. `next` is where to go on from; a program would keep it.
after=0-0
for _ in $(seq 60); do
  page=$(ask "$API/v1/events?after=$after&limit=100")
  if [[ $page == *"\"reference\":\"$ORDER\""* ]]; then
    echo "$page"
    exit 0
  fi
  after=$(sed -E 's/.*"next":"([^"]+)".*/\1/' <<<"$page")
  sleep 0.5
done
echo "nothing was heard of $ORDER yet: GET /v1/explain/<id> says why" >&2
exit 1
