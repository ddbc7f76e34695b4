/**
 * The limit: grpc-js with the generated code of the same services, which decodes the request and answers with a
 * recorded message. First argument: address. Second: a file of answers, see `EchoAnswers`. Third and fourth, for TLS: PEM
 * files of a certificate and its key.
 */
import { readFileSync } from 'node:fs';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import {
  BatchStoreMemoriesResponse,
  GetMemoryResponse,
  ListMemoriesResponse,
  MemoryServiceService,
  StoreMemoryResponse,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallResponse, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import {
  SetValueResponse,
  GetValueResponse as WorkingGetResponse,
  WorkingMemoryServiceService,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { widenWindows } from '../../../src/server/grpc/upstream/http2-window.ts';
import type { EchoAnswers } from './echo.ts';

const WINDOW_BYTES = 4 * 1_048_576;
const [address = '', file = '', cert, key] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, 'utf8')) as EchoAnswers;

const answering =
  <A>(answer: A) =>
  (_: ServerUnaryCall<unknown, A>, callback: sendUnaryData<A>): void =>
    callback(null, answer);
const bytes = (method: keyof EchoAnswers): Buffer => Buffer.from(answers[method] ?? '', 'base64');

// As Mneme sets it: the limit must not appear lower by avoidable work.
const server = new Server({ 'grpc.enable_channelz': 0 });
server.addService(MemoryServiceService, {
  getMemory: answering(GetMemoryResponse.decode(bytes('get'))),
  listMemories: answering(ListMemoriesResponse.decode(bytes('list'))),
  storeMemory: answering(StoreMemoryResponse.decode(bytes('store'))),
  batchStoreMemories: answering(BatchStoreMemoriesResponse.decode(bytes('batchStore'))),
});
server.addService(RecallServiceService, {
  recall: answering(RecallResponse.decode(bytes('recall'))),
});
// Only the measured methods of this service: the others answer UNIMPLEMENTED.
server.addService(
  { get: WorkingMemoryServiceService.getValue, set: WorkingMemoryServiceService.setValue },
  {
    get: answering(WorkingGetResponse.decode(bytes('workingGet'))),
    set: answering(SetValueResponse.decode(bytes('workingSet'))),
  },
);
// The same window as Mneme's, so that grpc-js's 64 KB are no disadvantage.
const widen = widenWindows(server, WINDOW_BYTES);
const channel =
  cert && key
    ? ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(cert), private_key: readFileSync(key) }])
    : ServerCredentials.createInsecure();
server.bindAsync(address, channel, (error) => {
  if (error) throw error;
  widen(() => undefined);
});
process.on('SIGTERM', () => server.forceShutdown());
