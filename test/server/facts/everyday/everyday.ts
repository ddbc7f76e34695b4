import { readFileSync } from 'node:fs';
import { messageMemory } from '../../../../src/memory/conversation.ts';
import { normalAttribute, normalSubject, normalValue } from '../../../../src/memory/facts/fact-key.ts';
import { rulesExtractor } from '../../../../src/server/extraction/rules/rules-extractor.ts';
import { extractBatch } from '../../../../src/server/operations/extraction/extract-batch.ts';
import type { StoredFact } from '../../../../src/server/operations/facts/fact-deps.ts';
import { factSink } from '../../../../src/server/operations/facts/fact-sink.ts';
import { storeMemories } from '../../../../src/server/operations/memories/store-memories.ts';
import { call } from '../../operations/support.ts';
import { FactBench, NOWHERE, SPACE } from '../support.ts';

/** Messages of a user, and the facts that hold after them. */
export interface EverydayCase {
  readonly about: string;
  readonly says: readonly string[];
  /**
   * `attribute=value`, or `subject: attribute=value`. `a|b`: either is right. `a*`: the beginning of an attribute. `~v`: a
   * part of the value.
   */
  readonly holds: readonly string[];
  /** Facts that are right too, and not required. */
  readonly may?: readonly string[];
}

/** 2026-03-02, a Monday. */
export const SAID_AT_US = Date.parse('2026-03-02T12:00:00Z') * 1000;

export function everydayCases(half: 'development' | 'kept'): EverydayCase[] {
  return JSON.parse(readFileSync(new URL(`${half}.json`, import.meta.url), 'utf8')) as EverydayCase[];
}

export interface SaidOptions {
  /** Time between messages; 0: all messages have the same time. Default: a minute. */
  readonly gapUs?: number;
  /** All messages in one extraction. Default: one extraction for each message. */
  readonly inOneBatch?: boolean;
}

/** The facts that hold after messages of a user, by the whole way from message to store. */
export async function factsAfter(says: readonly string[], options: SaidOptions = {}): Promise<readonly StoredFact[]> {
  const { gapUs = 60_000_000, inOneBatch = false } = options;
  const bench = await FactBench.open('in-memory');
  try {
    bench.clock.us = SAID_AT_US + says.length * gapUs;
    const memories = says.map((text, sequence) => {
      const eventAtUs = SAID_AT_US + sequence * gapUs;
      return messageMemory('c', NOWHERE, sequence, {
        role: 'user',
        name: '',
        blocks: [{ kind: 'text', text }],
        eventAtUs,
      });
    });
    await storeMemories(bench.deps, { namespace: SPACE, memories, onConflict: 'fail' }, call);
    const all = says.map((_, sequence) => sequence);
    for (const sequences of inOneBatch ? [all] : all.map((sequence) => [sequence])) {
      const request = {
        ...{ namespace: SPACE, conversation: 'c', sequences, revised: [], extractor: rulesExtractor },
        ...{ includesToolBlocks: false, settings: new Map<string, string>(), onExtraction: () => undefined },
      };
      await extractBatch({ ...bench.deps, sink: factSink(bench.deps) }, request, call.signal);
    }
    return await bench.list();
  } finally {
    await bench.close();
  }
}

/** `attribute=value`, with the subject before it where it is not the user; in order. */
export async function heldAfter(says: readonly string[], options: SaidOptions = {}): Promise<string[]> {
  return (await factsAfter(says, options)).map(textOf).sort();
}

function textOf({ fact: { key, value } }: StoredFact): string {
  return `${key.subject === 'user' ? '' : `${key.subject}: `}${key.attribute}=${normalValue(value)}`;
}

export interface Score {
  right: number;
  wrong: number;
  found: number;
  wanted: number;
  /** Failures in words. */
  readonly faults: string[];
}

/** Compares the facts that hold after each case with those that should. */
export async function scoreOf(cases: readonly EverydayCase[]): Promise<Score> {
  const score: Score = { right: 0, wrong: 0, found: 0, wanted: 0, faults: [] };
  for (const { says, holds, may = [] } of cases) {
    const held = await heldAfter(says);
    const wrong = held.filter((fact) => ![...holds, ...may].some((wanted) => isSame(fact, wanted)));
    const missing = holds.filter((wanted) => !held.some((fact) => isSame(fact, wanted)));
    score.right += held.length - wrong.length;
    score.wrong += wrong.length;
    score.wanted += holds.length;
    score.found += holds.length - missing.length;
    if (wrong.length + missing.length > 0)
      score.faults.push(
        `${says.join(' / ')} › wrong: ${wrong.join('; ') || '–'} › missing: ${missing.join('; ') || '–'}`,
      );
  }
  return score;
}

function isSame(fact: string, wanted: string): boolean {
  const [, subject = '', attribute = '', value = ''] = /^(?:(.*): )?([^:=]+)=(.*)$/.exec(fact) ?? [];
  const [, ofSubject = '', attributes = '', values = ''] = /^(?:(.*): )?([^:=]+)=(.*)$/.exec(wanted) ?? [];
  const isAttribute = attributes
    .split('|')
    .some((one) => (one.endsWith('*') ? attribute.startsWith(one.slice(0, -1)) : normalAttribute(one) === attribute));
  const isValue = values
    .split('|')
    .some((one) => (one.startsWith('~') ? value.includes(one.slice(1)) : normalValue(one) === value));
  return normalSubject(ofSubject) === normalSubject(subject) && isAttribute && isValue;
}
