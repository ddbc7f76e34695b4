import { EPISODE_TYPE, spanOf, stretchText } from '../../../memory/consolidation/conversation-episode.ts';
import {
  CONSOLIDATION_ORIGIN,
  type Derivation,
  derivationContent,
  derivationOf,
} from '../../../memory/consolidation/derivation.ts';
import { REPORT_TYPE, type ReportRecord, reportContent } from '../../../memory/consolidation/report-record.ts';
import { NEVER_CURRENT } from '../../../memory/facts/fact-record.ts';
import { DEFAULT_IMPORTANCE, DEFAULT_PRIORITY, type Memory, type Micros } from '../../../memory/memory.ts';
import { trustOf } from '../../../memory/memory-trust.ts';
import { WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import { leastTrust } from '../../../memory/trust.ts';
import type { NewMemory } from '../../../storage/records.ts';
import { newMemory } from '../memories/store-memories.ts';
import type { Step } from './plan-steps.ts';

/** What a step derives, and from what. */
export function derivationBy(step: Step, report: string): Derivation {
  const { kind, sources } = step;
  const trust = leastTrust(sources.map(trustOf));
  if (kind === 'episode') {
    return { kind, report, trust, sources: sources.map(nameOf), hidden: [], lastSequence: sources.at(-1)?.step ?? 0 };
  }
  // A memory that was merged before stands for its sources.
  const cited = sources.flatMap((memory) => derivationOf(memory)?.sources ?? [nameOf(memory)]);
  const hidden = sources.map(({ id, updatedAtUs }) => ({ id, updatedAtUs }));
  return { kind, report, trust, sources: [...new Set(cited)].sort(), hidden };
}

function nameOf({ namespace, id }: Memory): string {
  return `namespaces/${namespace}/memories/${id}`;
}

/** The text of the memory that a step makes. */
export function textBy(step: Step): string {
  return step.kind === 'merge' ? step.sources[0].text : stretchText(step.sources);
}

/** The memory that a step makes. */
export function memoryBy(step: Step, report: string, atUs: Micros): NewMemory {
  const { id, sources } = step;
  const [{ scope, type, tags, source }] = sources;
  const derivation = derivationBy(step, report);
  const text = textBy(step);
  const eventAtUs = Math.max(...sources.map((memory) => memory.eventAtUs));
  if (step.kind === 'merge') {
    const merged = {
      ...{ id, scope, type, tags, text, eventAtUs },
      content: derivationContent(derivation),
      importance: Math.max(...sources.map(({ importance }) => importance)),
      priority: Math.max(...sources.map(({ priority }) => priority)),
      source: { speaker: source.speaker, uri: '', origin: CONSOLIDATION_ORIGIN },
    };
    return derivedMemory(merged, atUs);
  }
  const { fromUs, untilUs } = spanOf(step.sources);
  const more = {
    conversation: scope.session,
    outcome: null,
    first_sequence: sources[0].step ?? 0,
    started_at: timeOf(fromUs),
    ended_at: timeOf(untilUs),
    duration_seconds: (untilUs - fromUs) / 1e6,
  };
  const episode = {
    ...{ id, scope, text, eventAtUs },
    type: EPISODE_TYPE,
    content: derivationContent(derivation, more),
    source: { speaker: '', uri: `conversations/${scope.session}`, origin: CONSOLIDATION_ORIGIN },
  };
  return derivedMemory(episode, atUs);
}

/** The memory that stores the state of a consolidation. It has ids only, and recall does not find it. */
export function reportMemory(id: string, record: ReportRecord, { createdAtUs, atUs }: ReportTimes): NewMemory {
  const report = {
    ...{ id, scope: WHOLE_NAMESPACE, type: REPORT_TYPE, text: '', eventAtUs: createdAtUs },
    content: reportContent(record),
    source: { speaker: '', uri: '', origin: CONSOLIDATION_ORIGIN },
  };
  return { ...derivedMemory(report, atUs), ...NEVER_CURRENT, createdAtUs };
}

interface ReportTimes {
  readonly createdAtUs: Micros;
  readonly atUs: Micros;
}

type Made = Pick<NewMemory, 'id' | 'scope' | 'type' | 'text' | 'eventAtUs' | 'source' | 'content'> &
  Partial<Pick<NewMemory, 'tags' | 'importance' | 'priority'>>;

function derivedMemory(made: Made, atUs: Micros): NewMemory {
  const draft = { textDerived: false, tags: [], importance: DEFAULT_IMPORTANCE, priority: DEFAULT_PRIORITY, ...made };
  return newMemory(draft, { pending: false }, () => made.id, atUs);
}

function timeOf(atUs: Micros): string {
  return new Date(Math.floor(atUs / 1000)).toISOString();
}
