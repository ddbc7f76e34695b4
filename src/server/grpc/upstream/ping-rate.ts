/** Pings that come too early before the connection is closed, as in the other implementations of gRPC. */
const EARLY_PINGS_MAX = 2;
/** The answer to a ping is smaller, with TLS too; with an answer to a call it is larger. */
const CONTROL_BYTES = 44;

/**
 * Counts the pings of a peer that come earlier after the last one than is allowed. Where messages were sent between them the peer
 * measures its window, as clients of gRPC do: such pings begin the count anew.
 */
export class PingRate {
  private readonly minMs: number;
  private lastAtMs = Number.NEGATIVE_INFINITY;
  private lastBytes = 0;
  private earlyCount = 0;

  constructor(minMs: number) {
    this.minMs = minMs;
  }

  /** To be called with each ping; `sentBytes`: bytes sent on the connection so far. */
  isTooHigh(nowMs: number, sentBytes: number): boolean {
    const isEarly = nowMs - this.lastAtMs < this.minMs;
    const hasSent = sentBytes - this.lastBytes > CONTROL_BYTES;
    this.lastAtMs = nowMs;
    this.lastBytes = sentBytes;
    if (hasSent) this.earlyCount = 0;
    else if (isEarly) this.earlyCount++;
    return this.earlyCount > EARLY_PINGS_MAX;
  }
}
