import { KnowledgeServiceService, TaskOutcome } from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import definitions from '../../agent-tools.json' with { type: 'json' };
import { badInput, incompleteAnswer } from './bad-input.ts';
import { MnemeError } from './errors.ts';
import type { Memory, NewMemory } from './memory.ts';
import type { MemoryCalls } from './memory-calls.ts';
import { memoryName } from './names.ts';
import type { NamespaceCalls } from './namespace-calls.ts';
import type { CallOptions } from './options.ts';
import type { RawCalls } from './raw-calls.ts';
import type { RecallCalls } from './recall-calls.ts';
import type { RecallQuery } from './recall-types.ts';
import { checkArguments, type JsonSchema } from './tool-arguments.ts';

/** What tools need of a client. */
export type ToolCalls = Pick<MemoryCalls & RecallCalls, 'store' | 'batchStore' | 'forget' | 'recall'> & {
  readonly namespace: string;
  readonly raw: RawCalls['raw'];
  readonly namespaces: Pick<NamespaceCalls, 'getStatistics'>;
};

/** A tool for the function calling of a model. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** True when a call changes nothing. */
  readonly readOnly: boolean;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema;
  /** Result as JSON. `InvalidArgumentError` names what is wrong with the arguments, for the model to correct. */
  run(args: unknown, options?: CallOptions): Promise<ToolResult>;
}

export type ToolResult = { readonly [key: string]: unknown };

/** Tools with which a model stores and finds memories of the namespace of a client: all of them, or these. */
export function agentTools(mneme: ToolCalls, names: readonly string[] = Object.keys(HANDLERS)): AgentTool[] {
  return names.map((name) => {
    const { description, read_only: readOnly, input_schema: inputSchema } = definitionOf(name);
    return {
      name,
      description,
      readOnly,
      inputSchema,
      run: (args, options) => callAgentTool(mneme, name, args, options),
    };
  });
}

/** Runs the tool of this name, as `AgentTool.run` does. */
export async function callAgentTool(
  mneme: ToolCalls,
  name: string,
  args: unknown,
  options: CallOptions = {},
): Promise<ToolResult> {
  const { input_schema: schema } = definitionOf(name);
  const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined;
  if (!handler) throw unknownTool(name);
  checkArguments(schema, args);
  return handler(mneme, args as Arguments, options);
}

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly read_only: boolean;
  readonly input_schema: JsonSchema;
}

function definitionOf(name: string): Definition {
  const found = (definitions as readonly Definition[]).find((one) => one.name === name);
  if (!found) throw unknownTool(name);
  return found;
}

function unknownTool(name: string): MnemeError {
  return badInput('name', `must be one of ${Object.keys(HANDLERS).join(', ')}, got ${JSON.stringify(name)}`);
}

/** Arguments that fit the schema of their tool; which of them a tool has is known to its handler. */
type Arguments = Readonly<Record<string, unknown>> & {
  readonly text?: string;
  readonly memories?: readonly Arguments[];
  readonly ids?: readonly string[];
  readonly filter_text?: string;
  readonly dry_run?: boolean;
  readonly limit?: number;
  readonly min_relevance?: number;
  readonly as_of?: string;
  readonly situation?: string;
  readonly procedure_id?: string;
  readonly outcome?: keyof typeof OUTCOMES;
  readonly note?: string;
};

type Handler = (mneme: ToolCalls, args: Arguments, options: CallOptions) => Promise<ToolResult>;

/** Relevance from which on a memory is taken to answer; see `docs/guides/nothing-relevant.md`. */
const RELEVANT_MIN = 0.07;
const LIMIT_DEFAULT = 10;
const PROCEDURES_DEFAULT = 5;

const OUTCOMES = {
  success: TaskOutcome.TASK_OUTCOME_SUCCESS,
  failure: TaskOutcome.TASK_OUTCOME_FAILURE,
  partial: TaskOutcome.TASK_OUTCOME_PARTIAL,
} as const;

const HANDLERS: Readonly<Record<string, Handler>> = {
  async remember(mneme, { memories, ...single }, options) {
    if ((memories === undefined) === (single.text === undefined)) {
      throw badInput('arguments.text', 'expected a text, or memories for several at once, and not both');
    }
    const receipts = memories
      ? await mneme.batchStore(memories.map(memoryOf), options)
      : [await mneme.store(memoryOf(single), options)];
    return { memories: receipts.map(({ id, version }) => ({ id, version })) };
  },

  async recall(
    mneme,
    { text, filter_text: filter, limit = LIMIT_DEFAULT, min_relevance: least, as_of: asOf },
    options,
  ) {
    if (text === undefined && filter === undefined)
      throw badInput('arguments.text', 'expected a text, or a filter_text');
    const minRelevance = least ?? (text === undefined ? undefined : RELEVANT_MIN);
    const memories = await found(
      mneme,
      {
        limit,
        ...(text !== undefined && { text }),
        ...(filter !== undefined && { filter }),
        ...(minRelevance !== undefined && { minRelevance }),
        ...(asOf !== undefined && { asOf: timeOf('as_of', asOf) }),
      },
      options,
    );
    return { memories, nothing_relevant: memories.length === 0 };
  },

  async forget(mneme, { ids, filter_text: filterText, dry_run: dryRun = true }, options) {
    if ((ids === undefined) === (filterText === undefined)) {
      throw badInput('arguments.ids', 'expected ids or a filter_text, and not both');
    }
    const filter = ids ? `id IN (${ids.map((id) => JSON.stringify(id)).join(', ')})` : (filterText ?? '');
    const forgotten = await mneme.forget({ filter, dryRun }, options);
    return { dry_run: dryRun, forgotten_count: forgotten.forgottenCount, ids: forgotten.ids };
  },

  async search_procedures(mneme, { situation = '', limit = PROCEDURES_DEFAULT }, options) {
    const query = { text: situation, limit, filter: 'type = "procedure"', minRelevance: RELEVANT_MIN };
    const procedures = await found(mneme, query, options);
    return { procedures: procedures.map(({ id, text, relevance }) => ({ id, text, relevance })) };
  },

  async record_outcome(mneme, { procedure_id: id = '', outcome = 'partial', note = '' }, options) {
    const request = { name: memoryName(mneme.namespace, id), outcome: OUTCOMES[outcome], note };
    const { procedure } = await mneme.raw(KnowledgeServiceService.recordOutcome, request, options);
    if (!procedure) throw incompleteAnswer('procedure');
    const { successRate, successCount, failureCount, partialCount } = procedure;
    return {
      id,
      success_rate: successRate,
      success_count: successCount,
      failure_count: failureCount,
      partial_count: partialCount,
    };
  },

  async get_memory_stats(mneme, _, options) {
    const statistics = await unlessMissing(() => mneme.namespaces.getStatistics(undefined, options));
    const { memoryCount = 0, contentBytes = 0, types = [], tiers = [] } = statistics ?? {};
    return {
      memory_count: memoryCount,
      content_bytes: contentBytes,
      types: types.map(({ type, memoryCount: count }) => ({ type, memory_count: count })),
      tiers: tiers.map(({ tier, memoryCount: count }) => ({ tier, memory_count: count })),
    };
  },
};

async function found(mneme: ToolCalls, query: RecallQuery, options: CallOptions) {
  const answer = await unlessMissing(() => mneme.recall(query, options));
  return (answer?.hits ?? []).map(({ memory, relevance, passage }) => ({
    ...memoryAnswer(memory),
    ...(passage && { text: passage.text.trim() }),
    relevance,
  }));
}

function memoryAnswer({ id, text, type, tags, importance, source, scope, eventTime, version }: Memory) {
  return {
    id,
    text,
    type,
    tags,
    importance,
    ...(source.speaker && { speaker: source.speaker }),
    ...(scope.session && { session: scope.session }),
    event_time: eventTime.toISOString(),
    version,
  };
}

function memoryOf(args: Arguments): NewMemory {
  const given = args as Arguments & {
    readonly type?: string;
    readonly tags?: readonly string[];
    readonly importance?: number;
    readonly speaker?: string;
    readonly session?: string;
  } & Readonly<Record<'event_time' | 'valid_from' | 'valid_until' | 'expire_time', string | undefined>>;
  const { text, type, tags, importance, speaker, session, event_time, valid_from, valid_until, expire_time } = given;
  return {
    ...(text !== undefined && { text }),
    ...(type !== undefined && { type }),
    ...(tags !== undefined && { tags }),
    ...(importance !== undefined && { importance }),
    ...(speaker !== undefined && { source: { speaker } }),
    ...(session !== undefined && { scope: { session } }),
    ...(event_time !== undefined && { eventTime: timeOf('event_time', event_time) }),
    ...(valid_from !== undefined && { validFrom: timeOf('valid_from', valid_from) }),
    ...(valid_until !== undefined && { validUntil: timeOf('valid_until', valid_until) }),
    ...(expire_time !== undefined && { expireTime: timeOf('expire_time', expire_time) }),
  };
}

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

function timeOf(name: string, text: string): Date {
  const time = new Date(text);
  if (TIME.test(text) && !Number.isNaN(time.getTime())) return time;
  throw badInput(`arguments.${name}`, 'expected a time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21');
}

/** The first memory creates a namespace: before that it is empty. */
async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND') return undefined;
    throw error;
  }
}
