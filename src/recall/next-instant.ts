import type { Micros } from '../memory/memory.ts';

const UNKNOWN = 0;

/** The next instant at which something becomes of a namespace; looked for again only after a change, or once it has come. */
export class NextInstant {
  private readonly find: (nowUs: Micros) => Micros;
  private fromUs: Micros = 0;
  private atUs: Micros = UNKNOWN;

  /** `find`: the first one after an instant, `Infinity` when there is none. */
  constructor(find: (nowUs: Micros) => Micros) {
    this.find = find;
  }

  /** To be called after every change of the namespace. */
  forget(): void {
    this.atUs = UNKNOWN;
  }

  afterUs(nowUs: Micros): Micros {
    if (this.fromUs <= nowUs && nowUs < this.atUs) return this.atUs;
    this.fromUs = nowUs;
    this.atUs = this.find(nowUs);
    return this.atUs;
  }
}
