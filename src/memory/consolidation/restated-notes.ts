import { restates, SAME_SHARE, type Statement, statementOf } from '../context/restatements.ts';

/** Words that limit or end a statement: a text with one of them does not say the same as a text without it. */
const LIMITING = new Set(
  `if unless only maybe perhaps might may could would should used former formerly previously until till except but or
  almost hardly barely rarely seldom sometimes`.split(/\s+/),
);
const EDGES = /^[\s"'“”‘’.,;:!()[\]<>*_~`]+|[\s"'“”‘’.,;:!()[\]<>*_~`]+$/g;

interface Note<T> {
  readonly item: T;
  readonly statement: Statement;
  /** Words with their inner marks, so that "C" and "C++" differ. */
  readonly tokens: readonly string[];
  /** Stems from the rarest to the most frequent. */
  readonly rareFirst: readonly string[];
}

/**
 * Groups of texts that say the same: the first text of each has the words of all others in the same order, and at most 15 %
 * more; what it has more is no number, no negation and no limiting word. Groups of one are left out.
 *
 * A text is compared only with texts that share one of its rarest stems: two sets of which the smaller has at least the
 * share t of the larger share a stem among the first `n − ⌈t·n⌉ + 1` of each in one order (prefix filter; Chaudhuri, Ganti
 * and Kaushik, "A primitive operator for similarity joins in data cleaning", ICDE 2006).
 */
export function restatedGroups<T>(items: readonly T[], textOf: (item: T) => string): T[][] {
  const notes = notesOf(items, textOf);
  const groups: { readonly anchor: Note<T>; readonly items: T[] }[] = [];
  const byStem = new Map<string, number[]>();
  const byLine = new Map<string, number>();
  for (const note of notes) {
    const line = note.tokens.join(' ');
    const found = byLine.get(line) ?? candidates(note, byStem).find((at) => saysAllOf(groups[at]?.anchor, note));
    if (found !== undefined) {
      groups[found]?.items.push(note.item);
      continue;
    }
    if (line !== '') byLine.set(line, groups.length);
    for (const stem of prefixOf(note.rareFirst)) {
      const places = byStem.get(stem) ?? [];
      places.push(groups.length);
      byStem.set(stem, places);
    }
    groups.push({ anchor: note, items: [note.item] });
  }
  return groups.filter((group) => group.items.length > 1).map((group) => group.items);
}

/** The texts with the most words first; texts of as many words keep their order. */
function notesOf<T>(items: readonly T[], textOf: (item: T) => string): Note<T>[] {
  const statements = items.map((item) => statementOf(textOf(item)));
  const counts = new Map<string, number>();
  for (const { stems } of statements) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const rarity = (one: string, other: string) =>
    (counts.get(one) ?? 0) - (counts.get(other) ?? 0) || (one < other ? -1 : 1);
  const notes = items.map((item, at): Note<T> => {
    const statement = statements[at] ?? statementOf('');
    return { item, statement, tokens: tokensOf(textOf(item)), rareFirst: [...statement.stems].sort(rarity) };
  });
  return notes.sort((one, other) => other.tokens.length - one.tokens.length);
}

function tokensOf(text: string): string[] {
  const words = text.normalize('NFKC').toLowerCase().split(/\s+/);
  return words.map((word) => word.replaceAll(EDGES, '')).filter((word) => word !== '');
}

function prefixOf(stems: readonly string[]): readonly string[] {
  return stems.slice(0, stems.length - Math.ceil(SAME_SHARE * stems.length) + 1);
}

/** Places of groups that may say the same, in their order. */
function candidates<T>(note: Note<T>, byStem: ReadonlyMap<string, readonly number[]>): number[] {
  const places = new Set(prefixOf(note.rareFirst).flatMap((stem) => byStem.get(stem) ?? []));
  return [...places].sort((one, other) => one - other);
}

function saysAllOf<T>(whole: Note<T> | undefined, part: Note<T>): boolean {
  if (!whole || !restates(whole.statement, part.statement)) return false;
  const { tokens } = part;
  let at = 0;
  for (const token of whole.tokens) {
    if (token === tokens[at]) at++;
    else if (LIMITING.has(token)) return false;
  }
  return at === tokens.length;
}
