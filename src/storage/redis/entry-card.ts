import { utf8BodyBytesOf } from '../../memory/checksum.ts';
import { isDamage } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';
import type { Scope, Tier } from '../../memory/memory.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { RedisReply } from './connection.ts';
import { type Place, tierIndexes } from './entry-indexes.ts';

/**
 * What it takes to let go of a memory as a whole when its own bytes are damaged: the sums that it is part of, and the
 * indexes that have its number. Kept beside each.
 */
export interface EntryCard {
  readonly id: string;
  readonly revision: number;
  readonly tier: Tier;
  readonly type: string;
  readonly scope: Scope;
  /** Of text and content. */
  readonly bytes: number;
  readonly importance: number;
  readonly retrievalCount: number;
  readonly state: EmbeddingState;
  /** Sets that have its number. The sorted ones are the same for all, or told by tier, agent and type. */
  readonly sets: readonly string[];
}

export function cardOf({ memory, state }: Entry, places: readonly Place[]): string {
  const { id, revision, tier, type, scope, importance, retrievalCount } = memory;
  const sets = places.filter(({ score }) => score === undefined).map(({ index }) => index);
  const { project, agentType, agent, session } = scope;
  const names = [project, agentType, agent, session];
  const bytes = utf8BodyBytesOf(memory);
  return checkedJson({ c: [id, revision, tier, type, names, bytes, importance, retrievalCount, state, sets] });
}

/** Nothing where there is none that is whole. */
export function readCard(reply: RedisReply | undefined): EntryCard | undefined {
  if (!(reply instanceof Uint8Array)) return undefined;
  try {
    return cardIn(readCheckedJson(String(reply)) as { readonly c: Laid });
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

type Names = readonly [project: string, agentType: string, agent: string, session: string];
type Laid = readonly [string, number, Tier, string, Names, number, number, number, EmbeddingState, readonly string[]];

function cardIn({ c }: { readonly c?: Laid }): EntryCard | undefined {
  if (!c) return undefined;
  const [id, revision, tier, type, names, bytes, importance, retrievalCount, state, sets] = c;
  const [project, agentType, agent, session] = names;
  const scope = { project, agentType, agent, session };
  return { id, revision, tier, type, scope, bytes, importance, retrievalCount, state, sets };
}

/** Sorted sets that any memory may be in. */
const ORDERS = ['created', 'event', 'importance', 'stepless', 'step', 'expires', 'pending', 'x', 'y', 'latitude'];

/** Every index that has the number of the memory with this card, and some that have not. Without a card those of all memories. */
export function placesOfCard(card: EntryCard | undefined): Place[] {
  const places: Place[] = ORDERS.map((order) => ({ index: `o:${order}`, score: 0 }));
  if (!card) return places;
  for (const index of tierIndexes(card.tier, card)) places.push({ index, score: 0 });
  for (const index of card.sets) places.push({ index });
  return places;
}
