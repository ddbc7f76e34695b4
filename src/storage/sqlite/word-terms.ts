import type { Micros } from '../../memory/memory.ts';
import { STOP_WORDS, spokenDate, stemOf, wordsOf } from '../../memory/words.ts';

/** A stem as the full-text index has it. `_` never occurs in a stem. */
export function markedTerm(namespaceKey: number, stem: string): string {
  return `${namespaceKey.toString(36)}_${stem}`;
}

/** What the full-text index takes in of a memory. */
export function wordColumns(
  namespaceKey: number,
  memory: { readonly text: string; readonly speaker: string; readonly eventAtUs: Micros },
): { readonly body: string; readonly meta: string } {
  return {
    body: markedTerms(namespaceKey, memory.text),
    meta: markedTerms(namespaceKey, `${memory.speaker} ${spokenDate(memory.eventAtUs)}`),
  };
}

/** One look-up a word: this is a good part of what storing a memory takes. */
function markedTerms(namespaceKey: number, text: string): string {
  const known = termsOfNamespace(namespaceKey);
  let terms = '';
  for (const word of wordsOf(text)) {
    let term = known.get(word);
    if (term === undefined) {
      term = STOP_WORDS.has(word) ? '' : markedTerm(namespaceKey, stemOf(word));
      known.set(word, term);
    }
    if (term !== '') terms = terms === '' ? term : `${terms} ${term}`;
  }
  return terms;
}

const NAMESPACES_KEPT = 16;
const WORDS_KEPT = 20_000;
/** By namespace: the marked term of a word, '' for words that are not searched for. */
const termsByNamespace = new Map<number, Map<string, string>>();

function termsOfNamespace(namespaceKey: number): Map<string, string> {
  const known = termsByNamespace.get(namespaceKey);
  if (known && known.size < WORDS_KEPT) return known;
  if (!known && termsByNamespace.size >= NAMESPACES_KEPT) termsByNamespace.clear();
  const made = new Map<string, string>();
  termsByNamespace.set(namespaceKey, made);
  return made;
}
