package mneme

import (
	"context"
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// serviceConfig is the service config that the clients of all languages share. Only UNAVAILABLE is retried, the one status
// that says "nothing was done, try again". Repeating mutations is safe because each carries a request id. gRPC applies it
// to streams; unary calls are repeated by retries.
//
//go:embed service-config.json
var serviceConfig string

// pushback is how long a server asks to wait before the next attempt, in milliseconds; any other value asks for none.
const pushback = "grpc-retry-pushback-ms"

// seconds is a duration as JSON has it, such as 0.05s.
type seconds time.Duration

func (s *seconds) UnmarshalJSON(text []byte) error {
	duration, err := time.ParseDuration(strings.Trim(string(text), `"`))
	*s = seconds(duration)
	return err
}

type retryPolicy struct {
	MaxAttempts          int          `json:"maxAttempts"`
	InitialBackoff       seconds      `json:"initialBackoff"`
	MaxBackoff           seconds      `json:"maxBackoff"`
	BackoffMultiplier    float64      `json:"backoffMultiplier"`
	RetryableStatusCodes []codes.Code `json:"retryableStatusCodes"`
}

type retryConfig struct {
	LoadBalancingConfig json.RawMessage `json:"loadBalancingConfig"`
	MethodConfig        []struct {
		Name []struct {
			Service string `json:"service"`
			Method  string `json:"method"`
		} `json:"name"`
		RetryPolicy retryPolicy `json:"retryPolicy"`
	} `json:"methodConfig"`
	RetryThrottling struct {
		MaxTokens  float64 `json:"maxTokens"`
		TokenRatio float64 `json:"tokenRatio"`
	} `json:"retryThrottling"`
}

// config is the parsed service config, and retryPolicies its policies by the full name of the method.
var config, retryPolicies = func() (config retryConfig, policies map[string]*retryPolicy) {
	if err := json.Unmarshal([]byte(serviceConfig), &config); err != nil {
		panic("mneme: service-config.json: " + err.Error())
	}
	policies = make(map[string]*retryPolicy)
	for i := range config.MethodConfig {
		for _, name := range config.MethodConfig[i].Name {
			policies["/"+name.Service+"/"+name.Method] = &config.MethodConfig[i].RetryPolicy
		}
	}
	return config, policies
}()

// callsConfig is gRPC's configuration of unary calls: gRPC repeats none of them.
var callsConfig = `{"loadBalancingConfig":` + string(config.LoadBalancingConfig) + `}`

// retries repeats the unary calls of one connection. gRPC itself repeats no call whose headers have arrived, and a server
// that is killed may end a call between its message and its status: so the client makes all attempts, with the same request,
// within the deadline of the call.
type retries struct {
	mayRepeat func() bool // Asked after each failure, and again after the wait that follows.
	// spent counts, in thousandths, the failed attempts that successful ones have not made up for: from one half of the
	// maximum on, nothing is repeated.
	spent atomic.Int64
}

// call makes attempts until one succeeds or may not be followed by another, and returns the error of the last one.
func (r *retries) call(ctx context.Context, method string, attempt func(grpc.CallOption) error) error {
	for failures := 1; ; failures++ {
		var trailer metadata.MD
		err := attempt(grpc.Trailer(&trailer))
		if err == nil {
			r.succeeded()
			return nil
		}
		if !r.mayRepeat() {
			return err
		}
		wait, ok := r.waitOf(method, failures, codeOfCall(status.Convert(err)), trailer)
		if deadline, has := ctx.Deadline(); !ok || (has && time.Until(deadline) <= wait) {
			return err
		}
		if !sleep(ctx, wait) {
			return status.FromContextError(ctx.Err()).Err()
		}
		if !r.mayRepeat() {
			return err
		}
	}
}

func (r *retries) succeeded() {
	if r.spent.Load() > 0 {
		r.spend(-thousandths(config.RetryThrottling.TokenRatio))
	}
}

// waitOf is the wait after so many failed attempts; false when no other may follow.
func (r *retries) waitOf(method string, failures int, code codes.Code, trailer metadata.MD) (time.Duration, bool) {
	policy := retryPolicies[method]
	if policy == nil || failures >= policy.MaxAttempts || !policy.covers(code) {
		return 0, false
	}
	if r.spend(1000) >= thousandths(config.RetryThrottling.MaxTokens)/2 {
		return 0, false
	}
	if asked := trailer.Get(pushback); len(asked) > 0 {
		millis, err := strconv.ParseUint(asked[0], 10, 32)
		return time.Duration(millis) * time.Millisecond, err == nil
	}
	limit := float64(policy.InitialBackoff) * math.Pow(policy.BackoffMultiplier, float64(failures-1))
	return time.Duration(rand.Float64() * min(limit, float64(policy.MaxBackoff))), true
}

func (p *retryPolicy) covers(code codes.Code) bool {
	for _, each := range p.RetryableStatusCodes {
		if each == code {
			return true
		}
	}
	return false
}

// spend adds to the spent tokens, and returns their number.
func (r *retries) spend(change int64) int64 {
	for {
		spent := r.spent.Load()
		changed := max(0, min(spent+change, thousandths(config.RetryThrottling.MaxTokens)))
		if r.spent.CompareAndSwap(spent, changed) {
			return changed
		}
	}
}

func thousandths(tokens float64) int64 { return int64(tokens * 1000) }

// sleep waits that long; false when its context ended first.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
