import { readingBytesOf } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';

type FormerJson = { readonly revision: number };

/** The revision of a former state. Fails with CHECKSUM_MISMATCH, naming the memory. */
export function revisionOfFormer(namespace: string, id: string, state: string): number {
  return readFormer(namespace, id, state).revision;
}

/** The state with another revision. */
export function formerWithRevision(namespace: string, id: string, state: string, revision: number): string {
  const former = readFormer(namespace, id, state);
  return former.revision === revision ? state : checkedJson({ ...former, revision });
}

function readFormer(namespace: string, id: string, state: string): FormerJson {
  return readingBytesOf(namespace, id, () => readCheckedJson(state)) as FormerJson;
}
