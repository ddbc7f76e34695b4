import type { Call } from '../../../memory/call.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { importanceOf } from '../../../memory/episode.ts';
import { DEFAULT_PRIORITY, type MemoryDraft, type Micros, type Scope } from '../../../memory/memory.ts';
import { EPISODES_ORIGIN, type TaskOutcome } from '../../../memory/procedure.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { storeMemories } from '../memories/store-memories.ts';

export interface EpisodeRequest {
  readonly namespace: string;
  readonly scope: Scope;
  readonly task: string;
  readonly outcome: TaskOutcome;
  readonly lessons: readonly string[];
  readonly actions: readonly string[];
  readonly durationUs?: Micros;
  readonly tokensUsed?: number;
  readonly importance?: number;
  readonly eventAtUs?: Micros;
}

export interface RecordedEpisode {
  readonly id: string;
  readonly importance: number;
  readonly revision: number;
}

/** Stores an episode as a memory. */
export async function recordEpisode(deps: MemoryDeps, request: EpisodeRequest, call: Call): Promise<RecordedEpisode> {
  const { namespace, importance = importanceOf(request, request.durationUs ?? 0) } = request;
  const memory = draftOf(deps, request, importance, call);
  const { memories, revision } = await storeMemories(deps, { namespace, memories: [memory], onConflict: 'keep' }, call);
  return { id: memories[0]?.id ?? '', importance, revision };
}

const ENDS: Readonly<Record<TaskOutcome, string>> = {
  success: 'Succeeded',
  failure: 'Failed',
  partial: 'Succeeded in part',
};

function draftOf(deps: MemoryDeps, request: EpisodeRequest, importance: number, { idempotency }: Call): MemoryDraft {
  const { scope, task, outcome, lessons, actions, durationUs, tokensUsed, eventAtUs } = request;
  const json = {
    task,
    outcome,
    lessons,
    actions,
    duration_seconds: durationUs === undefined ? null : durationUs / 1e6,
    tokens_used: tokensUsed ?? null,
  };
  const lines = [
    `${ENDS[outcome]}: ${task}`,
    ...lessons.map((lesson) => `Lesson: ${lesson}`),
    ...actions.map((action) => `Action: ${action}`),
  ];
  const seed = idempotency && `episode\n${idempotency.requestId}\n${idempotency.fingerprint}`;
  return {
    id: seed === undefined ? deps.newId() : derivedId(seed),
    scope,
    type: 'episode',
    eventAtUs,
    text: lines.join('\n'),
    textDerived: false,
    content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) },
    tags: [outcome],
    importance,
    priority: DEFAULT_PRIORITY,
    source: { speaker: '', uri: '', origin: EPISODES_ORIGIN },
  };
}
