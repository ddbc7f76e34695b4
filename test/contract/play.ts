import type { Answer, Driver } from './driver.ts';
import { mismatch, resolved, type Values } from './match.ts';
import type { Scenario, Step } from './scenario.ts';
import type { Stage } from './stage.ts';

/** The longest that a `wait` asks again. */
const WAIT_MS = 30_000;

/** The longest that a stream is read for one item. */
const UNTIL_MS = 100_000;
/** Maximum wait for messages to a fake server. */
const ASKED_MS = 5000;

/** The language of the driver cannot express the scenario. */
export class Unsupported extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/** Runs a scenario with the driver of a client; throws at the first difference. */
export async function play(scenario: Scenario, driver: Driver, stage: Stage, namespace: string): Promise<void> {
  const player = new Player(driver, stage, namespace);
  const { connect = {}, steps } = scenario;
  try {
    if (connect !== false) await player.step({ connect: 'a', ...connect });
    for (const [index, step] of steps.entries()) {
      try {
        await player.step(step);
      } catch (error) {
        if (error instanceof Unsupported) throw error;
        const [name] = Object.entries(step)[0] ?? [];
        const received = error instanceof Error ? error.message : String(error);
        throw new Error(`step ${index + 1} (${name} ${JSON.stringify(Object.values(step)[0])}): ${received}`);
      }
    }
  } finally {
    await player.leave();
  }
}

class Player {
  private readonly driver: Driver;
  private readonly stage: Stage;
  private readonly namespace: string;
  private readonly values: Values;
  private readonly clients = new Set<string>();
  private readonly reading = new Map<string, Promise<void>>();
  /** Names of started steps that have ended. */
  private readonly ended = new Set<string>();
  private readonly begun = new Map<string, { readonly id: number; readonly answer: Promise<Answer> }>();

  constructor(driver: Driver, stage: Stage, namespace: string) {
    this.driver = driver;
    this.stage = stage;
    this.namespace = namespace;
    this.values = stage.values(namespace);
  }

  async step(written: Step): Promise<void> {
    // Expectations keep their placeholders; all else is prepared for sending.
    const { expect, error, until, ...sent } = written as Fields & {
      expect?: unknown;
      error?: unknown;
      until?: unknown;
    };
    const step = resolved(sent, this.values) as Fields;
    if ('connect' in step) return this.connect(step);
    if ('fake' in step) return (await this.stage.startedFake()).answer(repeated(step['fake']) as never);
    if ('asked' in step) return this.checkAsked(String(step['asked']), expect);
    if ('wait' in step) return this.wait(step, expect);
    if ('server' in step) return this.stage.process[step['server'] as 'start' | 'kill' | 'stop']();
    if ('link' in step) return this.actOnLink(String(step['link']));
    if ('pending' in step) return this.checkPending(String(step['pending']));
    if ('cancel' in step) return this.cancel(String(step['cancel']));
    if ('close' in step) return this.begin(step['as'], this.close(String(step['close'])));
    if (until !== undefined) return this.begin(step['as'], this.readUntil(String(step['next']), until, expect));
    const reading = this.reading.get(String(step['await']));
    if (reading) return reading;
    return this.ask(step, expect, error);
  }

  /** Closes everything that the scenario has left open. */
  async leave(): Promise<void> {
    for (const { answer } of this.begun.values()) answer.catch(() => {});
    for (const client of this.clients) {
      await this.driver.request('close', { client }).answer.catch(() => {});
    }
  }

  /** Waits for started steps, except named ones, which are awaited later. */
  private async begin(name: unknown, reading: Promise<void>): Promise<void> {
    if (name === undefined) return reading;
    reading.catch(() => {});
    this.reading.set(name as string, reading);
    this.noteEnd(name as string, reading);
  }

  private async connect({ connect, to = 'server', options = {} }: Fields): Promise<void> {
    const client = this.nameOf(String(connect));
    const address = await this.stage.addressOf(to as never);
    this.clients.add(client);
    const provided = { namespace: this.namespace, ...(options as Fields) };
    resultOf(await this.driver.request('connect', { client, address, options: provided }).answer);
  }

  private async ask(step: Fields, expect: unknown, error: unknown): Promise<void> {
    const { as, await: awaited, times, ...rest } = step;
    if (typeof times === 'number') return this.askAtOnce(rest, times, expect);
    const request = awaited === undefined ? this.send(rest) : this.begun.get(awaited as string);
    if (!request) throw new Error(`nothing was begun as ${awaited as string}`);
    if (as !== undefined) {
      this.begun.set(as as string, request);
      this.noteEnd(as as string, request.answer);
      return;
    }
    const answer = await request.answer;
    if (error !== undefined) {
      if (answer.error === undefined) resultOf(answer);
      if (answer.error === undefined)
        throw new Error(`it gave ${shown(answer.result)}, expected the error ${shown(error)}`);
      return this.check(error, answer.error);
    }
    const result = resultOf(answer);
    if (expect !== undefined) this.check(expect, itemsOf(rest, result, awaited !== undefined));
  }

  /** That many requests before the first answer; `#` in them is replaced by their number. */
  private async askAtOnce(step: Fields, times: number, expect: unknown): Promise<void> {
    const text = JSON.stringify(step);
    const sent = Array.from({ length: times }, (_, number) =>
      this.send(JSON.parse(text.replaceAll('#', String(number))) as Fields),
    );
    for (const { answer } of sent) {
      const result = resultOf(await answer);
      if (expect !== undefined) this.check(expect, result);
    }
  }

  private send(step: Fields) {
    const { call, rpc, open, next, send, end, client = 'a', stream, args = {}, request, count = 1, item } = step;
    const of = { client: this.nameOf(String(client)) };
    if (call !== undefined) return this.driver.request('call', { ...of, method: call, args });
    if (rpc !== undefined) return this.driver.request('rpc', { ...of, rpc, request: request ?? {} });
    if (open !== undefined) {
      return this.driver.request('open', { ...of, stream: this.nameOf(String(stream)), method: open, args });
    }
    if (next !== undefined) return this.driver.request('next', { stream: this.nameOf(next as string), count });
    if (send !== undefined) return this.driver.request('send', { stream: this.nameOf(send as string), item });
    if (end !== undefined) return this.driver.request('end', { stream: this.nameOf(end as string) });
    throw new Error('unknown step');
  }

  private async readUntil(name: string, until: unknown, expect: unknown): Promise<void> {
    const seen: unknown[] = [];
    const untilMs = performance.now() + UNTIL_MS;
    for (;;) {
      const { items, ended } = resultOf(
        await this.driver.request('next', { stream: this.nameOf(name), count: 1 }).answer,
      ) as { items: readonly unknown[]; ended: boolean };
      const [item] = items;
      if (item !== undefined && mismatch(until, item, this.values) === undefined) {
        return expect === undefined ? undefined : this.check(expect, item);
      }
      seen.push(item);
      if (ended || performance.now() > untilMs) {
        throw new Error(
          `${ended ? 'the stream ended' : 'time passed'} before ${shown(until)} came; it gave ${shown(seen)}`,
        );
      }
    }
  }

  /** The client's last messages may still be in transit. */
  private async checkAsked(rpc: string, expect: unknown): Promise<void> {
    const fake = await this.stage.startedFake();
    const untilMs = performance.now() + ASKED_MS;
    for (;;) {
      const found = mismatch(
        expect,
        fake.asked.filter((asked) => asked.rpc === rpc),
        this.values,
      );
      if (found === undefined) return;
      if (performance.now() > untilMs) throw new Error(found);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  private noteEnd(name: string, work: Promise<unknown>): void {
    const note = () => this.ended.add(name);
    work.then(note, note);
  }

  private checkPending(name: string): void {
    if (!this.reading.has(name) && !this.begun.has(name)) throw new Error(`nothing was begun as ${name}`);
    if (this.ended.has(name)) throw new Error(`${name} has ended`);
  }

  private async wait({ wait, request = {} }: Fields, expect: unknown): Promise<void> {
    const untilMs = performance.now() + WAIT_MS;
    for (;;) {
      const answer = await this.stage.ask(String(wait), request as never);
      const found = mismatch(expect, answer, this.values);
      if (found === undefined) return;
      if (performance.now() > untilMs) throw new Error(`${found}, still after ${WAIT_MS / 1000} s`);
    }
  }

  private actOnLink(action: string): void {
    const { openedLink: link } = this.stage;
    if (action === 'lose_answers') link.loseAnswers();
    else link[action as 'cut' | 'reset' | 'freeze' | 'thaw' | 'garble']();
  }

  private async cancel(name: string): Promise<void> {
    const begun = this.begun.get(name);
    if (!begun) throw new Error(`nothing was begun as ${name}`);
    resultOf(await this.driver.request('cancel', { call: begun.id }).answer);
  }

  private async close(name: string): Promise<void> {
    resultOf(await this.driver.request('close', { client: this.nameOf(name) }).answer);
  }

  private check(expected: unknown, actual: unknown): void {
    const found = mismatch(expected, actual, this.values);
    if (found !== undefined) throw new Error(found);
  }

  /** Names of clients and streams are of one scenario; the driver serves many. */
  private nameOf(name: string): string {
    return `${this.namespace}.${name}`;
  }
}

/** Long texts are written short; drivers write out their own. */
function repeated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(repeated);
  if (typeof value !== 'object' || value === null) return value;
  if ('$repeat' in value && 'count' in value) return String(value.$repeat).repeat(Number(value.count));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, repeated(each)]));
}

/** `next` is expected as its items; all else as it is. */
function itemsOf({ next }: Fields, result: unknown, isAwaited: boolean): unknown {
  const isNext = next !== undefined || (isAwaited && isItems(result));
  return isNext ? (result as { items: unknown }).items : result;
}

function isItems(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'items' in result && 'ended' in result;
}

function resultOf(answer: Answer): unknown {
  if (answer.unsupported !== undefined) throw new Unsupported(answer.unsupported);
  if (answer.fault !== undefined) throw new Error(`the driver cannot do it: ${answer.fault}`);
  if (answer.error !== undefined) throw new Error(`it failed: ${shown(answer.error)}`);
  return answer.result;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
