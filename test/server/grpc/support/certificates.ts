import { execFileSync } from 'node:child_process';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'];

/** Makes certificates in a folder: `name.pem` and `name.key`, valid for two days unless said otherwise. */
export function certificatesIn(folder: string) {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  return {
    authority(name: string): void {
      openssl('req', '-x509', ...NEW_KEY, `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}`);
    },
    /** A certificate for 127.0.0.1 that an authority has signed. */
    signed(authority: string, name: string, days = '2'): void {
      const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
      openssl('req', ...NEW_KEY, `${name}.key`, '-out', `${name}.csr`, ...subject);
      const sign = [
        '-CA',
        `${authority}.pem`,
        '-CAkey',
        `${authority}.key`,
        '-CAcreateserial',
        '-copy_extensions',
        'copy',
      ];
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', days, ...sign);
    },
  };
}
