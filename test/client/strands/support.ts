import {
  type AddMessagesContext,
  Agent,
  type AgentConfig,
  configureLogging,
  type JSONValue,
  type MemoryEntry,
  type MemoryStore,
  type Message,
  type MessageData,
  Model,
  type ModelStreamEvent,
  type SearchOptions,
} from '@strands-agents/sdk';
import { MemoryManager, type MnemeMemoryManagerConfig } from '../../../clients/typescript/src/strands/index.ts';

// Warnings of failures that tests cause.
const silent = () => {};
configureLogging({ debug: silent, info: silent, warn: silent, error: silent });

export type Turn = string | Error | { readonly tool: string; readonly input: JSONValue; readonly text?: string };

/** Answers turn by turn, with a text or the call of a tool; the last turn is repeated. */
export class ScriptedModel extends Model {
  /** Messages of each call. */
  readonly seen: MessageData[][] = [];
  readonly #turns: Turn[];

  constructor(turns: readonly Turn[]) {
    super();
    this.#turns = [...turns];
  }

  updateConfig(): void {}

  getConfig() {
    return {};
  }

  async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    this.seen.push(messages.map((message) => message.toJSON()));
    const turn = (this.#turns.length > 1 ? this.#turns.shift() : this.#turns[0]) ?? 'ok';
    if (turn instanceof Error) throw turn;
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    const text = typeof turn === 'string' ? turn : (turn.text ?? '');
    if (text !== '') {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    if (typeof turn !== 'string') {
      const start = { type: 'toolUseStart', name: turn.tool, toolUseId: `t${this.seen.length}` } as const;
      const input = JSON.stringify(turn.input);
      yield { type: 'modelContentBlockStartEvent', start };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    yield { type: 'modelMessageStopEvent', stopReason: typeof turn === 'string' ? 'endTurn' : 'toolUse' };
  }
}

type StoreFields = Partial<Pick<MemoryStore, 'description' | 'maxSearchResults' | 'writable' | 'extraction'>> & {
  readonly entries?: readonly (string | MemoryEntry)[];
  readonly fault?: Error;
};

/** A store that only searches: it finds the same entries whatever the query is, and remembers its calls. */
export class ReadOnlyStore implements MemoryStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: NonNullable<MemoryStore['extraction']>;
  readonly searched: [string, SearchOptions | undefined][] = [];
  readonly added: [string, Record<string, JSONValue> | undefined][] = [];
  readonly batches: [MessageData[], AddMessagesContext | undefined][] = [];
  /** What calls wait for. */
  gate: Promise<void> | undefined;
  readonly #entries: readonly MemoryEntry[];
  readonly #fault: Error | undefined;

  constructor(name = 'a', { entries = [], fault, writable = false, ...fields }: StoreFields = {}) {
    this.name = name;
    this.writable = writable;
    Object.assign(this, fields);
    this.#entries = entries.map((entry) => (typeof entry === 'string' ? { content: entry } : entry));
    this.#fault = fault;
  }

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    this.searched.push([query, options]);
    await this.meet();
    return [...this.#entries];
  }

  protected async meet(): Promise<void> {
    await this.gate;
    if (this.#fault) throw this.#fault;
  }
}

/** Takes single memories. */
export class AddStore extends ReadOnlyStore {
  constructor(name?: string, fields: StoreFields = {}) {
    super(name, { writable: true, ...fields });
  }

  async add(content: string, metadata?: Record<string, JSONValue>): Promise<void> {
    await this.meet();
    this.added.push([content, metadata]);
  }
}

/** Takes messages. */
export class MessageStore extends ReadOnlyStore {
  constructor(name?: string, fields: StoreFields = {}) {
    super(name, { writable: true, ...fields });
  }

  async addMessages(messages: MessageData[], context?: AddMessagesContext): Promise<void> {
    await this.meet();
    this.batches.push([messages, context]);
  }
}

/** Takes both. */
export class BothStore extends AddStore {
  async addMessages(messages: MessageData[], context?: AddMessagesContext): Promise<void> {
    await this.meet();
    this.batches.push([messages, context]);
  }
}

export function managerOf(
  stores: readonly MemoryStore[],
  options: Omit<MnemeMemoryManagerConfig, 'stores'> = {},
): MemoryManager {
  return new MemoryManager({ stores, ...options });
}

export function agentOf(
  memoryManager: NonNullable<AgentConfig['memoryManager']>,
  turns: readonly Turn[] = ['ok'],
  options: AgentConfig = {},
) {
  const model = new ScriptedModel(turns);
  return { agent: new Agent({ model, memoryManager, printer: false, ...options }), model };
}

/** Has the model call a tool; gives the status of its result, and its content as text. */
export async function callTool(manager: MemoryManager, tool: string, input: JSONValue) {
  const { agent } = agentOf(manager, [{ tool, input }, 'done']);
  await agent.invoke('go');
  const blocks = agent.messages.flatMap((message) => message.toJSON().content);
  const [result] = blocks.flatMap((block) => ('toolResult' in block ? [block.toolResult] : []));
  return { status: result?.status, text: JSON.stringify(result?.content) };
}

/** Texts of the batches that a store was given. */
export function textsOf(store: ReadOnlyStore): string[][] {
  return store.batches.map(([messages]) =>
    messages.flatMap(({ content }) => content.flatMap((block) => ('text' in block ? [block.text] : []))),
  );
}

/** Texts of the last message of a call of the model. */
export function lastTexts({ seen }: ScriptedModel, call = 0): string[] {
  const last = seen[call]?.at(-1)?.content ?? [];
  return last.flatMap((block) => ('text' in block ? [block.text] : []));
}
