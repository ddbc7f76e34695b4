import { status } from '@grpc/grpc-js';
import {
  DeleteMemoryRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { ask } from '../../server/grpc/support/ask.ts';
import { store } from '../../server/grpc/support/memories.ts';
import type { TestRandom } from '../../support/random.ts';
import type { Replica } from '../replicas.ts';

/** One call about one memory, as the checker reads it. */
export interface Operation {
  readonly history: string;
  readonly client: number;
  readonly kind: 'read' | 'store' | 'update' | 'replace' | 'delete';
  readonly value: string;
  readonly expected: string;
  /** Instants of one clock for all clients. */
  readonly began: number;
  readonly ended: number;
  readonly outcome: 'done' | 'refused' | 'unknown';
  /** Name of the status of a refused call; empty for others. */
  readonly refusal: string;
  readonly read: string;
}

interface Known {
  readonly value: string;
  readonly version: bigint;
}

/** Less than a server may be frozen for: some calls end without an answer. */
const CALL_MS = 1000;
const CLIENTS = 4;
const OPERATIONS = 10;
/** The memory was not as the call requires. */
const REFUSALS = new Set([status.ALREADY_EXISTS, status.NOT_FOUND, status.ABORTED]);
/** After these it is not known whether a write takes effect. Servers that start and restarts of PostgreSQL lead to them. */
const NO_ANSWER = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/** The calls of some clients about one memory, each through any server; nothing is sent twice. */
export class History {
  readonly operations: Operation[] = [];
  /** Calls that failed as no call may. */
  readonly faults: string[] = [];
  private readonly name: string;
  private readonly parent: string;
  private readonly memory: string;
  private readonly random: TestRandom;
  private readonly pickServer: () => Replica;
  private readonly onCall: () => void;
  private now = 0;
  private clientCount = 0;
  private valueCount = 0;

  constructor(name: string, parent: string, random: TestRandom, pickServer: () => Replica, onCall: () => void) {
    this.name = name;
    this.parent = parent;
    this.memory = `${parent}/memories/${name}`;
    this.random = random;
    this.pickServer = pickServer;
    this.onCall = onCall;
  }

  async make(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.work()));
  }

  private async work(): Promise<void> {
    let client = ++this.clientCount;
    let known: Known = { value: '', version: 0n };
    for (let count = 0; count < OPERATIONS; count++) {
      const kind = this.random.pick(['read', 'read', 'read', 'store', 'update', 'replace', 'delete'] as const);
      const value = kind === 'read' || kind === 'delete' ? '' : `${this.name}v${++this.valueCount}`;
      const expected = kind === 'replace' ? known.value : '';
      const began = ++this.now;
      const note = (outcome: Operation['outcome'], { read = '', refusal = '' } = {}) => {
        const ended = outcome === 'unknown' ? 0 : ++this.now;
        const call = { history: this.name, client, kind, value, expected, began, ended };
        this.operations.push({ ...call, outcome, refusal, read });
      };
      try {
        known = await this.call(kind, value, known);
        note('done', { read: kind === 'read' ? known.value : '' });
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? Number(error.code) : status.UNKNOWN;
        if (kind === 'read' && code === status.NOT_FOUND) note('done');
        else if (kind !== 'read' && REFUSALS.has(code)) note('refused', { refusal: status[code] });
        else if (!NO_ANSWER.has(code)) this.faults.push(`${this.name}: ${kind}: ${String(error)}`);
        else if (kind !== 'read') {
          note('unknown');
          // A client has one call at a time; that one may not have ended.
          client = ++this.clientCount;
        }
      }
      this.onCall();
    }
  }

  /** Returns what the memory is by the answer. */
  private async call(kind: Operation['kind'], value: string, known: Known): Promise<Known> {
    const server = this.pickServer();
    if (kind === 'read') return this.random.chance(0.5) ? this.readByName(server) : this.readByList(server);
    const { memories } = server.clients;
    const options = { deadlineMs: CALL_MS };
    if (kind === 'store') {
      const { version } = await store(server.clients, this.parent, { text: value }, this.name, options);
      return { value, version };
    }
    if (kind === 'delete') {
      const request = DeleteMemoryRequest.fromPartial({ name: this.memory });
      await ask(memories, memories.deleteMemory, request, options);
      return { value: '', version: 0n };
    }
    const condition = kind === 'replace' ? { ifVersion: known.version } : {};
    const change = { memory: { name: this.memory, text: value }, updateMask: ['text'], ...condition };
    const request = UpdateMemoryRequest.fromPartial(change);
    const { memory } = await ask(memories, memories.updateMemory, request, options);
    return { value, version: memory?.version ?? 0n };
  }

  /** From PostgreSQL. */
  private async readByName({ clients: { memories } }: Replica): Promise<Known> {
    const request = GetMemoryRequest.fromPartial({ name: this.memory });
    const { memory } = await ask(memories, memories.getMemory, request, { deadlineMs: CALL_MS });
    return { value: memory?.text ?? '', version: memory?.version ?? 0n };
  }

  /** From the view of the server. */
  private async readByList({ clients: { memories } }: Replica): Promise<Known> {
    const request = ListMemoriesRequest.fromPartial({ parent: this.parent, filterText: `id = "${this.name}"` });
    const { memories: listed } = await ask(memories, memories.listMemories, request, { deadlineMs: CALL_MS });
    return { value: listed[0]?.text ?? '', version: listed[0]?.version ?? 0n };
  }
}
