// A small agent, the same in the clients of all languages: it stores, recalls, subscribes, keeps working memory, is
// paused and killed, and continues. clients/example-output.txt is its output.
//
//	go run ./examples/agent ADDRESS work      stays until it is killed
//	go run ./examples/agent ADDRESS resume
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mneme-ai/mneme/clients/go"
)

var (
	places = []string{"harbour", "market", "museum", "tower"}
	scope  = mneme.Scope{Project: "city", AgentType: "guide", Agent: "ada"}
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: agent ADDRESS work | resume")
	}
	client, err := mneme.Connect(os.Args[1], mneme.WithNamespace("city"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tour := agent{client, client.Session("tour")}
	run := tour.resume
	if os.Args[2] == "work" {
		run = tour.work
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

type agent struct {
	*mneme.Client
	session *mneme.WorkingMemory
}

func (a agent) work(ctx context.Context) error {
	_, err := a.BatchStore(ctx, []mneme.NewMemory{
		{Type: "fact", Text: "The harbour has boats to the island every hour.", Scope: scope},
		{Type: "fact", Text: "The market sells fish and bread in the morning.", Scope: scope},
		{Type: "fact", Text: "The museum is closed on Mondays.", Scope: scope, Tags: []string{"closed"}},
		{Type: "fact", Text: "The tower has 212 steps and a view of the city.", Scope: scope},
	})
	if err != nil {
		return err
	}
	fmt.Println("stored 4 memories")
	found, err := a.Recall(ctx, mneme.RecallQuery{Text: "When is the museum closed?", Limit: 1})
	if err != nil {
		return err
	}
	fmt.Println("recalled:", found.Hits[0].Memory.Text)
	if err := a.followWhatIsClosed(ctx); err != nil {
		return err
	}

	spawn := mneme.SpawnQuery{SessionID: "tour", Scope: scope, InitialValues: map[string]any{"seen": []string{}}}
	if _, err := a.Lifecycle.Spawn(ctx, spawn); err != nil {
		return err
	}
	task := mneme.Task{Description: "plan a tour of the city", TotalSteps: int64(len(places))}
	if _, err := a.session.SetTaskState(ctx, task); err != nil {
		return err
	}
	if err := a.visit(ctx, 2); err != nil {
		return err
	}
	paused, err := a.Lifecycle.Pause(ctx, "tour", mneme.PauseQuery{Description: "a night of sleep"})
	if err != nil {
		return err
	}
	fmt.Println("paused:", paused.Checkpoint.Description)
	select {}
}

// followWhatIsClosed is a standing recall: its answer first, then the changes.
func (a agent) followWhatIsClosed(ctx context.Context) error {
	for answer, err := range a.Subscribe(ctx, mneme.RecallQuery{Filter: mneme.Where.Tag.Equals("closed")}) {
		if err != nil {
			return err
		}
		if len(answer.Entered) == 0 {
			continue
		}
		if len(answer.Hits) == 2 {
			fmt.Println("entered:", answer.Entered[0].Memory.Text)
			break
		}
		fmt.Println("subscribed:", answer.Entered[0].Memory.Text)
		market := mneme.NewMemory{Type: "fact", Text: "The market is closed on Sundays.", Scope: scope, Tags: []string{"closed"}}
		if _, err := a.Store(ctx, market); err != nil {
			return err
		}
		fmt.Println("stored 1 memory")
	}
	return nil
}

func (a agent) resume(ctx context.Context) error {
	resumed, err := a.Lifecycle.Resume(ctx, "tour", mneme.ResumeQuery{})
	if err != nil {
		return err
	}
	task, err := a.session.GetTaskState(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("resumed: %s, %d value, step %d of %d\n",
		resumed.Checkpoint.Description, resumed.RestoredCount, task.CurrentStep, task.TotalSteps)
	if err := a.visit(ctx, 2); err != nil {
		return err
	}
	seen, err := a.seenPlaces(ctx)
	if err != nil {
		return err
	}
	query := mneme.TerminateQuery{Lessons: []string{"the museum is worth an afternoon"}}
	for _, place := range seen {
		query.Actions = append(query.Actions, mneme.Action{Description: "visited the " + place})
	}
	ended, err := a.Lifecycle.Terminate(ctx, "tour", query)
	if err != nil {
		return err
	}
	episode, err := a.Get(ctx, ended.EpisodeID)
	if err != nil {
		return err
	}
	fmt.Printf("finished: %d of %d places, remembered as %s\n", len(seen), len(places), episode.Type)
	found, err := a.Recall(ctx, mneme.RecallQuery{Text: "What is worth an afternoon?", Limit: 1, Scope: scope})
	if err != nil {
		return err
	}
	fmt.Println("recalled:", found.Hits[0].Memory.Type)
	return nil
}

func (a agent) visit(ctx context.Context, count int) error {
	seen, err := a.seenPlaces(ctx)
	if err != nil {
		return err
	}
	for _, place := range places[len(seen) : len(seen)+count] {
		seen = append(seen, place)
		if _, err := a.session.AppendScratchpad(ctx, []any{"the " + place + " is worth a visit"}); err != nil {
			return err
		}
		if _, err := a.session.Set(ctx, "seen", seen); err != nil {
			return err
		}
		progress := mneme.TaskProgress{CurrentStep: mneme.Ptr(int64(len(seen)))}
		if _, err := a.session.UpdateTaskProgress(ctx, progress); err != nil {
			return err
		}
		fmt.Printf("step %d: the %s\n", len(seen), place)
	}
	return nil
}

func (a agent) seenPlaces(ctx context.Context) (seen []string, err error) {
	entry, err := a.session.Get(ctx, "seen")
	if err != nil || entry == nil {
		return nil, err
	}
	return seen, entry.Value.Decode(&seen)
}
