// Makes of a folder the files of a module as the Go tools fetch them from a proxy. usage: modzip FOLDER MODULE VERSION PROXY
package main

import (
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	folder, of, out := os.Args[1], module.Version{Path: os.Args[2], Version: os.Args[3]}, os.Args[4]
	into := filepath.Join(out, of.Path, "@v")
	check(os.MkdirAll(into, 0o755))
	archive, err := os.Create(filepath.Join(into, of.Version+".zip"))
	check(err)
	check(zip.CreateFromDir(archive, of, folder))
	check(archive.Close())
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	check(err)
	check(os.WriteFile(filepath.Join(into, of.Version+".mod"), text, 0o644))
	info := `{"Version":"` + of.Version + `","Time":"` + time.Now().UTC().Format(time.RFC3339) + `"}`
	check(os.WriteFile(filepath.Join(into, of.Version+".info"), []byte(info), 0o644))
	check(os.WriteFile(filepath.Join(into, "list"), []byte(of.Version+"\n"), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
