import { once } from 'node:events';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type {
  PipelineOperation,
  PipelineRequest,
  PipelineResponse,
  PipelineResult,
  PipelineServiceClient,
} from '../../../gen/ts/mneme/v1/pipeline_service.ts';

/** The end of a stream: `undefined` when it ended with OK. */
type End = Error | undefined;

/** A session that a test speaks in. */
export class TestPipeline {
  readonly stream: ClientDuplexStream<PipelineRequest, PipelineResponse>;
  /** Results in the order of arrival. */
  readonly results: PipelineResult[] = [];
  readonly ended: Promise<End>;
  heartbeats = 0;
  private readonly waiting = new Map<number, (result: PipelineResult) => void>();
  private lastId = 0;

  constructor(pipelines: PipelineServiceClient) {
    this.stream = pipelines.pipeline();
    this.stream.on('data', ({ results }: PipelineResponse) => {
      if (results.length === 0) this.heartbeats++;
      for (const result of results) {
        this.results.push(result);
        this.waiting.get(result.correlationId)?.(result);
      }
    });
    this.ended = new Promise((resolve) => {
      this.stream.on('error', resolve).on('end', () => resolve(undefined));
    });
  }

  /** Sends one operation and waits for its answer. */
  async ask(
    operation: NonNullable<PipelineOperation['operation']>,
    options: { correlationId?: number; timeout?: PipelineOperation['timeout'] } = {},
  ): Promise<NonNullable<PipelineResult['result']>> {
    const correlationId = options.correlationId ?? ++this.lastId;
    const answered = new Promise<PipelineResult>((resolve) => this.waiting.set(correlationId, resolve));
    this.stream.write({ operations: [{ correlationId, timeout: options.timeout, operation }] });
    const { result } = await answered;
    if (!result) throw new Error('a result without an answer');
    return result;
  }

  /** Waits until `isThere` holds, checking at each arrival. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await once(this.stream, 'data');
  }
}
