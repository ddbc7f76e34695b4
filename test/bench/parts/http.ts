import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, toJson } from '@bufbuild/protobuf';
import { GetMemoryRequest, MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { loadDescriptors } from '../../../src/server/grpc/edge/load-descriptors.ts';
import type { Bench, Group } from '../bench.ts';
import { idOf, makeCorpus, PARENT } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import type { Measured } from '../load/load-client.ts';
import { atLeast } from '../report/row.ts';
import { overall } from '../rounds.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startHttpEcho } from '../servers/echo.ts';
import { startMneme } from '../servers/mneme.ts';
import { getMessages, type Messages } from './call-messages.ts';
import { recallMessages } from './recall-messages.ts';

const PART = 'http';
const MEMORIES = 1000;
const QUESTIONS = 100;
const IN_FLIGHT = [1, 32];
const ROUNDS = 9;
const ROUND_MS = 400;
const WARM_UP_MS = 1500;
const LEAST = 0.8;

/** Calls by the Connect protocol, beside the same calls over gRPC and a bare server of HTTP/1.1: all in turn. */
export const httpGroup: Group = {
  parts: [PART],
  async run(bench) {
    const folder = join(bench.folder, PART);
    mkdirSync(folder);
    const corpus = makeCorpus(MEMORIES, QUESTIONS);
    const mneme = await startMneme({ folder: join(folder, 'data') });
    const caller = new Caller(mneme.address);
    await populate(caller, corpus, MEMORIES, true);
    const name = `${PARENT}/memories/${idOf(1)}`;
    const answer = await caller.recorded(MemoryServiceService.getMemory, GetMemoryRequest.fromPartial({ name }));
    const echo = await startHttpEcho(Buffer.from(answer, 'base64'));
    await measure(bench, mneme, echo, 'Get', getMessages(MEMORIES));
    await measure(bench, mneme, echo, `Recall by vector of ${MEMORIES}`, recallMessages(corpus, 'vector'));
    caller.close();
    await echo.stop();
    await mneme.stop();
    rmSync(folder, { recursive: true });
  },
};

const KINDS = ['http-proto', 'raw', 'http-json', 'echo'] as const;
type Kind = (typeof KINDS)[number];

async function measure(
  bench: Bench,
  mneme: ServerProcess,
  echo: ServerProcess,
  what: string,
  binary: Messages,
): Promise<void> {
  const json = await inJson(binary);
  for (const inFlight of IN_FLIGHT) {
    const run = (kind: Kind, durationMs: number): Promise<Measured> => {
      const messages = kind === 'http-json' ? json : binary;
      const client = kind === 'echo' ? 'http-proto' : kind;
      return bench.client.run(kind === 'echo' ? echo : mneme, { ...messages, client, inFlight, durationMs });
    };
    for (const kind of KINDS) await run(kind, WARM_UP_MS);
    const rounds: Record<Kind, Measured[]> = { 'http-proto': [], raw: [], 'http-json': [], echo: [] };
    for (let round = 0; round < ROUNDS; round++) for (const kind of KINDS) rounds[kind].push(await run(kind, ROUND_MS));
    const [subject, limit] = [overall(rounds['http-proto']), overall(rounds.raw)];
    const ratio = subject.perSecond / limit.perSecond;
    bench.add({
      part: PART,
      what: `${what} over Connect in binary, ${inFlight} in flight`,
      subject,
      limit,
      limitName: 'gRPC',
      beside: new Map([
        ['Connect in JSON', overall(rounds['http-json'])],
        ['bare HTTP echo', overall(rounds.echo)],
      ]),
      ratio,
      ...(inFlight > 1 && { wanted: atLeast(ratio, LEAST) }),
    });
  }
}

/** The same requests in JSON. */
async function inJson({ path, messages }: Messages): Promise<Messages> {
  const descriptors = await loadDescriptors();
  const type = descriptors.requestOf(path.slice(1));
  if (!type) throw new Error(`there is no method ${path}`);
  const texts = messages.map((message) => JSON.stringify(toJson(type, fromBinary(type, message))));
  return { path, messages: texts.map((text) => Buffer.from(text)) };
}
