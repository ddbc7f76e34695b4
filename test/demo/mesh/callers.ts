import { Program } from '../../polyglot/program.ts';
import type { Account, Told } from './account.ts';
import { SIGNALS } from './signals.ts';

/** Programs with their names in ids: of words that no other one has. */
const PROGRAMS = [
  { name: 'ts', program: 'typescript/mesh-caller' },
  { name: 'py', program: 'python/mesh-caller' },
  { name: 'go', program: 'go/mesh-caller' },
] as const;
export const CALLER_NAMES = PROGRAMS.map(({ name }) => name);
/** The program that has the workers. */
const WORKING = 'ts';

/** Programs in three languages, each with a writer, a recaller and subscribers for each namespace. */
export class Callers {
  private readonly account: Account;
  private readonly programs: readonly { readonly name: string; readonly program: Program<Told> }[];
  private readonly resting = new Set<string>();

  constructor(
    account: Account,
    {
      address,
      folder,
      pauseMs,
      namespaces,
    }: { address: string; folder: string; pauseMs: number; namespaces: readonly string[] },
  ) {
    this.account = account;
    this.programs = PROGRAMS.map(({ name, program }) => {
      const hear = (told: Told) => {
        if (told.rested) this.resting.add(name);
        account.hear(name, told);
      };
      return { name, program: new Program<Told>(program, [address, folder, name, `${pauseMs}`, ...namespaces], hear) };
    });
  }

  /** Lets them work, once all watch. */
  async begin(): Promise<void> {
    for (const { program } of this.programs) await program.ready;
    for (const { program } of this.programs) program.begin();
  }

  /** Resolves when each has made this many more calls, begun after now, with success. */
  async succeed(count: number): Promise<void> {
    this.account.countAnew();
    await this.until((name) => this.account.successesOf(name) >= count);
  }

  /** Lets them go on with the certificates that are there now. */
  renew(): void {
    for (const { program } of this.programs) program.say('renew');
  }

  /** Resolves when all writes are acknowledged; the subscribers go on. */
  async rest(): Promise<void> {
    for (const { program } of this.programs) program.say('rest');
    await this.until((name) => this.resting.has(name));
  }

  /** Resolves when a signal has arrived at all subscribers to a namespace, as the last change. */
  async haveSeen(namespace: string, id: string): Promise<void> {
    await this.until((name) => this.account.hasArrived(name, namespace, id));
  }

  /**
   * Lets the workers leave their work queues, each after one more change: `store` stores a signal in a namespace, which goes to a
   * worker that has not left.
   */
  async leaveWork(
    namespaces: readonly string[],
    store: (namespace: string, nth: number) => Promise<void>,
  ): Promise<void> {
    const { work } = this.account;
    for (const { name, program } of this.programs) if (name === WORKING) program.say('leave');
    for (const namespace of namespaces) {
      for (let nth = 1; work.leftCountOf(namespace) < SIGNALS.workers; nth++) {
        const before = work.leftCountOf(namespace);
        await store(namespace, nth);
        await this.until((name) => name !== WORKING || work.leftCountOf(namespace) > before);
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.programs.map(({ program }) => program.end()));
  }

  kill(): void {
    for (const { program } of this.programs) program.kill();
  }

  private async until(isReached: (name: string) => boolean): Promise<void> {
    await Promise.all(this.programs.map(({ name, program }) => program.until(() => isReached(name))));
  }
}
