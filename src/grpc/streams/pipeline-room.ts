export interface PipelineRoomLimits {
  readonly maxPipelineOperations: number;
  readonly maxPipelineBytesInFlight: number;
}

/** As many are carried out at once, however large the answers are: one that waits must not keep all others from beginning. */
const AT_ONCE_MIN = 16;
/** What an answer is taken to have before any was seen. A first one may be a page. */
const FIRST_ANSWER_BYTES = 1_048_576;
/** Of the largest answer seen, with each that is smaller. */
const FADE = 0.97;

/**
 * What a session has in hand: operations whose answers were not sent yet, the bytes of those that are carried out, and the bytes
 * of answers. What a running one will answer is taken to be as large as the largest of late.
 */
export class PipelineRoom {
  private readonly limits: PipelineRoomLimits;
  private count = 0;
  private running = 0;
  private bytes = 0;
  private largestBytes = FIRST_ANSWER_BYTES;
  private isClosed = false;
  private wake: (() => void) | undefined;

  constructor(limits: PipelineRoomLimits) {
    this.limits = limits;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Whether another one has to wait. Never while nothing is in hand. */
  get isFull(): boolean {
    const { maxPipelineOperations, maxPipelineBytesInFlight } = this.limits;
    if (this.count >= maxPipelineOperations || this.bytes >= maxPipelineBytesInFlight) return true;
    return this.running >= AT_ONCE_MIN && this.bytes + this.running * this.largestBytes >= maxPipelineBytesInFlight;
  }

  /** Resolves when another one can begin, or the session is closed. Only one may wait. */
  async free(): Promise<void> {
    while (this.isFull && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  begin(requestBytes: number): void {
    this.count += 1;
    this.running += 1;
    this.bytes += requestBytes;
  }

  answered(requestBytes: number, answerBytes: number): void {
    this.running -= 1;
    this.bytes += answerBytes - requestBytes;
    this.largestBytes = Math.max(answerBytes, this.largestBytes * FADE);
    this.wake?.();
  }

  sent(answers: readonly Buffer[]): void {
    this.count -= answers.length;
    for (const { length } of answers) this.bytes -= length;
    this.wake?.();
  }

  close(): void {
    this.isClosed = true;
    this.wake?.();
  }
}
