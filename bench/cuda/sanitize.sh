#!/bin/bash
# Runs compute-sanitizer on the corpus and on a part of the generated suite, on a machine with a GPU, in pieces that run beside one another,
# each with a time limit. build.sh has built the tests. Writes a log for each piece to OUT, and a table to OUT/sanitizer.md.
#
#   bench/cuda/sanitize.sh OUT [SECONDS for a piece, 60] [pieces at a time, 8] [TOOL...]
out=${1:?usage: bench/cuda/sanitize.sh OUT [SECONDS] [PIECES] [TOOL...]}
limit=${2:-60}
jobs=${3:-8}
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
mkdir -p "$out" && out=$(cd "$out" && pwd)
export TEGULA_CACHE=off root out limit

# Tools, and of each suite the pieces: what the names of its cases begin with. Races are looked for where there is shared memory.
tools=${*:4}
tools=${tools:-racecheck memcheck initcheck synccheck}
corpus=$(cd internal/difftest/testdata/kernels && ls | sed 's/\.py$//')
generated="tl.(sum|max|min|reduce) tl.(argmax|argmin|xor_sum) tl.(cumsum|cumprod|associative_scan) tl.(sort|topk|flip) tl.(gather|histogram) tl.(trans|permute|reshape|join|split|cat|interleave) tl.dot random"

# Cases are launched one after another: with launches of many threads at a time racecheck may not come back.
#
# piece SUITE TOOL NAMES: one line: suite, tool, names, how it ended, cases that passed, cases that failed, errors.
piece() {
    suite=$1 tool=$2 names=$3
    log=$out/$suite.$tool.$(echo "$names" | tr -c 'a-z0-9\n' _).log
    package=internal/difftest binary=internal_difftest
    part=
    [ "$suite" = generated ] && package=internal/difftest/gen binary=internal_difftest_gen part="-one-in 4"
    cd "$root/$package" || return
    timeout "$limit" compute-sanitizer --tool "$tool" --report-api-errors no "$root/build/gpu/$binary.test" \
        -test.run "TestCUDA\$/^$names" -test.v -test.parallel 1 $part >"$log" 2>&1
    status=$?
    ended="finished"
    [ $status = 124 ] && ended="stopped after $limit s"
    passed=$(grep -cE '^ +--- PASS: TestCUDA/.*' "$log")
    failed=$(grep -cE '^ +--- FAIL: TestCUDA/.*' "$log")
    errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\).*/\1/p; s/.*RACECHECK SUMMARY: \([0-9]*\) hazard.*/\1/p' "$log" | tail -1)
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$suite" "$tool" "$names" "$ended" "$passed" "$failed" "${errors:-none told}"
}
export -f piece

{
    for tool in $tools; do
        for names in $corpus; do printf '%s\t%s\t%s\n' corpus "$tool" "$names"; done
    done
    for tool in $tools; do
        for names in $generated; do printf '%s\t%s\t%s\n' generated "$tool" "$names"; done
    done
} | xargs -d '\n' -P "$jobs" -I{} bash -c 'IFS=$'"'\t'"' read -r a b c <<<"$1"; piece "$a" "$b" "$c"' _ {} | sort >"$out/pieces.tsv"

{
    echo "# compute-sanitizer on the corpus and the generated suite"
    echo
    echo "$(date +%F), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1); $(compute-sanitizer --version | grep -o 'Version.*' | head -1)"
    echo
    echo "    bench/cuda/build.sh && bench/cuda/sanitize.sh OUT $limit $jobs $tools"
    echo
    echo "| suite | tool | cases | | right | wrong | errors |"
    echo "|---|---|---|---|---|---|---|"
    sed 's/|/\\|/g; s/\t/ | /g; s/^/| /; s/$/ |/' "$out/pieces.tsv"
} >"$out/sanitizer.md"
cat "$out/sanitizer.md"
# All is well if every piece ran cases, all right, and the tool told no errors.
awk -F '\t' '$5 == 0 || $6 != 0 || $7 != "0" || $4 != "finished" { bad = 1 } END { exit bad }' "$out/pieces.tsv"
