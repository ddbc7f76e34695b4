/**
 * Makes the calls that `make bench BENCH=clients` measures; its protocol is described in
 * test/bench/load/client-program.ts.
 */
import { createInterface } from 'node:readline';
import { connect, type Mneme } from '../src/index.ts';
import { Stubs } from './stubs.ts';
import { type Side, sentence, vectorsOf } from './work.ts';

interface Job {
  readonly work: 'get' | 'store' | 'ingest' | 'export';
  readonly by: 'client' | 'stub';
  readonly namespace: string;
  readonly in_flight: number;
  readonly duration_ms: number;
  readonly count: number;
}

class Client implements Side {
  readonly #mneme: Mneme;
  readonly #of = new Map<string, Mneme>();

  constructor(mneme: Mneme) {
    this.#mneme = mneme;
  }

  async get(namespace: string, id: string): Promise<string> {
    return (await this.#in(namespace).get(id)).text;
  }

  async store(namespace: string, text: string): Promise<void> {
    const scope = { agent: 'scout', session: 'harbour' };
    await this.#in(namespace).store({ text, type: 'message', scope, source: { speaker: 'Ada' } });
  }

  async ingest(namespace: string, vectors: readonly Float32Array[]): Promise<number> {
    function* memories() {
      for (const [i, values] of vectors.entries()) yield { text: sentence(i), embedding: { values, model: 'bench' } };
    }
    let stored = 0;
    for await (const { storedCount } of this.#in(namespace).ingest(memories())) stored = storedCount;
    return stored;
  }

  async export(namespace: string): Promise<number> {
    let count = 0;
    for await (const { text, embedding } of this.#in(namespace).exportMemories()) {
      if (text !== '' && embedding !== undefined) count++;
    }
    return count;
  }

  #in(namespace: string): Mneme {
    const found = this.#of.get(namespace) ?? this.#mneme.withNamespace(namespace);
    this.#of.set(namespace, found);
    return found;
  }
}

const address = process.argv[2] ?? '';
const sides = { client: new Client(connect(address)), stub: new Stubs(address) };
let stored = 0;

for await (const line of createInterface(process.stdin)) {
  const job = JSON.parse(line) as Job;
  process.stdout.write(`${JSON.stringify(await done(job, sides[job.by]))}\n`);
}
process.exit();

async function done({ work, namespace, count, ...load }: Job, side: Side): Promise<object> {
  let next = 0;
  switch (work) {
    case 'get':
      return repeated(load, () => side.get(namespace, `turn-${next++ % count}`));
    case 'store':
      return repeated(load, () => side.store(namespace, sentence(stored++)));
    case 'ingest': {
      const vectors = vectorsOf(count);
      return timed(() => side.ingest(namespace, vectors));
    }
    case 'export':
      return timed(() => side.export(namespace));
  }
}

async function timed(work: () => Promise<number>): Promise<object> {
  const startedMs = performance.now();
  const count = await work();
  return { count, elapsed_ms: performance.now() - startedMs };
}

/** Keeps so many calls in flight until the time is over. */
function repeated(load: Pick<Job, 'in_flight' | 'duration_ms'>, call: () => Promise<unknown>): Promise<object> {
  const untilMs = performance.now() + load.duration_ms;
  let count = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      await call();
      count++;
    }
  };
  return timed(async () => {
    await Promise.all(Array.from({ length: load.in_flight }, worker));
    return count;
  });
}
