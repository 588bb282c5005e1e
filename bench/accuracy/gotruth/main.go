// Command gotruth prints what go/types says every identifier of a module means, as truth for the accuracy bench.
//
// usage: go run . MODULE-DIR > truth.tsv
//
// Only the standard library's checker is used. Packages outside the module and the standard library are replaced by empty ones,
// so what hangs on them is left out (the checker goes on after errors). Test files are checked together with their package,
// external test packages apart. Lines are `path line column kind definition-path definition-line`; see scip_truth.py.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type loader struct {
	root, module string
	fset         *token.FileSet
	std          types.Importer
	done         map[string]*types.Package
	out          map[string]bool
}

// Import gives the checked package of an import path, without its tests.
func (l *loader) Import(path string) (*types.Package, error) {
	if known, ok := l.done[path]; ok {
		return known, nil
	}
	if path == l.module || strings.HasPrefix(path, l.module+"/") {
		l.done[path] = types.NewPackage(path, filepath.Base(path))
		pkg := l.check(path, false, false)
		l.done[path] = pkg
		return pkg, nil
	}
	if !strings.Contains(strings.Split(path, "/")[0], ".") {
		if pkg, err := l.std.Import(path); err == nil {
			l.done[path] = pkg
			return pkg, nil
		}
	}
	pkg := types.NewPackage(path, strings.TrimPrefix(filepath.Base(path), "go-"))
	pkg.MarkComplete()
	l.done[path] = pkg
	return pkg, nil
}

func (l *loader) check(path string, tests, external bool) *types.Package {
	dir := filepath.Join(l.root, strings.TrimPrefix(strings.TrimPrefix(path, l.module), "/"))
	entries, _ := os.ReadDir(dir)
	var files []*ast.File
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, name); err != nil || !ok {
			continue
		}
		isTest := strings.HasSuffix(name, "_test.go")
		if isTest && !tests {
			continue
		}
		file, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, 0)
		if file == nil || err != nil {
			continue
		}
		outside := strings.HasSuffix(file.Name.Name, "_test") && isTest
		if outside != external {
			continue
		}
		files = append(files, file)
	}
	info := &types.Info{
		Uses:       map[*ast.Ident]types.Object{},
		Defs:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check(path, l.fset, files, info)
	if tests {
		l.record(info)
	}
	return pkg
}

func (l *loader) record(info *types.Info) {
	for ident, object := range info.Uses {
		at := l.fset.Position(ident.Pos())
		from, err := filepath.Rel(l.root, at.Filename)
		if err != nil || strings.HasPrefix(from, "..") {
			continue
		}
		kind, to, line := "out", "-", 0
		if _, ok := object.(*types.PkgName); ok {
			kind = "module"
		} else if object.Pos().IsValid() {
			target := l.fset.Position(object.Pos())
			rel, err := filepath.Rel(l.root, target.Filename)
			if err == nil && !strings.HasPrefix(rel, "..") {
				kind, to, line = "in", rel, target.Line
				if isLocal(object) {
					kind = "local"
				}
			}
		}
		l.out[fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%d", from, at.Line, at.Column-1, kind, to, line)] = true
	}
}

func isLocal(object types.Object) bool {
	if variable, ok := object.(*types.Var); ok && variable.IsField() {
		return false
	}
	if function, ok := object.(*types.Func); ok {
		return function.Type().(*types.Signature).Recv() == nil && object.Parent() != object.Pkg().Scope()
	}
	return object.Pkg() != nil && object.Parent() != object.Pkg().Scope()
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	module := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(string(text), "\n", 2)[0], "module "))
	fset := token.NewFileSet()
	l := &loader{root, module, fset, importer.ForCompiler(fset, "source", nil), map[string]*types.Package{}, map[string]bool{}}
	folders := map[string]bool{}
	_ = filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.IsDir() && (strings.HasPrefix(info.Name(), ".") || info.Name() == "testdata" || info.Name() == "vendor") && path != root {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".go") {
			folders[filepath.Dir(path)] = true
		}
		return nil
	})
	var paths []string
	for folder := range folders {
		rel, _ := filepath.Rel(root, folder)
		path := module
		if rel != "." {
			path += "/" + filepath.ToSlash(rel)
		}
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		_, _ = l.Import(path)
		l.check(path, true, false)
		l.check(path, true, true)
	}
	lines := make([]string, 0, len(l.out))
	for line := range l.out {
		lines = append(lines, line)
	}
	sort.Strings(lines)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for _, line := range lines {
		fmt.Fprintln(writer, line)
	}
}
