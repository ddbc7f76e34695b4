import type { MemoryOrder } from '../enums.ts';
import { allOf, anyOf, type Filter, path, where } from '../filter.ts';
import type { AttributeChange } from '../history-calls.ts';
import type { Mneme } from '../index.ts';
import type { Memory, MemoryView } from '../memory.ts';
import { checkedContent, checkedText, checkedType, checkedWhole } from './checks.ts';
import type { Engine } from './engine.ts';
import { entryOf, type MemoryEntry, secondsOf, VectorForms } from './entries.ts';
import { failingAs, MemoryRetrievalException, refused } from './errors.ts';
import { type Fields, isRecord } from './models.ts';
import { shown } from './shown.ts';

const KIND = MemoryRetrievalException;
/** Most steps in one call of the server. */
const STEPS_PER_CALL = 1_000;
const CHANGES_PER_CALL = 10_000;
const PAGE_SIZE = 1_000;
const STATE = 'state';

/** A change of a value in the states of an agent. */
export interface AttributeChangeEntry {
  memory_id: string;
  step_number: number;
  /** In seconds since 1970. */
  timestamp: number;
  /** `null` where it appeared. */
  previous_value: unknown;
  /** `null` where it disappeared. */
  new_value: unknown;
  change: 'appeared' | 'changed' | 'disappeared';
}

/** Reads memories of one agent. Arguments are checked before anything is sent. */
export class Retrieval {
  readonly engine: Engine;
  readonly agent: string;

  constructor(engine: Engine, agent: string) {
    this.engine = engine;
    this.agent = agent;
  }

  /** The entry, which counts as an access, unless it is of another agent. */
  async byId(memoryId: string): Promise<MemoryEntry | null> {
    const id = checkedText(KIND, 'memoryId', memoryId);
    const { stmConfig, imConfig } = this.engine.config;
    const counts = !(stmConfig.testMode || imConfig.testMode);
    return failingAs(KIND, 'retrieveStateById', { agentId: this.agent, memoryId: id }, async () => {
      const client = await this.ready('retrieveStateById');
      const [found] = (await client.batchGet([id], { view: this.view })).memories;
      if (found?.scope.agent !== this.agent) return null;
      const memory = counts ? await client.get(id, { view: this.view, focus: true }) : found;
      return entryOf(memory, await this.forms());
    });
  }

  /** All memories that meet the conditions, or the first ones. */
  async listed(
    operation: string,
    conditions: readonly Filter[],
    order: MemoryOrder,
    memoryType: string | undefined,
    count = Number.POSITIVE_INFINITY,
  ): Promise<MemoryEntry[]> {
    const type = checkedType(KIND, memoryType);
    const ofType = type === undefined ? [] : [where.type.equals(type)];
    const filter = allOf(where.agent.equals(this.agent), ...ofType, ...conditions);
    return failingAs(KIND, operation, { agentId: this.agent }, async () => {
      const client = await this.ready(operation);
      const found: { memory: Memory }[] = [];
      const pageSize = Number.isFinite(count) ? { pageSize: Math.min(count, PAGE_SIZE) } : {};
      for await (const memory of client.list({ filter, order, view: this.view, ...pageSize })) {
        found.push({ memory });
        if (found.length === count) break;
      }
      return this.entries(found);
    });
  }

  /** The memories that happened last, latest first. */
  async recent(count: number, memoryType: string | undefined): Promise<MemoryEntry[]> {
    checkedWhole(KIND, 'count', count, 1);
    return this.listed('retrieveRecentStates', [], 'event_time_desc', memoryType, count);
  }

  /** Memories of a range of steps, lowest step first. */
  async inSteps(startStep: number, endStep: number, memoryType: string | undefined): Promise<MemoryEntry[]> {
    checkedWhole(KIND, 'startStep', startStep);
    checkedWhole(KIND, 'endStep', endStep);
    this.#checkRange(startStep, endStep);
    const bounds = [where.step.greaterOrEqual(startStep), where.step.lessOrEqual(endStep)];
    return this.listed('retrieveByTimeRange', bounds, 'step_asc', memoryType);
  }

  /** Memories whose contents have all of the values at their dotted paths, latest step first. */
  async withAttributes(attributes: Readonly<Fields>, memoryType: string | undefined): Promise<MemoryEntry[]> {
    if (!isRecord(attributes) || Object.keys(attributes).length === 0)
      throw this.refused('attributes', `must be an object that is not empty, got ${shown(attributes)}`);
    if (Object.hasOwn(attributes, '')) throw this.refused('attributes', "must have paths as keys, got ''");
    checkedContent(KIND, 'attributes', attributes);
    const wanted = Object.entries(attributes).filter(([, value]) => value !== undefined);
    // Contents of imported entries are one level deeper.
    const conditions = wanted.map(([name, value]) =>
      anyOf(path(name).equals(value as never), path(`content.${name}`).equals(value as never)),
    );
    const found = await this.listed('retrieveByAttributes', conditions, 'step_desc', memoryType);
    // The filter also looks into arrays.
    return found.filter(({ contents }) => wanted.every(([name, value]) => hasValue(contents, name, value)));
  }

  /** The state at each step. */
  async snapshots(steps: readonly number[]): Promise<Map<number, MemoryEntry | null>> {
    if (!Array.isArray(steps) || steps.length === 0)
      throw this.refused('steps', `must be a list of steps that is not empty, got ${shown(steps)}`);
    const asked = [...new Set(steps.map((step: unknown, place) => checkedWhole(KIND, `steps[${place}]`, step)))];
    const found = new Map<number, MemoryEntry | null>(asked.map((step) => [step, null]));
    return failingAs(KIND, 'getMemorySnapshots', { agentId: this.agent }, async () => {
      const client = await this.ready('getMemorySnapshots');
      const forms = await this.forms();
      const query = { scope: { agent: this.agent }, type: STATE, view: this.view };
      for (let at = 0; at < asked.length; at += STEPS_PER_CALL) {
        const states = await client.getStatesAtSteps(asked.slice(at, at + STEPS_PER_CALL), query);
        for (const { step, memory } of states) found.set(step, memory ? entryOf(memory, forms) : null);
      }
      return found;
    });
  }

  /** Changes of a value in states, by step. */
  async changes(name: string, startStep?: number, endStep?: number): Promise<AttributeChangeEntry[]> {
    checkedText(KIND, 'attributeName', name);
    if (startStep !== undefined) checkedWhole(KIND, 'startStep', startStep);
    if (endStep !== undefined) checkedWhole(KIND, 'endStep', endStep);
    if (startStep !== undefined && endStep !== undefined) this.#checkRange(startStep, endStep);
    const operation = 'getAttributeChangeHistory';
    return failingAs(KIND, operation, { agentId: this.agent }, async () => {
      const client = await this.ready(operation);
      const own = await this.#changesOf(client, name, startStep, endStep);
      const found = own.length > 0 ? own : await this.#changesOf(client, `content.${name}`, startStep, endStep);
      return found.map(changeEntry);
    });
  }

  async #changesOf(
    client: Mneme,
    name: string,
    startStep: number | undefined,
    endStep: number | undefined,
  ): Promise<AttributeChange[]> {
    const found: AttributeChange[] = [];
    let from = startStep;
    for (;;) {
      const answer = await client.getAttributeHistory(name, {
        scope: { agent: this.agent },
        type: STATE,
        ...(from !== undefined && { startStep: from }),
        ...(endStep !== undefined && { endStep }),
        limit: CHANGES_PER_CALL,
      });
      const last = found.at(-1);
      // A later answer begins with changes of the last step, and says of the first one that it appeared.
      const known = answer.changes.findIndex(({ id }) => id === last?.id);
      const news = answer.changes.slice(known + 1);
      found.push(...news);
      if (!answer.truncated || news.length === 0) return found;
      from = found.at(-1)?.step;
    }
  }

  /** Vectors are read where entries have them. */
  get view(): MemoryView {
    return this.engine.config.useEmbeddingEngine ? 'full' : 'basic';
  }

  async entries(found: readonly { readonly memory: Memory; readonly score?: number }[]): Promise<MemoryEntry[]> {
    const hasVectors = found.some(({ memory }) => memory.embedding !== undefined);
    const forms = hasVectors ? await this.forms() : new VectorForms();
    return found.map(({ memory, score }) => entryOf(memory, forms, score));
  }

  async forms(): Promise<VectorForms> {
    return this.engine.config.useEmbeddingEngine ? this.engine.forms() : new VectorForms();
  }

  ready(operation: string): Promise<Mneme> {
    return this.engine.ready(KIND, operation, { agentId: this.agent });
  }

  refused(field: string, problem: string): Error {
    return refused(KIND, field, problem, { agentId: this.agent });
  }

  #checkRange(startStep: number, endStep: number): void {
    if (startStep > endStep)
      throw this.refused('startStep', `must not exceed endStep, got ${startStep} and ${endStep}`);
  }
}

function hasValue(contents: unknown, name: string, wanted: unknown): boolean {
  let value = contents;
  for (const part of name.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, part)) return false;
    value = value[part];
  }
  return isEqual(value, JSON.parse(JSON.stringify(wanted)));
}

/** Equality of JSON values. */
function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, place) => isEqual(each, other[place]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

function changeEntry(change: AttributeChange): AttributeChangeEntry {
  return {
    memory_id: change.id,
    step_number: change.step,
    timestamp: secondsOf(change.eventTime),
    previous_value: change.previousValue ?? null,
    new_value: change.newValue ?? null,
    change: change.kind,
  };
}
