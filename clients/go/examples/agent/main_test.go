package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-ai/mneme/clients/go/mnemetest"
)

// The agent prints what the clients of all languages print, though it is killed when it is paused. The text is not in the module:
// where only that is there, nothing is run.
func TestAgentGoesOnAfterItWasKilled(t *testing.T) {
	expected, err := os.ReadFile("../../../example-output.txt")
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "agent")
	if output, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	server := mnemetest.Start(t)
	work := exec.Command(program, server.Address, "work")
	work.Stderr = os.Stderr
	reader, err := work.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := work.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(reader, &printed)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "paused:") {
			break
		}
	}
	if err := work.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = work.Wait() // It was killed.
	rest, err := exec.Command(program, server.Address, "resume").Output()
	if err != nil {
		t.Fatal(err)
	}
	if all := printed.String() + string(rest); all != string(expected) {
		t.Fatalf("printed\n%s\nexpected\n%s", all, expected)
	}
}
