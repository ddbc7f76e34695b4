import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Instant at which the first certificate of a PEM file expires; `Infinity` without a certificate. */
export function certificateEndMs(pem: Buffer): number {
  return Math.min(...endsOf(pem));
}

/** Instant at which the certificate itself expires, whatever follows it in its chain; `Infinity` without a certificate. */
export function ownCertificateEndMs(pem: Buffer): number {
  return endsOf(pem)[0] ?? Number.POSITIVE_INFINITY;
}

function endsOf(pem: Buffer): number[] {
  const certificates = pem.toString('latin1').match(CERTIFICATE) ?? [];
  return certificates.map((each) => Date.parse(new X509Certificate(each).validTo));
}
