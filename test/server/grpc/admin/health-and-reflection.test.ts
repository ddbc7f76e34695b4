import { once } from 'node:events';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  HealthCheckRequest,
  type HealthCheckResponse,
  HealthListRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../../../gen/ts/grpc/health/v1/health.ts';
import {
  ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionService,
} from '../../../../gen/ts/grpc/reflection/v1/reflection.ts';
import { clientOf } from '../../../support/service-clients.ts';
import { ask, refusal } from '../support/ask.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

const check = (service: string) => ask(mneme.health, mneme.health.check, HealthCheckRequest.fromPartial({ service }));

describe('health', () => {
  it('when a service is known › SERVING', async () => {
    for (const service of ['', 'mneme.v1.MemoryService', 'mneme.v1.RecallService', 'mneme.v1.AdminService']) {
      expect(await check(service)).toEqual({ status: Serving.SERVING });
    }
  });

  it('when a service is unknown › NOT_FOUND for Check and SERVICE_UNKNOWN for Watch', async () => {
    expect(await refusal(check('other.v1.Other'))).toMatchObject({ code: 'NOT_FOUND' });
    const watch = mneme.health.watch(HealthCheckRequest.fromPartial({ service: 'other.v1.Other' }));
    const [answer] = (await once(
      watch.on('error', () => {}),
      'data',
    )) as [HealthCheckResponse];
    watch.cancel();

    expect(answer).toEqual({ status: Serving.SERVICE_UNKNOWN });
  });

  it('when all are listed › each has its status', async () => {
    const { statuses } = await ask(mneme.health, mneme.health.list, HealthListRequest.fromPartial({}));

    expect(statuses).toMatchObject({ '': { status: 1 }, 'mneme.v1.NamespaceService': { status: Serving.SERVING } });
  });
});

const ALPHA = '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo';
const AlphaClient = clientOf({
  serverReflectionInfo: { ...ServerReflectionService.serverReflectionInfo, path: ALPHA },
});

describe.each([
  ['v1', () => mneme.reflection],
  ['v1alpha', () => new AlphaClient(mneme.address, credentials.createInsecure())],
])('reflection %s', (_, open) => {
  type Query = NonNullable<Parameters<typeof ServerReflectionRequest.fromPartial>[0]['messageRequest']>;

  async function reflect(...queries: Query[]): Promise<ServerReflectionResponse['messageResponse'][]> {
    const client = open();
    const stream = client.serverReflectionInfo();
    const answers: ServerReflectionResponse['messageResponse'][] = [];
    stream.on('data', ({ messageResponse }: ServerReflectionResponse) => answers.push(messageResponse));
    const ended = once(stream, 'end');
    for (const messageRequest of queries) stream.write(ServerReflectionRequest.fromPartial({ messageRequest }));
    stream.end();
    await ended;
    if (client instanceof AlphaClient) client.close();
    return answers;
  }

  it('when services are listed › all of them are there', async () => {
    const [answer] = await reflect({ $case: 'listServices', value: '' });
    const names = answer?.$case === 'listServicesResponse' ? answer.value.service.map(({ name }) => name) : [];

    expect(names).toEqual(
      expect.arrayContaining([
        'mneme.v1.MemoryService',
        'mneme.v1.RecallService',
        'mneme.v1.NamespaceService',
        'mneme.v1.AdminService',
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
      ]),
    );
  });

  it('when a symbol or a file is requested › it comes with all its imports, each once', async () => {
    const answers = await reflect(
      { $case: 'fileContainingSymbol', value: 'mneme.v1.MemoryService.StoreMemory' },
      { $case: 'fileContainingSymbol', value: 'mneme.v1.Memory.text' },
      { $case: 'fileByFilename', value: 'mneme/v1/recall_service.proto' },
    );
    const names = answers.map((answer) =>
      answer?.$case === 'fileDescriptorResponse'
        ? answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
        : [],
    );

    expect(names.map(([first]) => first)).toEqual([
      'mneme/v1/memory_service.proto',
      'mneme/v1/memory.proto',
      'mneme/v1/recall_service.proto',
    ]);
    expect(names[0]).toEqual(expect.arrayContaining(['mneme/v1/memory.proto', 'google/protobuf/timestamp.proto']));
    for (const list of names) expect(new Set(list).size).toBe(list.length);
  });

  it('when an unknown or empty symbol is requested › an error for that request only', async () => {
    const [unknown, none, known] = await reflect(
      { $case: 'fileContainingSymbol', value: 'no.such.Thing' },
      { $case: 'fileByFilename', value: 'no/such.proto' },
      { $case: 'allExtensionNumbersOfType', value: 'mneme.v1.Memory' },
    );

    expect(unknown).toMatchObject({ $case: 'errorResponse', value: { errorCode: 5 } });
    expect(none).toMatchObject({ $case: 'errorResponse', value: { errorCode: 5 } });
    expect(known).toMatchObject({ $case: 'allExtensionNumbersResponse', value: { extensionNumber: [] } });
  });
});
