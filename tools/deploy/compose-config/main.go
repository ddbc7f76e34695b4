// Command compose-config loads a compose file with profiles as Docker Compose does and prints what it makes of them; it fails
// where the file is wrong. Usage: compose-config FILE [PROFILE...]
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: compose-config FILE [PROFILE...]"))
	}
	options, err := cli.NewProjectOptions(os.Args[1:2], cli.WithProfiles(os.Args[2:]))
	if err != nil {
		fail(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err)
	}
	text, err := project.MarshalYAML()
	if err != nil {
		fail(err)
	}
	fmt.Print(string(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "compose-config:", err)
	os.Exit(1)
}
