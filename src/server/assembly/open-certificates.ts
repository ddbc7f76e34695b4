import type { Clock } from '../../memory/clock.ts';
import { type Access, certificateEndMs, ownCertificateEndMs, readTls } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import type { TlsFiles } from '../http/listener.ts';
import { certificateJob } from '../jobs/certificate-job.ts';
import type { Logger } from '../logger.ts';

/** The end of the first certificate of a file to expire. */
export interface CertificateEnd {
  readonly use: 'server' | 'client_ca' | 'metrics';
  readonly atMs: number;
}

export interface Certificates {
  /** Of the certificates in use; none without TLS. */
  ends(): readonly CertificateEnd[];
  /** Called with the certificates that replace those in use. */
  onReplaced(listener: (files: TlsFiles) => void): void;
}

/** The certificates of the server. Their files are followed until the server closes. */
export function openCertificates(
  config: Config,
  { tls }: Access,
  logger: Logger,
  clock: Clock,
  closers: (() => Promise<void>)[],
): Certificates {
  if (!tls) return { ends: () => [], onReplaced: () => undefined };
  const listeners: ((files: TlsFiles) => void)[] = [];
  let ends = endsOf(tls);
  const read = (): TlsFiles => {
    const files = readTls(config);
    if (!files) throw new Error('--tls-cert: is not set any more');
    checkEnd('--tls-cert', files, clock);
    return files;
  };
  const replace = (files: TlsFiles): void => {
    ends = endsOf(files);
    for (const listener of listeners) listener(files);
  };
  const job = certificateJob({ current: tls, read, replace }, config.tlsIntervalMs, logger.child({ part: 'access' }));
  job.start(config.tlsIntervalMs);
  closers.push(() => job.stop());
  return { ends: () => ends, onReplaced: (listener) => void listeners.push(listener) };
}

function endsOf({ cert, clientCa }: TlsFiles): CertificateEnd[] {
  const server: CertificateEnd = { use: 'server', atMs: certificateEndMs(cert) };
  return clientCa ? [server, { use: 'client_ca', atMs: certificateEndMs(clientCa) }] : [server];
}

/** One of several authorities may have expired, and one of the chain that clients do not need; the server's own may not. */
export function checkEnd(setting: string, { cert }: { readonly cert: Buffer }, clock: Clock): void {
  const atMs = ownCertificateEndMs(cert);
  if (atMs <= clock.nowUs() / 1000) throw new Error(`${setting}: has expired at ${new Date(atMs).toISOString()}`);
}
