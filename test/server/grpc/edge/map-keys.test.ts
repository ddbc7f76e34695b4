import { Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetConfigRequest, UpdateConfigRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { CreateNamespaceRequest, GetNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

interface Message<T> {
  fromPartial(object: object): T;
  encode(message: T): { finish(): Uint8Array };
}

/** Sends the message with each text `QQQQQQQQQ` in it as `__proto__`, as a client in any language may. */
function send<T>(method: string, codec: Message<T>, message: object): Promise<Buffer> {
  const bytes = Buffer.from(codec.encode(codec.fromPartial(message)).finish());
  const raw = Buffer.from(bytes.toString('latin1').replaceAll('QQQQQQQQQ', '__proto__'), 'latin1');
  const same = (each: Buffer) => each;
  return new Promise<Buffer>((resolve, reject) => {
    const options = { deadline: Date.now() + 60_000 };
    const done = (error: Error | null, answer: Buffer = Buffer.alloc(0)) => (error ? reject(error) : resolve(answer));
    mneme.admin.makeUnaryRequest(`/mneme.v1.${method}`, same, same, raw, new Metadata(), options, done);
  });
}

describe('an entry __proto__ among valid ones', () => {
  it('UpdateConfig › INVALID_ARGUMENT names it, and nothing is set', async () => {
    const settings = { QQQQQQQQQ: '1', 'short_term.ttl': '2h' };
    const refused = await refusal(send('AdminService/UpdateConfig', UpdateConfigRequest, { settings }));

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['settings[__proto__]'] });
    const answer = await ask(mneme.admin, mneme.admin.getConfig, GetConfigRequest.fromPartial({}));
    expect(answer.settings).toEqual({});
  });

  it('CreateNamespace › INVALID_ARGUMENT names it, and no namespace is made', async () => {
    const name = freshNamespace();
    const namespace = { name, settings: { QQQQQQQQQ: '', 'short_term.ttl': '2h' } };
    const refused = await refusal(send('NamespaceService/CreateNamespace', CreateNamespaceRequest, { namespace }));

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['namespace.settings[__proto__]'] });
    const { namespaces } = mneme;
    const read = ask(namespaces, namespaces.getNamespace, GetNamespaceRequest.fromPartial({ name }));
    expect(await refusal(read)).toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
  });
});
