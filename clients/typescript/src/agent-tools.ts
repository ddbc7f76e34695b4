import definitions from '../../agent-tools.json' with { type: 'json' };
import { badInput } from './bad-input.ts';
import type { MnemeError } from './errors.ts';
import { recordOutcome, reflect, searchProcedures } from './experience-tools.ts';
import type { NewMemory } from './memory.ts';
import type { CallOptions } from './options.ts';
import type { TaskOutcome } from './procedure-types.ts';
import { foundMemories, futureOf, type ToolCalls, type ToolResult, timeOf, unlessMissing } from './tool-answers.ts';
import { type ArgumentAliases, checkArguments, type JsonSchema, readArguments } from './tool-arguments.ts';

export type { ToolCalls, ToolResult } from './tool-answers.ts';

/** A tool for the function calling of a model. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** True when a call changes nothing. */
  readonly readOnly: boolean;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema;
  /**
   * Result as JSON. `args`: an object, or its JSON text, as models send it; null is not set. `InvalidArgumentError` names
   * what is wrong with the arguments, for the model to correct.
   */
  run(args: unknown, options?: CallOptions): Promise<ToolResult>;
}

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
  const { input_schema: schema, aliases } = definitionOf(name);
  const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined;
  if (!handler) throw unknownTool(name);
  const read = readArguments(schema, args, aliases);
  checkArguments(schema, read);
  return handler(mneme, read as Arguments, options);
}

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly read_only: boolean;
  readonly input_schema: JsonSchema;
  readonly aliases?: ArgumentAliases;
}

function definitionOf(name: string): Definition {
  const found = (definitions as unknown as readonly Definition[]).find((one) => one.name === name);
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
  readonly outcome?: TaskOutcome;
  readonly note?: string;
  readonly task?: string;
  readonly since?: string;
  readonly until?: string;
};

type Handler = (mneme: ToolCalls, args: Arguments, options: CallOptions) => Promise<ToolResult>;

const LIMIT_DEFAULT = 10;

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
    const memories = await foundMemories(
      mneme,
      {
        limit,
        ...(text !== undefined && { text }),
        ...(filter !== undefined && { filter }),
        ...(least !== undefined && { minRelevance: least }),
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

  search_procedures: (mneme, { situation = '', limit }, options) =>
    searchProcedures(mneme, { situation, ...(limit !== undefined && { limit }) }, options),

  record_outcome: (mneme, { procedure_id: id = '', outcome = 'partial', note = '' }, options) =>
    recordOutcome(mneme, { id, outcome, note }, options),

  reflect: (mneme, args, options) => reflect(mneme, args, options),

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

function memoryOf(args: Arguments): NewMemory {
  const provided = args as Arguments & {
    readonly type?: string;
    readonly tags?: readonly string[];
    readonly importance?: number;
    readonly speaker?: string;
    readonly session?: string;
  } & Readonly<Record<'event_time' | 'valid_from' | 'valid_until' | 'expire_time', string | undefined>>;
  const { text, type, tags, importance, speaker, session, event_time, valid_from, valid_until, expire_time } = provided;
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
    ...(expire_time !== undefined && { expireTime: futureOf('expire_time', expire_time) }),
  };
}
