import { Counter, Histogram, type Registry } from 'prom-client';

/** Latency and size buckets of gRFC A66. */
const SECONDS = [
  0.00001, 0.00005, 0.0001, 0.0003, 0.0006, 0.0008, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01, 0.013, 0.016,
  0.02, 0.025, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 2, 5, 10, 20, 50,
  100,
];
const BYTES = [0, 1024, 2048, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

/** Combinations of method and failed status with series of their own: each has as many series as buckets. */
const FAILING_MAX = 90;
const OK = 'OK';
/** The usual status of a stream, which its reader ends. */
const CANCELLED = 'CANCELLED';

export interface EndedCall {
  readonly isStream: boolean;
  readonly durationMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Metrics of calls by the names of gRFC A66. Their number is bounded, whatever callers make fail. */
export function callMetrics(registers: Registry[]) {
  const labelNames = ['grpc_method', 'grpc_status'] as const;
  const started = new Counter({
    name: 'grpc_server_call_started_total',
    help: 'Calls started.',
    labelNames: ['grpc_method'],
    registers,
  });
  const duration = new Histogram({
    name: 'grpc_server_call_duration_seconds',
    help: 'Time from the start of a call to its status; of more than 90 combinations of method and failure the rest is of the method _other.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  const sent = new Histogram({
    name: 'grpc_server_call_sent_total_compressed_message_size_bytes',
    help: 'Bytes of the messages sent in a call that succeeded.',
    labelNames,
    buckets: BYTES,
    registers,
  });
  const received = new Histogram({
    name: 'grpc_server_call_rcvd_total_compressed_message_size_bytes',
    help: 'Bytes of the messages received in a call that succeeded.',
    labelNames,
    buckets: BYTES,
    registers,
  });
  const failing = new Set<string>();
  /** Whether the combination has series of its own. */
  const isNamed = (method: string, status: string, isStream: boolean): boolean => {
    const key = `${method} ${status}`;
    if (status === OK || (isStream && status === CANCELLED) || failing.has(key)) return true;
    if (failing.size >= FAILING_MAX) return false;
    failing.add(key);
    return true;
  };
  return {
    /** `method` is `package.Service/Method`. */
    callStarted(method: string): void {
      started.inc({ grpc_method: method });
    },
    callEnded(method: string, status: string, { isStream, durationMs, sentBytes, receivedBytes }: EndedCall): void {
      const labels = { grpc_method: isNamed(method, status, isStream) ? method : '_other', grpc_status: status };
      duration.observe(labels, durationMs / 1000);
      if (status !== OK) return;
      sent.observe(labels, sentBytes);
      received.observe(labels, receivedBytes);
    },
  };
}
