// Package mnemetest starts a server of one's own for tests.
//
//	func TestAgent(t *testing.T) {
//		server := mnemetest.Start(t)
//		client, err := mneme.Connect(server.Address)
//		…
//	}
package mnemetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Options say how a server is started. The zero value is a free port and a temporary folder.
type Options struct {
	// Binary is the program mneme. Default: the variable MNEME_BIN, mneme on the PATH, or bin/mneme of the checkout that this
	// package is in.
	Binary string
	// Listen: default 127.0.0.1:0, a free port.
	Listen string
	// Data is a folder that is kept. Default: a temporary one, which Stop removes.
	Data string
	// Flags are more flags of mneme serve.
	Flags []string
	// Timeout is the longest wait until it answers. Default 60 s.
	Timeout time.Duration
}

// Server is one that is running.
type Server struct {
	// Address is host:port that it listens on.
	Address string
	// Process can be killed where a test wants that.
	Process *os.Process

	command *exec.Cmd
	folder  string
	exited  chan struct{}
}

// Start starts a server that ends with the test, and waits until it answers. flags are more flags of mneme serve.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	server, err := StartServer(t.Context(), Options{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server
}

var addressLine = regexp.MustCompile(`^ *address +(\S+)`)

// StartServer starts mneme serve and waits until it answers; the context only limits the wait. Who starts it stops it. The error
// holds what the server said when it does not start.
func StartServer(ctx context.Context, options Options) (*Server, error) {
	binary, err := program(options.Binary)
	if err != nil {
		return nil, err
	}
	server := &Server{exited: make(chan struct{})}
	if options.Data == "" {
		if server.folder, err = os.MkdirTemp("", "mneme-"); err != nil {
			return nil, err
		}
		options.Data = server.folder
	}
	if options.Listen == "" {
		options.Listen = "127.0.0.1:0"
	}
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	arguments := append([]string{"serve", "--listen", options.Listen, "--data", options.Data, "--log-level", "error"}, options.Flags...)
	server.command = exec.Command(binary, arguments...)
	reader, writer := io.Pipe()
	server.command.Stdout, server.command.Stderr = writer, writer
	if err := server.command.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(server.folder))
	}
	server.Process = server.command.Process
	said := &lines{address: make(chan string, 1)}
	go said.read(reader)
	go func() {
		_ = server.command.Wait() // The test that killed it knows.
		writer.Close()
		close(server.exited)
	}()
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()
	select {
	case server.Address = <-said.address:
		return server, nil
	case <-server.exited:
	case <-ctx.Done():
	}
	server.Stop()
	return nil, fmt.Errorf("mnemetest: %s %s did not start:\n%s", binary, strings.Join(arguments, " "), said.text())
}

// Stop stops it and removes its temporary folder.
func (s *Server) Stop() {
	_ = s.Process.Signal(syscall.SIGTERM) // It may have ended already.
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		_ = s.Process.Kill()
		<-s.exited
	}
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}

// lines are the server's output.
type lines struct {
	mu      sync.Mutex
	said    []string
	address chan string
}

func (l *lines) read(from io.Reader) {
	scanner := bufio.NewScanner(from)
	for scanner.Scan() {
		l.mu.Lock()
		l.said = append(l.said, scanner.Text())
		l.mu.Unlock()
		if found := addressLine.FindStringSubmatch(scanner.Text()); found != nil {
			select {
			case l.address <- found[1]:
			default:
			}
		}
	}
	_, _ = io.Copy(io.Discard, from) // A line that is too long must not stop the server.
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.said, "\n")
}

func program(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if named := os.Getenv("MNEME_BIN"); named != "" {
		return named, nil
	}
	if found, err := exec.LookPath("mneme"); err == nil {
		return found, nil
	}
	_, file, _, _ := runtime.Caller(0)
	inCheckout := filepath.Join(filepath.Dir(file), "..", "..", "..", "bin", "mneme")
	if _, err := os.Stat(inCheckout); err == nil {
		return inCheckout, nil
	}
	return "", errors.New("mnemetest: the program mneme is not on the PATH: name it in the variable MNEME_BIN or in Options.Binary")
}
