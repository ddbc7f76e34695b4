import { type AccessSettings, certificateEndMs, readTls } from '../server/config/access.ts';
import { type MetricsTlsSettings, readMetricsTls } from '../server/config/metrics-access.ts';
import { messageOf } from './failure.ts';
import type { Finding } from './finding.ts';

const CERTIFICATE_WARN_DAYS = 14;
const DAY_MS = 86_400_000;

/** Whether the certificates of the settings can be used, and for how long. */
export function checkCertificates(settings: AccessSettings & MetricsTlsSettings, nowMs = Date.now()): Finding[] {
  return [
    ...certificateFindings(() => serverFiles(settings), nowMs),
    ...certificateFindings(() => metricsFiles(settings), nowMs),
  ];
}

interface CertificateFile {
  readonly path: string;
  readonly pem: Buffer;
}

function serverFiles(settings: AccessSettings): CertificateFile[] {
  const tls = readTls(settings);
  if (!tls) return [];
  const server = { path: settings.tlsCert, pem: tls.cert };
  return tls.clientCa ? [server, { path: settings.tlsClientCa, pem: tls.clientCa }] : [server];
}

function metricsFiles(settings: MetricsTlsSettings): CertificateFile[] {
  const tls = readMetricsTls(settings);
  return tls ? [{ path: settings.metricsTlsCert, pem: tls.cert }] : [];
}

function certificateFindings(read: () => readonly CertificateFile[], nowMs: number): Finding[] {
  const name = 'certificate';
  try {
    return read().map(({ path, pem }) => {
      const endMs = certificateEndMs(pem);
      const days = Math.floor((endMs - nowMs) / DAY_MS);
      const status = endMs <= nowMs ? 'fail' : days < CERTIFICATE_WARN_DAYS ? 'warn' : 'ok';
      const end = new Date(endMs).toISOString().slice(0, 10);
      const message = endMs <= nowMs ? `${path} expired on ${end}` : `${path} is valid for ${days} days, to ${end}`;
      return { name, status, message, ...(status !== 'ok' && { fix: 'renew it; a running server takes it over' }) };
    });
  } catch (error) {
    return [{ name, status: 'fail', message: messageOf(error), fix: 'correct the file or the setting' }];
  }
}
