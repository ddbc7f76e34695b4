/** Messages to be sent, and unacknowledged ones: the queue outlives the streams that send it. */
export class SendQueue<Message> {
  readonly unacknowledged: Message[] = [];
  readonly #source: AsyncIterator<Message, void>;
  #upcoming: IteratorResult<Message, void> | undefined;
  #reading: Promise<void> | undefined;

  constructor(source: AsyncIterator<Message, void>) {
    this.#source = source;
  }

  /** True when everything was sent and acknowledged. */
  get isDone(): boolean {
    return this.#upcoming?.done === true && this.unacknowledged.length === 0;
  }

  /** Waits until `take` has the next message. A broken stream may pass its wait on to the next stream. */
  async ready(): Promise<void> {
    if (this.#upcoming !== undefined) return;
    this.#reading ??= this.#source.next().then((next) => {
      this.#upcoming = next;
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** The next message, unacknowledged from now on, or `undefined` when there are no more. */
  take(): Message | undefined {
    const next = this.#upcoming;
    if (next === undefined || next.done) return undefined;
    this.#upcoming = undefined;
    this.unacknowledged.push(next.value);
    return next.value;
  }

  /**
   * Lets the source release its resources, but does not wait for a source that is still running: it might never end.
   */
  async close(): Promise<void> {
    if (this.#reading === undefined) await this.#source.return?.();
  }
}
