import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { type Corpus, embeddingOf, idOf, sessionOf, speakerOf, startedAtUs } from './corpus.ts';

/** Shares of all memories that filters select. */
export const SHARES = [0.1, 0.01, 0.001] as const;
export type Share = (typeof SHARES)[number];

export const ZONES = 10;
const NAMES: Readonly<Record<Share, string>> = { 0.1: 'tenth', 0.01: 'hundredth', 0.001: 'thousandth' };
/** Multiples of these, without their whole parts, are spread evenly over 0 to 1 and independent of each other. */
const SPREAD = { importance: 0.7548776662, health: 0.569840291 };

/** A memory whose values many kinds of filters select by; the form in which programs in other languages read it. */
export interface VariedMemory {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly type: string;
  readonly step: number;
  readonly event_s: number;
  readonly importance: number;
  readonly tags: readonly string[];
  readonly text: string;
  /** JSON. */
  readonly content: string;
}

export function variedMemory({ texts }: Pick<Corpus, 'texts'>, at: number): VariedMemory {
  const session = variedSession(at);
  const content = {
    zone: `zone-${at % ZONES}`,
    health: (at * SPREAD.health) % 1,
    position: [at % 100, Math.floor(at / 100) % 100],
    inventory: { wood: at % 7, stone: at % 5 },
  };
  return {
    id: idOf(at),
    agent: agentOf(session),
    session,
    type: at % 2 === 0 ? 'state' : 'message',
    step: at,
    event_s: startedAtUs(at) / 1e6,
    importance: (at * SPREAD.importance) % 1,
    tags: SHARES.map((share) => tagOf(share, at)),
    text: texts[at] ?? '',
    content: JSON.stringify(content),
  };
}

/** Of all memories, `share` have this tag; each `at` below 1 / `share` has another one. */
export function tagOf(share: Share, at: number): string {
  return `${NAMES[share]}-${at % Math.round(1 / share)}`;
}

/** The session of `share` of all memories. */
export function sessionWith(share: Share): string {
  return `session-${NAMES[share]}`;
}

export function agentOf(session: string): string {
  return `agent-of-${session}`;
}

function variedSession(at: number): string {
  const place = at % 1000;
  if (place < 100) return sessionWith(0.1);
  if (place < 110) return sessionWith(0.01);
  return place < 111 ? sessionWith(0.001) : `session-${sessionOf(at)}`;
}

/** The same with its vector, as Mneme stores it. */
export function variedMessage(corpus: Pick<Corpus, 'texts' | 'vectors'>, at: number): Memory {
  const { agent, session, type, step, event_s, importance, tags, text, content } = variedMemory(corpus, at);
  const vector = corpus.vectors[at];
  return Memory.fromPartial({
    scope: { agent, session },
    type,
    step,
    eventTime: { seconds: BigInt(event_s), nanos: 0 },
    importance,
    tags: [...tags],
    text,
    source: { speaker: speakerOf(at) },
    content: { mediaType: 'application/json', body: { $case: 'json', value: content } },
    embedding: vector && embeddingOf(vector),
  });
}
