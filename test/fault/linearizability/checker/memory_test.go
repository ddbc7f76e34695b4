package main

import (
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

const ok, illegal = porcupine.Ok, porcupine.Illegal

// Each operation is its client, its kind and the instants of its begin and end; others are as they are named.
var histories = []struct {
	what   string
	lines  string
	wanted porcupine.CheckResult
}{
	{"what was stored is read", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":2,"kind":"read","began":3,"ended":4,"outcome":"done","read":"a"}`, ok},
	{"a stale read after an acknowledged update", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":1,"kind":"update","value":"b","began":3,"ended":4,"outcome":"done"}
		{"client":2,"kind":"read","began":5,"ended":6,"outcome":"done","read":"a"}`, illegal},
	{"a read during an update sees either", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":1,"kind":"update","value":"b","began":3,"ended":8,"outcome":"done"}
		{"client":2,"kind":"read","began":4,"ended":5,"outcome":"done","read":"b"}`, ok},
	{"a read after one that saw the update does not go back", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":1,"kind":"update","value":"b","began":3,"ended":8,"outcome":"done"}
		{"client":2,"kind":"read","began":4,"ended":5,"outcome":"done","read":"b"}
		{"client":2,"kind":"read","began":6,"ended":7,"outcome":"done","read":"a"}`, illegal},
	{"a write without an answer takes effect later", `
		{"client":1,"kind":"store","value":"a","began":1,"outcome":"unknown"}
		{"client":2,"kind":"read","began":2,"ended":3,"outcome":"done","read":""}
		{"client":2,"kind":"read","began":4,"ended":5,"outcome":"done","read":"a"}`, ok},
	{"a write without an answer never takes effect", `
		{"client":1,"kind":"store","value":"a","began":1,"outcome":"unknown"}
		{"client":2,"kind":"read","began":2,"ended":3,"outcome":"done","read":""}`, ok},
	{"a write without an answer takes effect twice", `
		{"client":1,"kind":"store","value":"a","began":1,"outcome":"unknown"}
		{"client":2,"kind":"read","began":2,"ended":3,"outcome":"done","read":"a"}
		{"client":2,"kind":"delete","began":4,"ended":5,"outcome":"done"}
		{"client":2,"kind":"read","began":6,"ended":7,"outcome":"done","read":"a"}`, illegal},
	{"two replace the same version", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":1,"kind":"replace","expected":"a","value":"b","began":3,"ended":6,"outcome":"done"}
		{"client":2,"kind":"replace","expected":"a","value":"c","began":4,"ended":5,"outcome":"done"}`, illegal},
	{"one replaces a version, the other is refused", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":1,"kind":"replace","expected":"a","value":"b","began":3,"ended":6,"outcome":"done"}
		{"client":2,"kind":"replace","expected":"a","value":"c","began":4,"ended":7,"outcome":"refused","refusal":"ABORTED"}`, ok},
	{"an update of a memory that is there is refused as missing", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":2,"kind":"replace","expected":"z","value":"c","began":3,"ended":4,"outcome":"refused","refusal":"NOT_FOUND"}`, illegal},
	{"a delete of a missing memory is refused", `
		{"client":1,"kind":"delete","began":1,"ended":2,"outcome":"refused","refusal":"NOT_FOUND"}`, ok},
	{"an acknowledged write is lost", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		{"client":2,"kind":"store","value":"b","began":3,"ended":4,"outcome":"done"}`, illegal},
	{"two dozen writes without an answer never take effect", `
		{"client":1,"kind":"store","value":"a","began":1,"ended":2,"outcome":"done"}
		` + strings.Repeat(`{"client":2,"kind":"update","value":"b","began":3,"outcome":"unknown"}
		{"client":3,"kind":"delete","began":3,"outcome":"unknown"}
		`, 12) + `{"client":4,"kind":"read","began":4,"ended":5,"outcome":"done","read":"a"}`, ok},
}

func TestHistories(t *testing.T) {
	for _, each := range histories {
		t.Run(each.what, func(t *testing.T) {
			lines := strings.ReplaceAll(each.lines, `{"client"`, `{"history":"h","client"`)
			found, err := read(strings.NewReader(strings.TrimSpace(lines)))
			if err != nil {
				t.Fatal(err)
			}
			if result := check(found["h"]); result != each.wanted {
				t.Errorf("%v, expected %v", result, each.wanted)
			}
		})
	}
}
