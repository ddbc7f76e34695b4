import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Instant at which the first certificate of a PEM file expires; `Infinity` without a certificate. */
export function certificateEndMs(pem: Buffer): number {
  const certificates = pem.toString('latin1').match(CERTIFICATE) ?? [];
  return Math.min(...certificates.map((each) => Date.parse(new X509Certificate(each).validTo)));
}
