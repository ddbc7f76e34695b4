package main

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"math"
	"os"
	"time"

	"github.com/google/uuid"
	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const (
	mib     = 1 << 20
	batch   = 256
	timeout = 10 * time.Second
)

// stubs are the generated ones over a connection with the options of the client's.
type stubs struct {
	memories pb.MemoryServiceClient
	ingests  pb.IngestServiceClient
}

func newStubs(address string) stubs {
	serviceConfig, err := os.ReadFile("service-config.json")
	if err != nil {
		log.Fatal(err)
	}
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(string(serviceConfig)),
		grpc.WithDisableServiceConfig(),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithInitialWindowSize(4*mib),
		grpc.WithInitialConnWindowSize(4*mib),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(16*mib), grpc.MaxRetryRPCBufferSize(4*mib)),
	)
	if err != nil {
		log.Fatal(err)
	}
	return stubs{pb.NewMemoryServiceClient(conn), pb.NewIngestServiceClient(conn)}
}

func (s stubs) get(ctx context.Context, namespace, id string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := s.memories.GetMemory(ctx, &pb.GetMemoryRequest{Name: "namespaces/" + namespace + "/memories/" + id})
	return err
}

func (s stubs) store(ctx context.Context, namespace, text string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := s.memories.StoreMemory(ctx, &pb.StoreMemoryRequest{
		Parent:    "namespaces/" + namespace,
		RequestId: uuid.NewString(),
		Memory: &pb.Memory{
			Text: text, Type: "message", Scope: &pb.Scope{Agent: "scout", Session: "harbour"}, Source: &pb.Source{Speaker: "Ada"},
		},
	})
	return err
}

func (s stubs) ingest(ctx context.Context, namespace string, vectors [][]float32) (int, error) {
	stream, err := s.ingests.IngestMemories(ctx)
	if err != nil {
		return 0, err
	}
	go func() { // Who receives is told why something cannot be sent.
		start := &pb.IngestStart{Parent: "namespaces/" + namespace, StreamId: uuid.NewString(), RefusalsOnly: true}
		_ = stream.Send(&pb.IngestMemoriesRequest{Message: &pb.IngestMemoriesRequest_Start{Start: start}})
		for first := 0; first < len(vectors); first += batch {
			some := &pb.IngestBatch{FirstSequence: int64(first + 1)}
			for i := first; i < min(first+batch, len(vectors)); i++ {
				some.Items = append(some.Items, itemOf(i, vectors[i]))
			}
			if stream.Send(&pb.IngestMemoriesRequest{Message: &pb.IngestMemoriesRequest_Batch{Batch: some}}) != nil {
				return
			}
		}
		_ = stream.CloseSend()
	}()
	stored := 0
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return stored, nil
		}
		if err != nil {
			return stored, err
		}
		if acknowledgement := answer.GetAcknowledgement(); acknowledgement != nil {
			stored = int(acknowledgement.StoredCount)
		}
	}
}

func itemOf(i int, vector []float32) *pb.IngestItem {
	data := make([]byte, 0, 4*len(vector))
	for _, value := range vector {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(value))
	}
	embedding := &pb.Embedding{DataF32Le: data, Dimension: uint32(len(vector)), Model: "bench"}
	return &pb.IngestItem{Memory: &pb.Memory{Text: sentence(i), Embedding: embedding}}
}

func (s stubs) export(ctx context.Context, namespace string) (int, error) {
	stream, err := s.memories.ExportMemories(ctx, &pb.ExportMemoriesRequest{Parent: "namespaces/" + namespace})
	if err != nil {
		return 0, err
	}
	count := 0
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		for _, memory := range answer.Memories {
			if memory.Text != "" && memory.Embedding != nil {
				count++
			}
		}
	}
}
