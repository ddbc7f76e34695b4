package mneme_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mneme-ai/mneme/clients/go/mnemetest"
)

var (
	guideFile    = regexp.MustCompile("(?s)```go (\\S+)\n(.*?)```")
	guideCommand = regexp.MustCompile(`(?ms)^\$ (go run \S+)\n(.*?)(?:^\$|` + "^```)")
)

// The guide prints what it says. It is not in the module: where only that is there, nothing is run.
func TestGuidePrintsWhatItSays(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/go.md")
	if err != nil {
		t.Skip(err)
	}
	server := mnemetest.Start(t)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run := func(line string) string {
		words := strings.Fields(line)
		command := exec.Command(words[0], words[1:]...)
		command.Dir = folder
		output, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, output)
		}
		return string(output)
	}
	run("go mod init example")
	run("go mod edit -replace github.com/mneme-ai/mneme/clients/go=" + here)
	for _, file := range guideFile.FindAllStringSubmatch(string(page), -1) {
		text := strings.ReplaceAll(file[2], "127.0.0.1:50051", server.Address)
		if err := os.WriteFile(filepath.Join(folder, file[1]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("go get github.com/mneme-ai/mneme/clients/go@v0.1.0")
	commands := guideCommand.FindAllStringSubmatch(string(page), -1)
	if len(commands) != 4 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, command := range commands {
		if printed := run(command[1]); printed != command[2] {
			t.Errorf("%s printed\n%s\nthe page says\n%s", command[1], printed, command[2])
		}
	}
}
