import type { RecallResponse } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { idOf } from '../../api/names.ts';
import { recall } from '../../api/recall-calls.ts';
import { Store } from '../../app/store.ts';
import { requestOf, settingsIn } from './settings.ts';

/** A question that is asked again after a change, with the first hit that it had. */
export interface Case {
  readonly namespace: string;
  /** Question and settings, as the address of the page has them. */
  readonly query: string;
  /** Id of the first hit; empty where there was none. */
  readonly expected: string;
}

export interface Outcome {
  /** Id of the first hit now. */
  readonly first: string;
  /** Rank of the hit that is expected, from 1; 0 where it is not among the hits. */
  readonly rank: number;
}

const KEY = 'mneme.recall.cases';
const CASES_MAX = 200;

/** The cases of this browser. */
export const cases = new Store(read());

function read(): readonly Case[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(kept) ? (kept as Case[]) : [];
  } catch {
    return [];
  }
}

function keep(all: readonly Case[]): void {
  cases.set(all);
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Without storage they last as long as the page.
  }
}

export async function saveCase(namespace: string, query: string): Promise<void> {
  const first = firstOf(await ask(namespace, query));
  const others = cases.value.filter((each) => each.namespace !== namespace || each.query !== query);
  keep([...others, { namespace, query, expected: first }].slice(-CASES_MAX));
}

export function removeCase(gone: Case): void {
  keep(cases.value.filter((each) => each !== gone));
}

export async function runCase({ namespace, query, expected }: Case): Promise<Outcome> {
  const answer = await ask(namespace, query);
  const rank = answer.hits.findIndex(({ memory }) => idOf(memory?.name ?? '') === expected) + 1;
  return { first: firstOf(answer), rank };
}

export function questionOf({ query }: Case): string {
  return new URLSearchParams(query).get('q') ?? '';
}

function ask(namespace: string, query: string): Promise<RecallResponse> {
  const place = new URLSearchParams(query);
  return recall(requestOf(namespace, place.get('q') ?? '', settingsIn(place, '')));
}

function firstOf({ hits }: RecallResponse): string {
  return idOf(hits[0]?.memory?.name ?? '');
}
