#!/bin/sh
# Records the traces of this folder anew. They come out the same, byte for byte.
set -e
cd "$(dirname "$0")"
for conversation in paris umbrella picnic phoenix; do
    agentevals record -o "traces/$conversation.jsonl" -- \
        python weather_agent/agent.py "$conversation"
done
