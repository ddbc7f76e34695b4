import type { DescMessage } from '@bufbuild/protobuf';
import { Client, credentials, status } from '@grpc/grpc-js';
import { loadDescriptors } from '../../src/server/grpc/edge/load-descriptors.ts';
import { type Method, methodsOfApi } from '../server/grpc/support/named-requests.ts';
import { randomOf, type TestRandom } from '../support/random.ts';
import { errorsIn } from './errors-in-answers.ts';
import { FuzzedServer } from './fuzzed-server.ts';
import { type FuzzedCall, makeCall, type Outcome } from './make-call.ts';
import { MessageSource } from './message-source.ts';
import { mutated } from './mutations.ts';
import { validRequest } from './valid-requests.ts';
import { Vocabulary } from './vocabulary.ts';

export interface FuzzOptions {
  readonly messages: number;
  readonly seed: string;
  /** Only this round. */
  readonly round?: number;
  readonly onRound?: (round: Round) => void;
}

export interface Round {
  readonly number: number;
  readonly messages: number;
  /** Resident memory of the server. */
  readonly bytes: number;
}

export interface Finding {
  readonly round: number;
  readonly text: string;
  /** The call, to be made again. */
  readonly call?: FuzzedCall;
}

export interface FuzzResult {
  readonly messages: number;
  readonly calls: number;
  readonly methods: number;
  /** Methods of which no call was answered. */
  readonly unanswered: readonly string[];
  readonly rounds: readonly Round[];
  readonly findings: readonly Finding[];
  /** By status. */
  readonly codes: ReadonlyMap<string, number>;
}

/** Messages after which everything is deleted and memory is measured. */
const ROUND_MESSAGES = 5000;
/** Calls at one time. */
const LANES = 32;
/** Requests that begin with a valid one, where one is known. */
const VALID = 0.6;
/** Those of them that other fields are added to. */
const VARIED = 0.4;
const MUTATED = 0.25;
/** Answers that names are learned from. */
const LEARNED = 0.25;
const FINDINGS_MAX = 20;

/** Statuses that no message may have as its answer. */
const DEFECTS: ReadonlySet<status> = new Set([status.INTERNAL, status.UNKNOWN, status.DATA_LOSS]);

/** Sends generated messages to every method of a server in its own process. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const server = new FuzzedServer();
  try {
    await server.start();
    const methods = await methodsOfApi();
    return await new FuzzRun(server, options, methods, await outputsOf(methods)).run();
  } finally {
    await server.stop();
  }
}

interface Lane {
  readonly random: TestRandom;
  readonly vocabulary: Vocabulary;
  readonly source: MessageSource;
}

class FuzzRun {
  private readonly server: FuzzedServer;
  private readonly options: FuzzOptions;
  private readonly methods: readonly Method[];
  private readonly outputs: ReadonlyMap<string, DescMessage>;
  private readonly findings: Finding[] = [];
  private readonly codes = new Map<string, number>();
  private readonly called = new Set<string>();
  private readonly answered = new Set<string>();
  private messages = 0;
  private calls = 0;

  constructor(
    server: FuzzedServer,
    options: FuzzOptions,
    methods: readonly Method[],
    outputs: ReadonlyMap<string, DescMessage>,
  ) {
    this.outputs = outputs;
    this.server = server;
    this.options = options;
    this.methods = methods;
  }

  async run(): Promise<FuzzResult> {
    const { messages, round: only } = this.options;
    const rounds: Round[] = [];
    const numbers =
      only === undefined ? Array.from({ length: Math.ceil(messages / ROUND_MESSAGES) }, (_, at) => at) : [only];
    for (const number of numbers) {
      await this.round(number);
      const round = await this.measured(number);
      if (!round) break;
      rounds.push(round);
      this.options.onRound?.(round);
      if (this.findings.length >= FINDINGS_MAX) break;
    }
    await this.checkEnd(numbers.at(-1) ?? 0);
    const { findings, codes, calls } = this;
    const unanswered = [...this.called].filter((path) => !this.answered.has(path));
    return { messages: this.messages, calls, methods: this.called.size, unanswered, rounds, findings, codes };
  }

  private async round(number: number): Promise<void> {
    const client = new Client(this.server.address, credentials.createInsecure());
    const left = { messages: ROUND_MESSAGES };
    const lanes = Array.from({ length: LANES }, (_, lane) => this.lane(client, number, lane, left));
    await Promise.all(lanes);
    client.close();
  }

  /** Calls one after another. They depend on the seed, the round and the lane, and on answers to earlier ones of the lane. */
  private async lane(client: Client, round: number, lane: number, left: { messages: number }): Promise<void> {
    const random = randomOf(`fuzz ${round} ${lane}`, this.options.seed);
    const vocabulary = new Vocabulary();
    const parts = { random, vocabulary, source: new MessageSource(random, vocabulary) };
    while (left.messages > 0 && this.findings.length < FINDINGS_MAX && this.server.end === undefined) {
      const method = random.pick(this.methods);
      const call = callOf(method, parts);
      left.messages -= call.requests.length;
      this.messages += call.requests.length;
      this.calls++;
      this.called.add(method.path);
      const outcome = await makeCall(client, call);
      const output = this.outputs.get(method.path);
      this.note(round, call, outcome, output);
      const [answer] = outcome.answers;
      if (answer && output && random.chance(LEARNED)) vocabulary.learn(output, answer);
    }
  }

  private note(round: number, call: FuzzedCall, outcome: Outcome, output: DescMessage | undefined): void {
    const { code, message, answers } = outcome;
    const name = status[code];
    this.codes.set(name, (this.codes.get(name) ?? 0) + 1);
    const { path } = call.method;
    if (answers.length > 0) this.answered.add(path);
    if (DEFECTS.has(code)) this.findings.push({ round, text: `${path}: ${name}: ${message}`, call });
    if (!output) return;
    for (const error of answers.flatMap((answer) => errorsIn(output, answer))) {
      if (!DEFECTS.has(error.code)) continue;
      this.findings.push({ round, text: `${path}: ${status[error.code]}: ${error.message}`, call });
    }
  }

  /** What holds after each round; `undefined` when the server does not answer any more. */
  private async measured(number: number): Promise<Round | undefined> {
    const { server } = this;
    if (server.end !== undefined) {
      this.findings.push({ round: number, text: `the server has ended: ${server.end}` });
      return undefined;
    }
    try {
      await server.checkGuarded();
      await server.clear();
      return { number, messages: this.messages, bytes: await server.metric('process_resident_memory_bytes') };
    } catch (error) {
      this.findings.push({ round: number, text: `after the round: ${(error as Error).message}` });
      return undefined;
    }
  }

  private async checkEnd(round: number): Promise<void> {
    if (this.server.end !== undefined) return;
    try {
      const left = await this.server.callsLeft();
      if (left !== 0) {
        this.findings.push({ round, text: `${left} calls are still served after their callers have gone` });
      }
    } catch (error) {
      this.findings.push({ round, text: `at the end: ${(error as Error).message}` });
    }
    for (const line of this.server.defects().slice(0, FINDINGS_MAX))
      this.findings.push({ round, text: `log: ${line}` });
  }
}

/** Messages of one call: one, or some for a stream that takes many. */
function callOf(method: Method, { source, vocabulary, random }: Lane): FuzzedCall {
  const count = method.kind === 'bidi_streaming' ? 1 + random.int(6) : 1;
  const isValid = random.chance(VALID);
  const requests = Array.from({ length: count }, (_, at) => {
    const valid = isValid ? validRequest(method, at, random, vocabulary) : undefined;
    const bytes = valid ? varied(valid, method, source, random) : source.request(method.input, at === 0);
    return random.chance(MUTATED) ? mutated(bytes, random) : bytes;
  });
  return { method, requests, isCut: random.chance(0.1) };
}

/** A valid request as it is, or with other values in some fields: what comes later in a message counts. */
function varied(valid: Uint8Array, { input }: Method, source: MessageSource, random: TestRandom): Uint8Array {
  return random.chance(VARIED) ? Buffer.concat([valid, source.request(input, false)]) : valid;
}

/** Types of answers, by method. */
async function outputsOf(methods: readonly Method[]): Promise<ReadonlyMap<string, DescMessage>> {
  const index = await loadDescriptors();
  const outputs = new Map<string, DescMessage>();
  for (const { path } of methods) {
    const [service = '', name] = path.split('/');
    const found = index.serviceOf(service)?.methods.find((method) => method.name === name);
    if (found) outputs.set(path, found.output);
  }
  return outputs;
}
