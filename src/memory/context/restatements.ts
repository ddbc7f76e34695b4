import { equalityKey } from '../equal-texts.ts';
import { STOP_WORDS, stemOf, wordsOf } from '../words.ts';

/** Minimum share of common words (Jaccard) at which two texts count as equal. */
export const SAME_SHARE = 0.85;
/** Words that turn a statement around. */
const NEGATIONS: ReadonlySet<string> = new Set(['not', 'no', 'never', 'none', 'nobody', 'without', 'cannot', 't']);
const HAS_DIGIT = /\p{N}/u;

/** The words of a text, for comparing it with many others. */
export interface Statement {
  /** See `equalityKey`. */
  readonly key: string;
  readonly stems: ReadonlySet<string>;
}

export function statementOf(text: string): Statement {
  const words = wordsOf(text);
  const stems = words.filter((word) => !STOP_WORDS.has(word) || NEGATIONS.has(word)).map(stemOf);
  return { key: equalityKey(text), stems: new Set(stems) };
}

/**
 * Whether one text restates the other: equal, or nearly the same words, where the difference includes no number and no
 * negation. Empty texts restate nothing.
 */
export function restates(one: Statement, other: Statement): boolean {
  if (one.key === '' || other.key === '') return false;
  if (one.key === other.key) return true;
  const [few, many] = one.stems.size <= other.stems.size ? [one.stems, other.stems] : [other.stems, one.stems];
  if (few.size < SAME_SHARE * many.size || few.size === 0) return false;
  // common / (few + many - common) must reach the share.
  let missesLeft = few.size - Math.ceil((SAME_SHARE * (few.size + many.size)) / (1 + SAME_SHARE) - 1e-9);
  for (const stem of few) if (!many.has(stem) && --missesLeft < 0) return false;
  if (missesLeft < 0) return false;
  return !differsInSense(few, many) && !differsInSense(many, few);
}

/** Whether the first has a number or a negation that the second lacks. */
function differsInSense(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const stem of one) if (!other.has(stem) && (NEGATIONS.has(stem) || HAS_DIGIT.test(stem))) return true;
  return false;
}

/**
 * Finds among many statements those that one restates, without comparing it with all of them. Two sets of words that have
 * enough in common share one of the rarest words of each (prefix filter: Chaudhuri, Ganti and Kaushik, "A primitive operator
 * for similarity joins in data cleaning", ICDE 2006).
 */
export class StatementIndex<Item> {
  private readonly frequencies: ReadonlyMap<string, number>;
  private readonly items: { readonly statement: Statement; readonly item: Item }[] = [];
  private readonly byKey = new Map<string, number[]>();
  private readonly byStem = new Map<string, number[]>();

  /** `all`: the statements that are added or looked for, to tell rare words from frequent ones. */
  constructor(all: readonly Statement[]) {
    const frequencies = new Map<string, number>();
    for (const { stems } of all) for (const stem of stems) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
    this.frequencies = frequencies;
  }

  add(statement: Statement, item: Item): void {
    const at = this.items.push({ statement, item }) - 1;
    append(this.byKey, statement.key, at);
    for (const stem of this.rarest(statement)) append(this.byStem, stem, at);
  }

  /** The first item that was added whose statement the given one restates, and that `fits`. */
  find(statement: Statement, fits: (item: Item) => boolean): Item | undefined {
    const places = new Set(this.byKey.get(statement.key));
    for (const stem of this.rarest(statement)) for (const at of this.byStem.get(stem) ?? []) places.add(at);
    for (const at of [...places].sort((a, b) => a - b)) {
      const found = this.items[at];
      if (found && fits(found.item) && restates(found.statement, statement)) return found.item;
    }
    return undefined;
  }

  /** So many of the rarest words that a text that restates this one has one of them among its own. */
  private rarest({ stems }: Statement): string[] {
    const count = stems.size - Math.ceil(SAME_SHARE * stems.size - 1e-9) + 1;
    const of = (stem: string) => this.frequencies.get(stem) ?? 0;
    return [...stems].sort((a, b) => of(a) - of(b) || (a < b ? -1 : 1)).slice(0, count);
  }
}

function append(lists: Map<string, number[]>, key: string, at: number): void {
  const list = lists.get(key);
  if (list) list.push(at);
  else lists.set(key, [at]);
}
