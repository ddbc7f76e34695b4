// Checks histories of a memory for linearizability. It reads operations from standard input, one JSON object a line (README.md),
// and prints one object for each history: {"history":"h-1","result":"ok"}, or illegal, or unknown where the time did not suffice.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	timeout   = 2 * time.Minute
	lineBytes = 1 << 20
)

type line struct {
	History string `json:"history"`
	operation
}

func main() {
	histories, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	output := json.NewEncoder(os.Stdout)
	for _, name := range slices.Sorted(maps.Keys(histories)) {
		result := map[porcupine.CheckResult]string{
			porcupine.Ok: "ok", porcupine.Illegal: "illegal", porcupine.Unknown: "unknown",
		}[check(histories[name])]
		if err := output.Encode(map[string]string{"history": name, "result": result}); err != nil {
			log.Fatal(err)
		}
	}
}

func read(input io.Reader) (map[string][]operation, error) {
	histories := map[string][]operation{}
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, lineBytes)
	for lines.Scan() {
		var each line
		if err := json.Unmarshal(lines.Bytes(), &each); err != nil {
			return nil, err
		}
		if each.History == "" {
			return nil, errors.New("an operation without a history")
		}
		histories[each.History] = append(histories[each.History], each.operation)
	}
	return histories, lines.Err()
}

// check first leaves out the calls without an answer, which may never have taken effect: with two dozen of them the search through
// all orders does not end.
func check(operations []operation) porcupine.CheckResult {
	answered := make([]porcupine.Operation, 0, len(operations))
	all := make([]porcupine.Operation, 0, len(operations))
	for _, each := range operations {
		all = append(all, each.event())
		if each.Outcome != "unknown" {
			answered = append(answered, each.event())
		}
	}
	if porcupine.CheckOperationsTimeout(memory, answered, timeout) == porcupine.Ok {
		return porcupine.Ok
	}
	return porcupine.CheckOperationsTimeout(memory, all, timeout)
}
