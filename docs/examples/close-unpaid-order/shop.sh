#!/usr/bin/env bash
# An order that is not paid within 30 minutes is closed.
#   shop.sh order ID    takes an order
#   shop.sh paid ID     its payment has come
#   shop.sh close [N]   closes orders as their time comes; ends after N of them
# DELAYQ_URL   the server
# CLOSE_AFTER  how long a customer has, such as 45s or 1h30m
# Needs curl and jq.
set -euo pipefail
topic=${DELAYQ_URL:-http://127.0.0.1:9277}/v1/topics/close-order

call() {
  curl --silent --show-error --fail --header 'Content-Type: application/json' "$@"
}

# The id makes it safe to repeat: a second push of the same order is refused.
order() {
  call "$topic/jobs" --data "{\"id\":\"$1\",\"delay\":\"${CLOSE_AFTER:-30m}\",\"body\":{\"order\":\"$1\"}}" >/dev/null
  echo "order $1 is open for ${CLOSE_AFTER:-30m}"
}

# Cancels in any state. 404 says that the order was closed already: the payment came too late.
paid() {
  case $(call -X DELETE "$topic/jobs/$1" --no-fail --output /dev/null --write-out '%{http_code}') in
    204) echo "order $1 is paid" ;;
    404) echo "order $1 was closed before it was paid" ;;
    *) echo "order $1: no answer, try again" >&2; return 1 ;;
  esac
}

# Until the ack the job is only lent: if this ends halfway, it comes back.
close() {
  local left=${1:--1} jobs id lease
  while [ "$left" != 0 ]; do
    jobs=$(call "$topic/reserve" --data '{"wait":"20s"}' | jq -r '.jobs[] | "\(.id) \(.lease)"')
    [ -n "$jobs" ] || continue
    read -r id lease <<<"$jobs"
    echo "order $id is closed: not paid in time"
    call "$topic/jobs/$id/ack" --data "{\"lease\":\"$lease\"}"
    left=$((left - 1))
  done
}

case ${1:-} in
  order | paid) "$1" "${2:?an order number}" ;;
  close) close "${2:-}" ;;
  *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;;
esac
