import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { certificatesIn } from '../../server/grpc/support/certificates.ts';

const AUTHORITY = 'ca';
const NAMES = ['envoy', 'server', 'client'] as const;

/** Certificates by one authority for Envoy, the servers and the callers, in a folder that all of them read. */
export class MeshCertificates {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    certificatesIn(folder).authority(AUTHORITY);
    for (const name of NAMES) certificatesIn(folder).signed(AUTHORITY, name);
  }

  /** Flags of a server that takes its certificate from here and asks for those of its callers. */
  get serverFlags(): string[] {
    const path = (file: string) => join(this.folder, file);
    return ['--tls-cert', path('server.pem'), '--tls-key', path('server.key'), '--tls-client-ca', path('ca.pem')];
  }

  /** The authorities, and the certificate and key of a caller. */
  ofCaller(): [ca: Buffer, cert: Buffer, key: Buffer] {
    return [this.read('ca.pem'), this.read('client.pem'), this.read('client.key')];
  }

  /** Moves another certificate of each name to the place of the former one. */
  async rotate(): Promise<void> {
    for (const name of NAMES) {
      certificatesIn(this.folder).signed(AUTHORITY, `${name}-next`);
      for (const kind of ['key', 'pem']) {
        await rename(join(this.folder, `${name}-next.${kind}`), join(this.folder, `${name}.${kind}`));
      }
    }
  }

  /** Whether new connections to this address are shown the certificate that is in the folder now. */
  async isShownBy(address: string, name: 'envoy' | 'server'): Promise<boolean> {
    const wanted = new X509Certificate(this.read(`${name}.pem`)).serialNumber;
    return (await this.shownBy(address))?.serialNumber === wanted;
  }

  /** Undefined where no connection is made. */
  private async shownBy(address: string): Promise<PeerCertificate | undefined> {
    const [host = '', port = ''] = address.split(':');
    const [ca, cert, key] = this.ofCaller();
    const socket = connect({ host, port: Number(port), ALPNProtocols: ['h2'], servername: '', ca, cert, key });
    const shown = await new Promise<PeerCertificate | undefined>((resolve) => {
      socket.once('secureConnect', () => resolve(socket.getPeerCertificate()));
      socket.once('error', () => resolve(undefined));
    });
    socket.destroy();
    return shown;
  }

  private read(file: string): Buffer {
    return readFileSync(join(this.folder, file));
  }
}
