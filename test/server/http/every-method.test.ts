import { Client, status as Code, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Status } from '../../../gen/ts/google/rpc/status.ts';
import { loadDescriptors } from '../../../src/server/grpc/edge/load-descriptors.ts';
import { Identities } from '../grpc/support/identities.ts';
import { framed } from '../grpc/support/raw-call.ts';
import { startTestServer, type TestServer } from '../grpc/support/test-server.ts';
import { envelopesIn, send, trailersIn } from './support/http-call.ts';

let mneme: TestServer;
let identities: Identities;
let client: Client;
beforeAll(async () => {
  identities = new Identities({ nobody: [] });
  mneme = await startTestServer(identities.flags);
  client = new Client(mneme.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await mneme.stop();
  identities.remove();
});

const { registry } = await loadDescriptors();
const methods = [...registry]
  .flatMap((type) => (type.kind === 'service' && type.typeName.startsWith('mneme.') ? type.methods : []))
  .map(({ parent, name, methodKind }) => ({ path: `/${parent.typeName}/${name}`, methodKind }));
const raw = (bytes: Buffer) => bytes;
const NO_BYTES = Buffer.alloc(0);

interface Outcome {
  readonly code: string;
  readonly message: string;
  /** Types and values, but of the name of the call. */
  readonly details: readonly string[];
}

function outcomeOf(code: number, message: string, details: Uint8Array | undefined): Outcome {
  const all = details ? Status.decode(details).details : [];
  return {
    code: (Code[code] ?? '').toLowerCase(),
    message,
    details: all
      .filter(({ typeUrl }) => !typeUrl.endsWith('RequestInfo'))
      .map(
        ({ typeUrl, value }) => `${typeUrl.split('/')[1]} ${Buffer.from(value).toString('base64').replace(/=+$/, '')}`,
      ),
  };
}

function overGrpc(path: string, isStream: boolean, metadata: Metadata): Promise<Outcome> {
  return new Promise((resolve) => {
    const end = (error: ServiceError | null) => {
      const [details] = error?.metadata.get('grpc-status-details-bin') ?? [];
      resolve(outcomeOf(error?.code ?? 0, error?.details ?? '', Buffer.isBuffer(details) ? details : undefined));
    };
    if (!isStream) client.makeUnaryRequest(path, raw, raw, NO_BYTES, metadata, {}, end);
    else {
      const stream = client.makeServerStreamRequest(path, raw, raw, NO_BYTES, metadata);
      stream
        .on('data', () => undefined)
        .on('end', () => end(null))
        .on('error', end);
    }
  });
}

interface ConnectError {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

function outcomeOfConnect({ code, message, details = [] }: ConnectError): Outcome {
  const others = details.filter(({ type }) => !type.endsWith('RequestInfo'));
  return { code, message, details: others.map(({ type, value }) => `${type} ${value}`) };
}

async function overConnect(path: string, isStream: boolean, encoding: string, headers: Record<string, string>) {
  const type = isStream ? `application/connect+${encoding}` : `application/${encoding}`;
  const message = encoding === 'json' ? Buffer.from('{}') : NO_BYTES;
  const body = isStream ? framed(message) : message;
  const answer = await send(mneme.address, path, body, { headers: { ...headers, 'content-type': type } });
  if (!isStream && answer.status === 200) return outcomeOf(Code.OK, '', undefined);
  const text = isStream ? envelopesIn(answer.body).at(-1)?.data : answer.body;
  const json = JSON.parse(String(text)) as ConnectError & { readonly error?: ConnectError };
  return isStream && !json.error ? outcomeOf(Code.OK, '', undefined) : outcomeOfConnect(json.error ?? json);
}

async function overGrpcWeb(path: string, headers: Record<string, string>) {
  const type = 'application/grpc-web+proto';
  const answer = await send(mneme.address, path, framed(NO_BYTES), { headers: { ...headers, 'content-type': type } });
  const last = envelopesIn(answer.body).at(-1);
  if (!last) throw new Error('the answer has no trailers');
  const trailers = trailersIn(last);
  const details = trailers['grpc-status-details-bin'];
  const message = decodeURI(trailers['grpc-message'] ?? '');
  return outcomeOf(Number(trailers['grpc-status']), message, details ? Buffer.from(details, 'base64') : undefined);
}

/** Every caller may use them, so that they succeed. */
const OPEN = new Set(['/mneme.v1.NamespaceService/ListNamespaces', '/mneme.v1.AdminService/GetServerInfo']);

describe('every method', () => {
  it.each([
    ['without credentials', 'unauthenticated', 'CREDENTIALS_INVALID', () => undefined],
    ['of an identity without grants', 'permission_denied', 'nobody', () => identities.keyOf('nobody')],
  ])('%s › fails over Connect and gRPC-Web as over gRPC', async (_, code, word, keyOf) => {
    const key = keyOf();
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const served = methods.filter(({ methodKind, path }) => methodKind !== 'bidi_streaming' && !OPEN.has(path));
    expect(served.length).toBeGreaterThan(80);
    let counted = 0;
    for (const { path, methodKind } of served) {
      const isStream = methodKind === 'server_streaming';
      const grpc = await overGrpc(path, isStream, metadata);
      if (grpc.code === code) {
        counted++;
        const [, value = ''] = grpc.details[0]?.split(' ') ?? [];
        expect(Buffer.from(value, 'base64').toString('latin1')).toContain(word);
      }
      expect([path, await overConnect(path, isStream, 'proto', headers)]).toEqual([path, grpc]);
      expect([path, await overConnect(path, isStream, 'json', headers)]).toEqual([path, grpc]);
      expect([path, await overGrpcWeb(path, headers)]).toEqual([path, grpc]);
    }
    // Others name no namespace, which is found first.
    expect(counted).toBeGreaterThan(40);
  });

  it('with a stream of requests › is refused in words that name gRPC', async () => {
    const bidi = methods.filter(({ methodKind }) => methodKind === 'bidi_streaming');
    expect(bidi.length).toBeGreaterThan(3);
    for (const { path } of bidi) {
      for (const type of ['application/json', 'application/connect+proto']) {
        const { status, body } = await send(mneme.address, path, '', { headers: { 'content-type': type } });
        expect([path, status, String(body)]).toEqual([path, 505, expect.stringContaining('is called by gRPC')]);
      }
      expect(await overGrpcWeb(path, {})).toMatchObject({
        code: 'unimplemented',
        message: expect.stringContaining('gRPC'),
      });
    }
  });
});
