package mneme_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
)

// failureOf is the error of a call, and checks that a stream fails alike: neither is that of a deadline.
func failureOf(t *testing.T, address string, o ...mneme.Option) error {
	t.Helper()
	client := must(mneme.Connect(address, o...))(t)
	defer client.Close()
	_, err := client.Get(t.Context(), "m")
	for _, streamed := range client.Watch(t.Context(), mneme.WatchQuery{}) {
		if streamed == nil || streamed.Error() != err.Error() {
			t.Fatal(streamed, "is not", err)
		}
	}
	if !errors.Is(err, mneme.ErrUnavailable) {
		t.Fatal(err)
	}
	return err
}

func TestA3NoServerIsSaidWithoutAWait(t *testing.T) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		address := host + ":" + port
		want := "mneme: UNAVAILABLE: connection refused at " + address + ": is it running? (mneme serve)"
		equal(t, failureOf(t, address).Error(), want)
		equal(t, failureOf(t, address, mneme.WithWaitForReady(false), mneme.WithRetry(false)).Error(), want)
	}
	equal(t, failureOf(t, "no-such-host.invalid").Error(), "mneme: UNAVAILABLE: no connection to no-such-host.invalid: its host has no address")
}

func TestA3ClientsThatWereConnectedWaitForTheReturn(t *testing.T) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	listener.Close()
	patient := must(mneme.Connect(address, mneme.WithWaitForReady(true), mneme.WithTimeout(300*time.Millisecond)))(t)
	defer patient.Close()
	_, err := patient.Get(t.Context(), "m")
	if !errors.Is(err, mneme.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "connection refused at "+address) {
		t.Fatal(err)
	}
}

func TestA3EncryptionThatDoesNotAgreeIsSaidInWords(t *testing.T) {
	server := must(shared())(t)
	plain := failureOf(t, server.Address, mneme.WithTLS(mneme.TLS{}))
	equal(t, plain.Error(), "mneme: UNAVAILABLE: the server at "+server.Address+
		" does not speak TLS: connect without WithTLS, or start it with --tls-cert and --tls-key")
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	address := encrypted.Listener.Addr().String()
	equal(t, failureOf(t, address).Error(), "mneme: UNAVAILABLE: the server at "+address+
		" ended the connection before it was made: it may want TLS (WithTLS)")
}

// The variables of a process are read once, so that the calls are made by another one: this test itself.
func TestA3ProxiesAreForOtherMachines(t *testing.T) {
	if address := os.Getenv("MNEME_TEST_BEHIND_PROXY"); address != "" {
		_, port, _ := net.SplitHostPort(address)
		for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST"} {
			client := must(mneme.Connect(host+":"+port, mneme.WithNamespace("behind-proxy")))(t)
			must(client.Store(t.Context(), mneme.NewMemory{Text: "tea"}))(t)
			client.Close()
		}
		err := failureOf(t, "mneme.example.org:50051")
		if !strings.Contains(err.Error(), "over the proxy http://user:xxxxx@127.0.0.1:9 of https_proxy") || !strings.HasSuffix(err.Error(), "add mneme.example.org to no_proxy") {
			t.Fatal(err)
		}
		return
	}
	server := must(shared())(t)
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestA3ProxiesAreForOtherMachines$")
	command.Env = append(os.Environ(), "MNEME_TEST_BEHIND_PROXY="+server.Address)
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "grpc_proxy"} {
		command.Env = append(command.Env, name+"=http://user:secret@127.0.0.1:9")
	}
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatal(string(output))
	}
}
