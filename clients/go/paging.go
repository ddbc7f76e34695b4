package mneme

import (
	"fmt"
	"iter"
	"strings"

	"google.golang.org/grpc/codes"
)

type page[Item any] struct {
	items   []Item
	damaged []string
	next    string
}

// itemsOfPages reads pages as their items are asked for, and ends as damage says when some of them cannot be read.
func itemsOfPages[Item any](d damage, read func(token string) (page[Item], error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var none Item
		told := d
		for token := ""; ; {
			page, err := read(token)
			if err != nil {
				yield(none, err)
				return
			}
			told.note(page.damaged)
			for _, item := range page.items {
				if !yield(item, nil) {
					return
				}
			}
			if page.next == "" {
				break
			}
			if page.next == token {
				yield(none, incompleteAnswer("new page token: the server repeats the last one"))
				return
			}
			token = page.next
		}
		if err := told.error(); err != nil {
			yield(none, err)
		}
	}
}

// damage reports unreadable items as they occur; without a listener, the read fails after all others.
type damage struct {
	what    string
	told    func(ids []string)
	damaged []string
}

func (d *damage) note(ids []string) {
	if d.told != nil && len(ids) > 0 {
		d.told(ids)
		return
	}
	d.damaged = append(d.damaged, ids...)
}

func (d *damage) error() error {
	if len(d.damaged) == 0 {
		return nil
	}
	some := strings.Join(d.damaged[:min(10, len(d.damaged))], ", ")
	message := fmt.Sprintf("%d %s cannot be read, their bytes are damaged: %s", len(d.damaged), d.what, some)
	err := newError(codes.DataLoss, FamilyRetrieval, message)
	err.Reason = ReasonChecksumMismatch
	return err
}

// failed is a sequence of nothing but an error.
func failed[Item any](err error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var none Item
		yield(none, err)
	}
}
