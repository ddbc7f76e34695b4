package mneme

import (
	"crypto/tls"
	"crypto/x509"
	"regexp"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const version = "0.1.0"

const mib = 1 << 20

var bareHost = regexp.MustCompile(`^([^:/]+|\[[^\]]+\])$`)

var urlScheme = regexp.MustCompile(`^(?i:(?:http|grpc)s?)://`)

// targetOf adds the port of Mneme to an address without a port: gRPC itself would use 443. It refuses URLs, which gRPC would
// try to resolve until the deadline.
func targetOf(address string) (string, error) {
	if scheme := urlScheme.FindString(address); scheme != "" {
		return "", badInput("address", "expected host:port without "+scheme+", got "+address)
	}
	if bareHost.MatchString(address) {
		return address + ":50051", nil
	}
	return address, nil
}

func (c *connection) dialOptions(serviceConfig string) ([]grpc.DialOption, error) {
	credentials, err := credentialsOf(c.settings.tls)
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(credentials),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDisableServiceConfig(), // Looking for another one in DNS would only cost time.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 10 * time.Second},
			MinConnectTimeout: 20 * time.Second,
		}),
		grpc.WithInitialWindowSize(4 * mib),
		grpc.WithInitialConnWindowSize(4 * mib),
		grpc.WithUserAgent("mneme-go/" + version),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(16*mib),
			// The size of the largest request that a server accepts, so that every request can be retried.
			grpc.MaxRetryRPCBufferSize(4*mib),
		),
		grpc.WithChainUnaryInterceptor(c.interceptUnary),
		grpc.WithChainStreamInterceptor(c.interceptStream),
	}
	if isLoopback(c.address) {
		options = append(options, grpc.WithNoProxy())
	}
	if !c.settings.retry {
		options = append(options, grpc.WithDisableRetry())
	}
	return append(options, c.settings.dialOptions...), nil
}

func credentialsOf(given *TLS) (credentials.TransportCredentials, error) {
	if given == nil {
		return insecure.NewCredentials(), nil
	}
	if given.Config != nil {
		if given.CA != nil || given.Cert != nil || given.Key != nil || given.ServerName != "" {
			return nil, badInput("tls.config", "must be absent beside ca, cert, key and server_name")
		}
		return credentials.NewTLS(given.Config), nil
	}
	config := &tls.Config{ServerName: given.ServerName, MinVersion: tls.VersionTLS12}
	if given.CA != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(given.CA) {
			return nil, badInput("tls.ca", "holds no certificate as PEM")
		}
	}
	if given.Cert != nil || given.Key != nil {
		pair, err := tls.X509KeyPair(given.Cert, given.Key)
		if err != nil {
			return nil, badInput("tls.cert", err.Error())
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}
