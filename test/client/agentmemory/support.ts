import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  AgentMemoryAPI,
  type Fields,
  type MemoryEntry,
  type MemoryOptions,
} from '../../../clients/typescript/src/agentmemory/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { onCleanUp, PATIENT } from '../support/clean-up.ts';

export const AGENT = 'agent-123';

/** The folder beside the checkout with documents and data of the upstream library, where there is one. */
export const SHARED = ['../../../../shared', '../../../../../shared']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(`${path}/data/agentmemory-validation`));

/** A server whose embedder stores vectors. */
export function startVectorServer(): Promise<ServedMneme> {
  return serveMneme({ flags: ['--embedder', 'hashing'] });
}

/** An API with a namespace of its own, closed after the test. */
export function freshApi(server: { readonly address: string }, options: MemoryOptions = {}): AgentMemoryAPI {
  const api = new AgentMemoryAPI({
    address: server.address,
    namespace: `am-${randomUUID()}`,
    connect: PATIENT,
    ...options,
  });
  onCleanUp(() => api.close());
  return api;
}

export function steps(entries: readonly { readonly step_number: number | null }[]): (number | null)[] {
  return entries.map((entry) => entry.step_number);
}

/** The entry that a test has made sure of. */
export function only(entries: readonly MemoryEntry[]): MemoryEntry {
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) throw new Error(`expected one entry, got ${entries.length}`);
  return entry;
}

/** Memories that hooks of an agent have stored, by step. */
export async function memories(api: AgentMemoryAPI, agent: string, type: string): Promise<MemoryEntry[]> {
  const report = await api.flush(60_000);
  if (!report.complete) throw new Error(`not all memories are stored: ${JSON.stringify(report)}`);
  return api.getMemorySpace(agent).retrieveByTimeRange(0, 1_000_000, type);
}

export async function actions(api: AgentMemoryAPI, agent: string): Promise<Fields[]> {
  return (await memories(api, agent, 'action')).map(({ contents }) => contents);
}
