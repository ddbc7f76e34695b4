package mneme

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
)

func TestReasonsAreThoseOfTheProto(t *testing.T) {
	source, err := os.ReadFile("reasons.go")
	if err != nil {
		t.Fatal(err)
	}
	for number, name := range pb.ErrorReason_name {
		reason := strings.TrimPrefix(name, "ERROR_REASON_")
		if number != 0 && !bytes.Contains(source, []byte(`"`+reason+`"`)) {
			t.Errorf("reasons.go lacks %s", reason)
		}
	}
}

func TestAnAddressThatIsAURLIsRefused(t *testing.T) {
	for _, scheme := range []string{"http://", "https://", "GRPC://"} {
		want := "address: expected host:port without " + scheme + ", got " + scheme + "a:50051"
		if _, err := Connect(scheme + "a:50051"); !errors.Is(err, ErrInvalidArgument) || !strings.HasSuffix(err.Error(), want) {
			t.Error(err)
		}
	}
}

// Whether its stream is open already when Close comes depends on the moment.
func TestWorkUnderWayMayOpenItsStreamWhileTheClientIsClosing(t *testing.T) {
	client, err := Connect("127.0.0.1:1", WithWaitForReady(false))
	if err != nil {
		t.Fatal(err)
	}
	client.conn.closed = true // As Close has it while it waits for what is under way.
	stubs := pb.NewIngestServiceClient(client.Conn())
	if _, err = stubs.IngestMemories(t.Context()); !errors.Is(err, ErrCanceled) {
		t.Fatal(err)
	}
	if _, err = stubs.IngestMemories(t.Context(), underWay{}); errors.Is(err, ErrCanceled) {
		t.Fatal(err)
	}
	client.conn.end(errClosed(FamilyBase))
	if _, err = stubs.IngestMemories(t.Context(), underWay{}); !errors.Is(err, ErrCanceled) {
		t.Fatal(err)
	}
}

func TestServiceConfigCoversEveryUnaryMethodThatMayBeRetried(t *testing.T) {
	var config struct {
		MethodConfig []struct {
			Name []struct{ Service, Method string }
		}
	}
	if err := json.Unmarshal([]byte(serviceConfig), &config); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, each := range config.MethodConfig {
		for _, name := range each.Name {
			count++
			if familyOf("/"+name.Service+"/"+name.Method) == FamilyBase && name.Service == "mneme.v1.MemoryService" {
				t.Errorf("%s has no family", name.Method)
			}
		}
	}
	if count < 70 {
		t.Errorf("only %d methods are retried", count)
	}
}

func TestChangesNameTheirFields(t *testing.T) {
	_, mask, err := changesMessage(MemoryChanges{
		Scope: Scope{Agent: "ada"}, Text: Ptr(""), Tags: []string{}, Clear: []string{"expire_time", "scope.session"},
	}, "n")
	if err != nil || !slices.Equal(mask, []string{"scope.agent", "text", "tags", "expire_time", "scope.session"}) {
		t.Fatal(mask, err)
	}
	if _, _, err := changesMessage(MemoryChanges{Text: Ptr("x"), Clear: []string{"text"}}, "n"); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestFiltersAreMessages(t *testing.T) {
	filter := AllOf(
		Where.Type.IsIn([]string{"fact", "state"}, IgnoreCase), Negate(Where.Step.Less(3)), Path("a.b").Equals(map[string]int{"c": 1}),
		Within(GeoRadius{Geo: GeoPoint{LatitudeDeg: 52, LongitudeDeg: 13}, RadiusM: 10}),
	)
	all := filter.message.GetAll().GetFilters()
	first := all[0].GetComparison()
	if first.GetField() != pb.MemoryField_MEMORY_FIELD_TYPE || first.Op != pb.Operator_OPERATOR_IN || !first.IgnoreCase || len(first.Values) != 2 {
		t.Fatal(first)
	}
	if all[1].GetNegate().GetComparison().Values[0].GetNumberValue() != 3 {
		t.Fatal(all[1])
	}
	if all[2].GetComparison().Values[0].GetJsonValue() != `{"c":1}` || all[3].GetPlace().GetGeoRadius().RadiusM != 10 {
		t.Fatal(all)
	}
}

func TestA2NumbersThatADoubleCannotHoldAreSentAsDigits(t *testing.T) {
	type id uint64
	for _, given := range []any{
		int64(9007199254740993), id(18446744073709551615), json.Number("-1145678901234567890"), json.Number("1e400"),
		json.Number("0.12345678901234567891"), json.Number("1e-999999999"), new(big.Int).Lsh(big.NewInt(1), 80),
	} {
		want, _ := jsonOf(given, "")
		for _, filter := range []Filter{Path("a").Equals(given), Path("a").IsIn([]any{given}), Path("a").GreaterOrEqual(given), Path("a").Contains(given)} {
			if got := filter.message.GetComparison().GetValues()[0].GetNumberText(); got != want {
				t.Errorf("got %q, expected %s", got, want)
			}
		}
	}
	for given, want := range map[any]float64{3: 3, 1 << 53: 1 << 53, json.Number("0.1"): 0.1, json.Number("1.50"): 1.5, json.Number("0e5"): 0} {
		if got := Path("a").Equals(given).message.GetComparison().GetValues()[0]; got.GetNumberValue() != want || got.GetNumberText() != "" {
			t.Error(got, want)
		}
	}
}

func TestCallFromIsEncoded(t *testing.T) {
	s := settingsOf([]Option{WithCallFrom(Scope{AgentType: "guide", Agent: "Ada & Löve"})})
	if s.callFrom != "agent_type=guide&agent=Ada%20%26%20L%C3%B6ve" {
		t.Fatal(s.callFrom)
	}
}

func TestRefusalsAreFoundByTheirPlace(t *testing.T) {
	failure := newError(codes.InvalidArgument, FamilyStore, "bad")
	failure.Reason = ReasonFieldInvalid
	failure.Violations = []Violation{{"memories[1].text", "too long"}, {"memories[1].step", "negative"}, {"memories[4]", "empty"}}
	places, isOfMemory := refusedPlaces(failure)
	if !isOfMemory || len(places) != 2 || places[1].Message != "text: too long; step: negative" || places[4].Violations[0].Field != "" {
		t.Fatal(places)
	}
	failure.Violations = []Violation{{"parent", "unknown"}}
	if _, isOfMemory = refusedPlaces(failure); isOfMemory {
		t.Fatal("the parent is no memory's fault")
	}
}

func TestBatchesKeepTheirLimits(t *testing.T) {
	given := func(yield func(int) bool) {
		for i := range 600 {
			if !yield(i) {
				return
			}
		}
	}
	s := readSource(t.Context(), given, nil, func(i int) (int, int, error) { return i, 10_000, nil })
	defer s.stop()
	total := 0
	for {
		var batch []int
		var size int
		if err := s.next(t.Context(), true, &batch, &size); err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			break
		}
		if size > batchBytes || len(batch) > batchCount || batch[0] != total {
			t.Fatal(len(batch), size)
		}
		total += len(batch)
	}
	if total != 600 {
		t.Fatal(total)
	}
}

func TestZoneOfReferenceTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	for _, each := range []struct {
		zone string
		of   time.Time
		want string
	}{
		{"", time.Time{}, ""},
		{"", at, ""},
		{"", at.In(berlin), "Europe/Berlin"},
		{"", at.In(time.FixedZone("", 9*3600)), "+09:00"},
		{"Asia/Tokyo", at.In(berlin), "Asia/Tokyo"},
	} {
		if got := zoneOr(each.zone, each.of); got != each.want {
			t.Errorf("zoneOr(%q, %v) = %q, want %q", each.zone, each.of, got, each.want)
		}
	}
}
