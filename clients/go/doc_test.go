package mneme

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

func TestEveryPublicNameIsDocumented(t *testing.T) {
	for _, folder := range []string{".", "mnemetest"} {
		files := token.NewFileSet()
		isSource := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
		packages, err := parser.ParseDir(files, folder, isSource, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range packages {
			told := doc.New(each, folder, 0)
			check := func(name, text string) {
				if text == "" {
					t.Errorf("%s: %s has no comment", folder, name)
				}
			}
			check("package", told.Doc)
			functions := told.Funcs
			for _, kind := range told.Types {
				check(kind.Name, kind.Doc)
				functions = append(append(functions, kind.Funcs...), kind.Methods...)
				for _, values := range append(kind.Consts, kind.Vars...) {
					checkValues(values, check)
				}
			}
			for _, function := range functions {
				check(function.Recv+"."+function.Name, function.Doc)
			}
			for _, values := range append(told.Consts, told.Vars...) {
				checkValues(values, check)
			}
		}
	}
}

// checkValues: a comment on a group of constants or variables is one on all of them.
func checkValues(values *doc.Value, check func(name, text string)) {
	for _, spec := range values.Decl.Specs {
		value, is := spec.(*ast.ValueSpec)
		if is && value.Names[0].IsExported() {
			check(value.Names[0].Name, values.Doc+value.Doc.Text())
		}
	}
}
