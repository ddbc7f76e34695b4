package mneme

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

var (
	// causeOfDial is the end of gRPC's text on a failed connection, such as connect: connection refused.
	causeOfDial = regexp.MustCompile(`(?:Error while dialing: |authentication handshake failed: |error reading server preface: )(.*?)"?$`)
	// mentionsPlaintext and mentionsTLS are texts of Go and of gRPC for two sides that do not agree on encryption.
	mentionsPlaintext = regexp.MustCompile(`first record does not look like a TLS handshake`)
	mentionsTLS       = regexp.MustCompile(`(?:error reading server preface|failed to write client preface): (?:http2: frame too large|EOF|.*connection reset|.*broken pipe)|frame header looked like|malformed HTTP response`)
)

// isLoopback is true of an address of this machine, which is never reached over a proxy.
func isLoopback(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host := strings.TrimPrefix(strings.TrimPrefix(address, "dns:"), "///")
	if alone, _, err := net.SplitHostPort(host); err == nil {
		host = alone
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// proxyOf is the proxy that gRPC takes to an address; nil for none.
func proxyOf(address string) *url.URL {
	if isLoopback(address) {
		return nil
	}
	host := strings.TrimPrefix(strings.TrimPrefix(address, "dns:"), "///")
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: host}})
	if err != nil {
		return nil
	}
	return proxy
}

// unreachable says in words why there is no connection, from gRPC's text.
func (c *connection) unreachable(text string) string {
	cause := text
	if found := causeOfDial.FindStringSubmatch(text); found != nil {
		cause = found[1]
	}
	if proxy := proxyOf(c.address); proxy != nil {
		host, _, _ := strings.Cut(c.address, ":")
		return fmt.Sprintf("no connection to %s over the proxy %s of https_proxy: %s; to go there without it, add %s to no_proxy",
			c.address, proxy.Redacted(), cause, host)
	}
	switch {
	case cause == "no children to pick from":
		return "no connection to " + c.address + ": its host has no address"
	case strings.Contains(cause, "connection refused"):
		return "connection refused at " + c.address + ": is it running? (mneme serve)"
	case c.settings.tls != nil && mentionsPlaintext.MatchString(text):
		return "the server at " + c.address + " does not speak TLS: connect without WithTLS, or start it with --tls-cert and --tls-key"
	case c.settings.tls == nil && mentionsTLS.MatchString(text):
		return "the server at " + c.address + " ended the connection before it was made: it may want TLS (WithTLS)"
	}
	return "no connection to " + c.address + ": " + cause
}
