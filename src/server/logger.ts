import { type Logger, pino } from 'pino';

import { activeSpan } from '../search/threads/span.ts';

export type { Logger } from 'pino';

/** Contents of memories and credentials never reach the log, at any depth. */
const SECRETS = ['authorization', 'text', 'content', 'data', 'embedding', 'vector', 'vectors', 'token', 'apiKey'];

export interface LogSettings {
  readonly logLevel: string;
  readonly logFormat: 'auto' | 'json' | 'text';
}

interface Sink {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** Writes to `sink`, by default standard error, so that standard output stays free for answers. */
export function createLogger({ logLevel, logFormat }: LogSettings, sink: Sink = process.stderr): Logger {
  const asText = logFormat === 'text' || (logFormat === 'auto' && sink.isTTY === true);
  return pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceFields,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    asText ? { write: (line: string) => void sink.write(asSentence(line)) } : sink,
  );
}

/** Names the trace and the span that the line belongs to. */
function traceFields(): object {
  const span = activeSpan();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** `09:41:07.123 WARN grpc: message key=value …`, followed by the stack of an error. */
function asSentence(line: string): string {
  const { level, time, msg = '', part, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const pairs = Object.entries(rest).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const where = typeof part === 'string' ? ` ${part}:` : '';
  const stack = isWithStack(err) ? `\n${err.stack}` : '';
  return `${String(time).slice(11, 23)} ${String(level).toUpperCase()}${where} ${msg}${pairs.join('')}${stack}\n`;
}

function isWithStack(err: unknown): err is { stack: string } {
  return typeof err === 'object' && err !== null && 'stack' in err;
}
