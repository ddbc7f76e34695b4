import { setImmediate as turn } from 'node:timers/promises';
import type { MemoryView } from '../../memory/memory.ts';

/**
 * Questions that go out together: more are split, so that Redis looks up some while the others are taken apart here. With 64 in
 * flight two halves give a fifth more reads than one whole, for a tenth more processor time; quarters give no more.
 */
const ASKED_AT_ONCE = 32;

interface Asked<A> {
  readonly ids: Set<string>;
  /** Somebody asks for several memories as they are at one moment. */
  isOfOneMoment: boolean;
  /** When it has gone out. */
  readonly sent: Promise<void>;
  readonly answer: Promise<A>;
}

export interface Question {
  readonly ids: readonly string[];
  readonly view: MemoryView;
  readonly isOfOneMoment: boolean;
}

/** Asks for memories of one room: what is asked for in one turn goes out as one question. */
export class RoomQuestions<A> {
  private readonly answer: (question: Question) => Promise<A>;
  /** What has not gone out yet, or was the last to do so. */
  private readonly asked = new Map<MemoryView, Asked<A>>();

  constructor(answer: (question: Question) => Promise<A>) {
    this.answer = answer;
  }

  ask(ids: readonly string[], view: MemoryView): Promise<A> {
    let asked = this.asked.get(view);
    if (!asked || asked.ids.size >= ASKED_AT_ONCE) {
      asked = this.open(view, asked?.sent);
      this.asked.set(view, asked);
    }
    for (const id of ids) asked.ids.add(id);
    if (ids.length !== 1) asked.isOfOneMoment = true;
    return asked.answer;
  }

  /** In a turn of its own: what Redis reads at once it also answers at once. */
  private open(view: MemoryView, before: Promise<void> | undefined): Asked<A> {
    const ids = new Set<string>();
    const sent = before ? before.then(() => turn()) : turn();
    const answer = sent.then(() => {
      if (this.asked.get(view) === asked) this.asked.delete(view);
      return this.answer({ ids: [...ids], view, isOfOneMoment: asked.isOfOneMoment });
    });
    const asked: Asked<A> = { ids, isOfOneMoment: false, sent, answer };
    return asked;
  }
}
