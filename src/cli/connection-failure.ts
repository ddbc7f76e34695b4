import { MnemeError } from '../../clients/typescript/src/index.ts';
import { CommandFailure, UNAVAILABLE } from './failure.ts';
import { type AddressAnswer, probeAddress } from './probe-address.ts';

interface Connection {
  readonly address: string;
  readonly isEncrypted: boolean;
}

/** What to say of a call that failed; where no server could be reached, in words and with what to do. */
export async function explained(error: unknown, connection: Connection): Promise<unknown> {
  const isUnreached =
    error instanceof MnemeError &&
    error.reason === undefined &&
    (error.code === 'UNAVAILABLE' || (error.code === 'DEADLINE_EXCEEDED' && error.message.startsWith('no connection')));
  if (!isUnreached) return error;
  const answer = await probeAddress(connection.address);
  const sentence = sentenceOf(answer, connection, error.message);
  if (sentence === undefined) return error;
  return new CommandFailure(sentence, { exitCode: UNAVAILABLE, code: error.code, cause: error });
}

function sentenceOf(answer: AddressAnswer, { address, isEncrypted }: Connection, why: string): string | undefined {
  switch (answer) {
    case 'refused':
      return `no server answers at ${address}: connection refused. Is it running? ${startOf(address)}, or name another server with --server.`;
    case 'unknown_host':
      return `the host of ${address} is not known. Correct --server or MNEME_SERVER.`;
    case 'unreachable':
      return `${address} cannot be reached. Correct --server or MNEME_SERVER, or look for a firewall in between.`;
    case 'grpc':
      if (!isEncrypted) return undefined;
      return `the server at ${address} does not use TLS. Leave out --tls and the flags that begin with --tls-.`;
    case 'tls':
      if (!isEncrypted)
        return `the server at ${address} uses TLS. Add --tls, or --tls-ca with the file of its authority.`;
      return certificateSentenceOf(address, why);
    case 'http':
      return `what answers at ${address} is an HTTP/1.1 server, not Mneme. Correct the port in --server.`;
    case 'other':
    case 'silent':
      return `something accepts connections at ${address} and does not answer as Mneme does. Correct --server, or restart that server.`;
  }
}

/** Both sides use TLS: what the handshake says is wrong. */
function certificateSentenceOf(address: string, why: string): string {
  const of = `the certificate of ${address}`;
  if (/altnames|does not match/i.test(why)) return `${of} is for another name. Give that name with --tls-server-name.`;
  if (/expired/i.test(why)) return `${of} has expired.`;
  if (/self.signed|issuer|verify|first certificate/i.test(why)) {
    return `${of} is not from a known authority. Give the file of its authority with --tls-ca.`;
  }
  return `the server at ${address} did not accept the TLS connection; perhaps it asks for a client certificate. Give one with --tls-cert and --tls-key.`;
}

function startOf(address: string): string {
  const isLocal = /^(127\.|localhost|\[::1\]|unix:)/.test(address);
  if (!isLocal) return 'Start it there with "mneme serve"';
  return `Start it with "mneme serve${/^127\.0\.0\.1(:50051)?$/.test(address) ? '' : ` --listen ${address}`}"`;
}
