#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# prometheus.bats - what drom metrics writes is read by a real Prometheus, as OpenMetrics and through its node exporter.

bats_require_minimum_version 1.5.0

load ../cli/support

setup_file() {
    export GUESTS=$BATS_FILE_TMPDIR
    gcc -O2 "$BATS_TEST_DIRNAME/../cli/guests/plain.c" -o "$GUESTS/plain"
}

needs() { command -v "$1" >/dev/null || missing "no $1: scripts/packages.sh test installs it"; }

# free_port: prints the number of a port that was free a moment ago.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# serve FILE PORT: serves the file as OpenMetrics. Prometheus reads it by that grammar, which is the stricter one.
serve() {
    python3 - "$1" "$2" <<'PY' 3>&- &
import http.server, sys
class One(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = open(sys.argv[1], "rb").read()
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *words): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), One).serve_forever()
PY
    STARTED+=($!)
}

# asked QUERY: prints the values that Prometheus knows, one per line.
asked() { curl -sG "http://127.0.0.1:$PROMETHEUS/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result[].value[1]'; }

# knows QUERY VALUE: waits until that is the only value.
knows() {
    local deadline=$((SECONDS + 60))
    until [[ $(asked "$1") == "$2" ]]; do
        ((SECONDS < deadline)) || { echo "$1 is $(asked "$1"), not $2" >&2; tail -n 20 "$WORK/prometheus.log" >&2; return 1; }
        sleep 0.2
    done
}

# start_prometheus TARGET-PORT...: scrapes them each second; jobs are named after the ports.
start_prometheus() {
    PROMETHEUS=$(free_port)
    {
        printf 'global: {scrape_interval: 1s}\nscrape_configs:\n'
        printf -- '- {job_name: "%s", honor_labels: true, static_configs: [{targets: ["127.0.0.1:%s"]}]}\n' open "$1" textfile "$2"
    } >"$WORK/prometheus.yml"
    prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" --web.listen-address="127.0.0.1:$PROMETHEUS" \
        >"$WORK/prometheus.log" 2>&1 3>&- &
    STARTED+=($!)
}

@test "a real Prometheus knows what the node's clients do, by both ways in" {
    needs prometheus
    needs prometheus-node-exporter
    sleeper heat "$A" --job '7"0'
    mkdir "$WORK/files"
    drom metrics --window 1 --out "$WORK/files/drom.prom"
    local open textfile
    open=$(free_port) textfile=$(free_port)
    serve "$WORK/files/drom.prom" "$open"
    prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$WORK/files" \
        --web.listen-address="127.0.0.1:$textfile" >"$WORK/exporter.log" 2>&1 3>&- &
    STARTED+=($!)
    start_prometheus "$open" "$textfile"
    local owned='drom_cpus_owned{job="7\"0",client="heat"}'
    knows "count($owned)" 2
    knows "sum($owned)" 2
    knows 'count(drom_requests_total)' 2
    knows 'sum(drom_node_cpus{state="owned",job="open"})' 1
    knows 'sum(drom_cpus_lost{instance="127.0.0.1:'"$open"'"})' 1
    # The next file has what changed.
    sleeper other "$B" --job 8.0
    drom metrics --window 1 --out "$WORK/files/drom.prom"
    knows 'drom_clients{job="open"}' 2
    knows 'drom_clients{job="textfile"}' 2
}

@test "promtool finds nothing but the help of the counter, which OpenMetrics has elsewhere" {
    needs promtool
    sleeper one "$A"
    drom metrics --window 1 >"$WORK/text"
    [[ $(promtool check metrics <"$WORK/text" 2>&1) == "drom_requests_total no help text" ]]
}

@test "the words of metrics are refused before anything is looked at" {
    sleeper one "$A"
    refuses 2 "^drom: metrics: --json is not for OpenMetrics; drom stats --json says the same as an object" drom metrics --json
    refuses 2 "^drom: metrics: --out needs a value" drom metrics --out=
    refuses 2 "^drom: metrics: --window 0 is out of range; 1 to 86400 seconds" drom metrics --window 0
    refuses 1 "^drom: metrics: $WORK/none/x.prom: it cannot be written: No such file or directory" drom metrics --window 86400 --out "$WORK/none/x.prom"
    refuses 1 "^drom: metrics: $WORK: it is no regular file; name one that may be replaced" drom metrics --window 86400 --out "$WORK"
}

@test "a file is written through a link, with a long name, and not beyond the limit of its user" {
    sleeper one "$A"
    local long
    long=$WORK/$(printf 'x%.0s' {1..250}).prom
    drom metrics --window 1 --out "$long"
    ln -s "$long" "$WORK/link.prom"
    drom metrics --window 1 --out "$WORK/link.prom"
    [[ -L $WORK/link.prom && -f $long ]]
    cp "$long" "$WORK/before"
    refuses 1 "^drom: metrics: $WORK/link.prom: it cannot be written: File too large" bash -c "ulimit -f 1; '$BIN' metrics --window 1 --out '$WORK/link.prom'"
    cmp "$WORK/before" "$long"
    [[ $(find "$WORK" -maxdepth 1 -name '.drom.*' | wc -l) == 0 ]]
}

@test "a table that is gone leaves the file as it was" {
    sleeper one "$A"
    drom metrics --window 1 --out "$WORK/drom.prom"
    cp "$WORK/drom.prom" "$WORK/before"
    refuses 1 "^drom: open table $WORK/none: there is none" drom metrics --table "$WORK/none" --out "$WORK/drom.prom"
    cmp "$WORK/before" "$WORK/drom.prom"
    [[ $(find "$WORK" -name '.drom.*' | wc -l) == 0 ]]
}
