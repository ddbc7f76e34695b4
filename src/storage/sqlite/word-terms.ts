import type { Micros } from '../../memory/memory.ts';
import { spokenDate } from '../../memory/spoken-date.ts';
import { termsOf } from '../../memory/words.ts';

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

function markedTerms(namespaceKey: number, text: string): string {
  return termsOf(text)
    .map((stem) => markedTerm(namespaceKey, stem))
    .join(' ');
}
