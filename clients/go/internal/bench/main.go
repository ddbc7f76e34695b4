// The program that makes the calls that `make bench BENCH=clients` measures: by this client, and by its bare stubs. What it is
// asked and answers is in test/bench/load/client-program.ts.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type job struct {
	Work       string `json:"work"`
	By         string `json:"by"`
	Namespace  string `json:"namespace"`
	InFlight   int    `json:"in_flight"`
	DurationMs int    `json:"duration_ms"`
	Count      int    `json:"count"`
}

// side is the work of the client, or of the stubs alone. Streams tell how many memories they carried.
type side interface {
	get(ctx context.Context, namespace, id string) error
	store(ctx context.Context, namespace, text string) error
	ingest(ctx context.Context, namespace string, vectors [][]float32) (int, error)
	export(ctx context.Context, namespace string) (int, error)
}

var numbers atomic.Int64

func main() {
	address := os.Args[1]
	sides := map[string]side{"client": newFace(address), "stub": newStubs(address)}
	jobs := json.NewDecoder(os.Stdin)
	for {
		var j job
		if err := jobs.Decode(&j); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		started := time.Now()
		count, elapsed, err := do(context.Background(), sides[j.By], j, started)
		if err != nil {
			log.Fatalf("%s by %s: %v", j.Work, j.By, err)
		}
		fmt.Printf("{\"count\":%d,\"elapsed_ms\":%f}\n", count, float64(elapsed.Microseconds())/1000)
	}
}

func do(ctx context.Context, by side, j job, started time.Time) (count int, elapsed time.Duration, err error) {
	switch j.Work {
	case "get":
		count, err = repeat(j, func() error {
			return by.get(ctx, j.Namespace, fmt.Sprintf("turn-%d", numbers.Add(1)%int64(j.Count)))
		})
	case "store":
		count, err = repeat(j, func() error { return by.store(ctx, j.Namespace, sentence(int(numbers.Add(1)))) })
	case "ingest":
		vectors := vectorsOf(j.Count)
		started = time.Now()
		count, err = by.ingest(ctx, j.Namespace, vectors)
	case "export":
		count, err = by.export(ctx, j.Namespace)
	default:
		err = fmt.Errorf("no such work")
	}
	return count, time.Since(started), err
}

// repeat keeps so many calls in flight until the time is over, or one fails.
func repeat(j job, call func() error) (int, error) {
	until := time.Now().Add(time.Duration(j.DurationMs) * time.Millisecond)
	var count atomic.Int64
	var failure error
	var failed sync.Once
	var workers sync.WaitGroup
	for range j.InFlight {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for time.Now().Before(until) {
				if err := call(); err != nil {
					failed.Do(func() { failure = err })
					return
				}
				count.Add(1)
			}
		}()
	}
	workers.Wait()
	return int(count.Load()), failure
}

const dimension = 384

func sentence(i int) string {
	return fmt.Sprintf("%d people were at the harbour when the %dth boat came in", i, i%977)
}

func vectorsOf(count int) [][]float32 {
	vectors := make([][]float32, count)
	for i := range vectors {
		vectors[i] = make([]float32, dimension)
		for at := range vectors[i] {
			vectors[i][at] = float32(math.Sin(float64(7*i + at)))
		}
	}
	return vectors
}
