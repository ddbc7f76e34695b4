import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetMemoryRequest, MemoryServiceService, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { certificatesIn } from '../../server/grpc/support/certificates.ts';
import type { Bench } from '../bench.ts';
import { type Corpus, idOf, memoryOf, PARENT } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { sentencesRead } from '../data/texts-read.ts';
import type { ClientTls } from '../load/client-tls.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { type EchoAnswers, type ServerCertificate, startEcho } from '../servers/echo.ts';
import { startMneme } from '../servers/mneme.ts';
import { recallRequests } from './recall-messages.ts';

/** Servers that differ in their connections alone, and echoes of the first one. */
export interface TlsServers {
  readonly plain: ServerProcess;
  readonly tls: ServerProcess;
  /** Asks for the certificate of the client. */
  readonly mutual: ServerProcess;
  readonly echo: ServerProcess;
  readonly echoTls: ServerProcess;
}

/** Each Mneme with the first `count` memories of the corpus, which it has read. */
export async function startTlsServers(
  bench: Bench,
  folder: string,
  corpus: Corpus,
  count: number,
): Promise<TlsServers> {
  const { server, ca, once, mutual } = makeCertificates(folder);
  const flags = ['--tls-cert', server.cert, '--tls-key', server.key];
  const start = async (name: string, own: readonly string[], tls?: ClientTls): Promise<ServerProcess> => {
    bench.say(`storing and reading ${count} memories: ${name}`);
    const started = { ...(await startMneme({ folder: join(folder, name), flags: own })), ...(tls && { tls }) };
    const caller = new Caller(started.address, tls);
    await populate(caller, corpus, count, true);
    await sentencesRead(caller, corpus.questions[0] ?? '');
    caller.close();
    return started;
  };
  const plain = await start('plain', []);
  const answers = await recordedAnswers(plain, corpus);
  return {
    plain,
    tls: await start('tls', flags, once),
    mutual: await start('mutual', [...flags, '--tls-client-ca', ca], mutual),
    echo: await startEcho(folder, answers),
    echoTls: { ...(await startEcho(folder, answers, server)), tls: once },
  };
}

interface Certificates {
  readonly server: ServerCertificate;
  /** PEM file of the authority. */
  readonly ca: string;
  readonly once: ClientTls;
  readonly mutual: ClientTls;
}

function makeCertificates(parent: string): Certificates {
  const folder = join(parent, 'certificates');
  mkdirSync(folder);
  const { authority, signed } = certificatesIn(folder);
  authority('ca');
  for (const name of ['server', 'client']) signed('ca', name);
  const file = (name: string): string => join(folder, name);
  const ca = readFileSync(file('ca.pem'));
  return {
    server: { cert: file('server.pem'), key: file('server.key') },
    ca: file('ca.pem'),
    once: { ca },
    mutual: { ca, own: { cert: readFileSync(file('client.pem')), key: readFileSync(file('client.key')) } },
  };
}

async function recordedAnswers({ address }: ServerProcess, corpus: Corpus): Promise<EchoAnswers> {
  const caller = new Caller(address);
  const [recall] = recallRequests(corpus, 'vector');
  if (!recall) throw new Error('no question');
  const memory = memoryOf(corpus, 0, false);
  const get = GetMemoryRequest.fromPartial({ name: `${PARENT}/memories/${idOf(1)}` });
  const store = StoreMemoryRequest.fromPartial({ parent: PARENT, memory, memoryId: 'for-the-echo' });
  const answers = {
    get: await caller.recorded(MemoryServiceService.getMemory, get),
    store: await caller.recorded(MemoryServiceService.storeMemory, store),
    recall: await caller.recorded(RecallServiceService.recall, recall),
  };
  caller.close();
  return answers;
}
