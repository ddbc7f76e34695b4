import { Client } from '@grpc/grpc-js';
import { type ClientTls, channelCredentials } from '../load/client-tls.ts';

/** The part of a generated method that a call needs. */
interface Method<Q, A> {
  readonly path: string;
  readonly requestSerialize: (request: Q) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => A;
}

const DEADLINE_MS = 30_000;

/** Calls that are not measured: setting up, asking for the state of a server. */
export class Caller {
  private readonly client: Client;

  constructor(address: string, tls?: ClientTls) {
    this.client = new Client(address, channelCredentials(tls), {
      'grpc.max_receive_message_length': -1,
      'grpc-node.flow_control_window': 4 * 1_048_576,
    });
  }

  ask<Q, A>({ path, requestSerialize, responseDeserialize }: Method<Q, A>, request: Q): Promise<A> {
    const options = { deadline: Date.now() + DEADLINE_MS };
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, answer) => {
        if (error) reject(error);
        else if (answer === undefined) reject(new Error(`${path} answered nothing`));
        else resolve(answer);
      });
    });
  }

  /** The answer as received, in base64, for the echo server to repeat. */
  async recorded<Q>(method: Method<Q, unknown>, request: Q): Promise<string> {
    const bytes = await this.ask({ ...method, responseDeserialize: (answer) => answer }, request);
    return bytes.toString('base64');
  }

  close(): void {
    this.client.close();
  }
}
