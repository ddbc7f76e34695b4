/** Lets a few pieces of work run at once; others wait in order. */
export class Limiter {
  private readonly atOnceMax: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(atOnceMax: number) {
    this.atOnceMax = atOnceMax;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnceMax) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
