import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { AgentInputItem, Model, ModelRequest, ModelResponse, StreamEvent } from '@openai/agents';
import { Usage } from '@openai/agents';
import { connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { MnemeSession, type MnemeSessionConfig } from '../../../clients/typescript/src/openai-agents/index.ts';
import { type RunningServer, startServer } from '../../../clients/typescript/src/testing.ts';

const BINARY = fileURLToPath(new URL('../../../bin/mneme', import.meta.url));

/** A server, with a client of a new namespace for each test. */
export class TestServer {
  readonly address: string;
  readonly #running: RunningServer;
  readonly #clients: Mneme[] = [];

  private constructor(running: RunningServer) {
    this.#running = running;
    this.address = running.address;
  }

  static async start(flags: readonly string[] = ['--embedder', 'none']): Promise<TestServer> {
    return new TestServer(await startServer({ binary: BINARY, flags }));
  }

  client(namespace = `n-${randomUUID()}`): Mneme {
    const client = connect(this.address, { namespace });
    this.#clients.push(client);
    return client;
  }

  session(config: MnemeSessionConfig = {}): MnemeSession {
    return new MnemeSession({ client: this.client(), sessionId: 's1', ...config });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.#running.stop();
  }
}

export function startKeptServer(data: string, address?: string): Promise<RunningServer> {
  const listen = address === undefined ? [] : ['--listen', address];
  return startServer({ binary: BINARY, data, flags: ['--embedder', 'none', ...listen] });
}

export type Turn = string | Error | { readonly tool: string; readonly input: object };

/** Answers from a script, turn by turn; the last turn is repeated. `seen` has the input of each call. */
export class ScriptedModel implements Model {
  readonly seen: (string | AgentInputItem[])[] = [];
  readonly #turns: Turn[];

  constructor(...turns: Turn[]) {
    this.#turns = turns;
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    this.seen.push(structuredClone(input));
    const turn = this.#turns.length > 1 ? this.#turns.shift() : this.#turns[0];
    const place = this.seen.length;
    if (turn instanceof Error) throw turn;
    const usage = new Usage();
    if (typeof turn === 'object') {
      const { tool: name, input: given } = turn;
      const call = { type: 'function_call', callId: `call${place}`, name, status: 'completed' } as const;
      return { usage, output: [{ ...call, arguments: JSON.stringify(given) }] };
    }
    const content = [{ type: 'output_text', text: turn ?? 'ok' } as const];
    return { usage, output: [{ type: 'message', id: `m${place}`, role: 'assistant', status: 'completed', content }] };
  }

  getStreamedResponse(): AsyncIterable<StreamEvent> {
    throw new Error('not scripted');
  }
}

/** Numbers from 0 to 1, the same for a seed. */
export function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
