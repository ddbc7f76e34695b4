import type { Account, Failure, FaultWindow } from './account.ts';

/** Memories and sessions, by namespace and id. */
export interface FoundAtServer {
  readonly server: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, string>;
  /** The answer of recall to the standing query. */
  readonly signals: ReadonlyMap<string, string>;
}

interface Promised {
  readonly what: string;
  /** One line for each violation. */
  readonly faults: readonly string[];
}

/** The guarantees to callers, with their violations. `found`: what each server has at the end. */
export function promisesOf(account: Account, found: readonly FoundAtServer[]): Promised[] {
  return [
    {
      what: 'every acknowledged write is at each server, and nothing else is',
      faults: found.flatMap(({ server, texts }) => differences(account.texts, texts, server)),
    },
    {
      what: 'each session has the last value that was set, at each server',
      faults: found.flatMap(({ server, values }) => differences(account.values, values, server)),
    },
    { what: 'each watch brought every change once, and those of a memory in order', faults: orderFaults(account) },
    { what: 'all watches of a namespace brought one order', faults: agreementFaults(account) },
    {
      what: 'each durable subscription delivered every deletion and every change of other signals, in the order of the watches',
      faults: deliveryFaults(account),
    },
    {
      what: 'each work queue delivered the same changes to one worker or another, and none again whose acknowledgement had arrived',
      faults: workFaults(account),
    },
    {
      what: 'each standing query had every signal with its last text, and at the end the answer of a recall at each server',
      faults: [...shownFaults(account), ...found.flatMap((server) => answerFaults(account, server))],
    },
    { what: 'recalls and reads had what their caller had written', faults: account.wrong },
    { what: 'calls failed with retryable errors only', faults: linesOf(account, ({ isRetryable }) => !isRetryable) },
    {
      what: 'no call failed but while a server was killed or a store was away',
      faults: linesOf(
        account,
        (failure) => !account.windows.some((window) => window.mayFail && meets(window, failure)),
      ),
    },
  ];
}

export function meets({ startMs, endMs }: FaultWindow, failure: Failure): boolean {
  return failure.beganMs <= endMs && startMs <= failure.endedMs;
}

function linesOf({ failures, windows }: Account, isFault: (failure: Failure) => boolean): string[] {
  return failures.filter(isFault).map((failure) => {
    const during = windows.filter((window) => meets(window, failure)).map(({ name }) => name);
    return `${failure.caller} ${failure.call}: ${failure.status}: ${failure.message} (${during.join(', ') || 'nothing broken'})`;
  });
}

function differences(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
  where: string,
): string[] {
  return [
    ...[...expected].flatMap(([key, text]) => {
      const there = found.get(key);
      if (there === text) return [];
      return [there === undefined ? `${where}: missing: ${key}` : `${where}: ${key}: ${there}, not ${text}`];
    }),
    ...[...found.keys()].filter((key) => !expected.has(key)).map((key) => `${where}: not expected: ${key}`),
  ];
}

/** Missing, repeated and reordered changes of each memory, in each watch of its namespace. */
function orderFaults({ seen, changes }: Account): string[] {
  return [...seen].flatMap(([stream, all]) => {
    const namespace = namespaceOf(stream);
    const byKey = new Map<string, string[]>();
    for (const change of all) {
      const [kind = '', key = ''] = change.split(' ');
      byKey.set(key, [...(byKey.get(key) ?? []), kind]);
    }
    const keys = new Set([...byKey.keys(), ...[...changes.keys()].filter((key) => key.startsWith(`${namespace}/`))]);
    return [...keys].flatMap((key) => {
      const [wanted, brought] = [changes.get(key)?.join() ?? 'nothing', byKey.get(key)?.join() ?? 'nothing'];
      return wanted === brought ? [] : [`${stream}: ${key}: ${brought}, not ${wanted}`];
    });
  });
}

function agreementFaults({ seen }: Account): string[] {
  const first = new Map<string, readonly [string, string]>();
  return [...seen].flatMap(([stream, all]) => {
    const [order, other] = [all.join(), first.get(namespaceOf(stream))];
    if (other === undefined) first.set(namespaceOf(stream), [stream, order]);
    return other === undefined || other[1] === order ? [] : [`${stream} and ${other[0]} brought different orders`];
  });
}

/**
 * Deliveries may be repeated: the order is that of the first ones, and is compared with the watch of the same caller. Of a
 * signal that was deleted, a filter may leave out all but the deletion.
 */
function deliveryFaults({ signals, seen, texts }: Account): string[] {
  const isSignal = (change: string) => signals.stored.has(keyOf(change));
  const isErased = (change: string) => !change.startsWith('deleted ') && !texts.has(keyOf(change));
  return [...seen].flatMap(([stream, all]) => {
    const expected = all.filter((change) => (isSignal(change) || change.startsWith('deleted ')) && !isErased(change));
    const delivered = [...(signals.delivered.get(stream) ?? [])].filter(
      (change) => !(isSignal(change) && isErased(change)),
    );
    const at = expected.findIndex((change, index) => delivered[index] !== change);
    if (at >= 0) return [`${stream}: delivery ${at + 1} was ${delivered[at] ?? 'none'}, not ${expected[at]}`];
    return delivered.slice(expected.length).map((change) => `${stream}: not expected: ${change}`);
  });
}

/** Changes that the work queues have not delivered: all deletions, and all changes of other signals. */
export function undelivered({ work, signals, changes, texts }: Account): string[] {
  const all = new Set([...work.worked, ...work.afterwards]);
  return [...changes].flatMap(([key, kinds]) => {
    const isKept = signals.stored.has(key) && texts.has(key);
    const due = kinds.filter((kind) => kind === 'deleted' || isKept).map((kind) => `${kind} ${key}`);
    return due.filter((change) => !all.has(change));
  });
}

/** What a worker had acknowledged before its stream broke may come again, also when the workers have left. */
function workFaults(account: Account): string[] {
  const { work, changes } = account;
  const known = new Set([...changes].flatMap(([key, kinds]) => kinds.map((kind) => `${kind} ${key}`)));
  const all = new Set([...work.worked, ...work.afterwards]);
  return [
    ...undelivered(account).map((change) => `not delivered: ${change}`),
    ...[...all].filter((change) => !known.has(change)).map((change) => `not expected: ${change}`),
    ...work.afterwards
      .filter((change) => work.surelyAcknowledged.has(change))
      .map((change) => `delivered again: ${change}`),
  ];
}

function shownFaults({ signals, texts }: Account): string[] {
  return [...signals.shown].flatMap(([stream, shown]) =>
    [...signals.stored].flatMap((key) => {
      const [wanted, last] = [texts.get(key), shown.get(key)];
      if (!key.startsWith(`${namespaceOf(stream)}/`) || wanted === undefined || wanted === last) return [];
      return [`${stream}: ${key}: ${last ?? 'in no answer'}, not ${wanted}`];
    }),
  );
}

function answerFaults({ signals }: Account, found: FoundAtServer): string[] {
  return [...signals.answers].flatMap(([stream, answer]) => {
    const expected = [...found.signals].filter(([key]) => key.startsWith(`${namespaceOf(stream)}/`));
    return differences(new Map(expected), answer, `${stream}, by ${found.server}`);
  });
}

function keyOf(change: string): string {
  return change.slice(change.indexOf(' ') + 1);
}

function namespaceOf(stream: string): string {
  return stream.slice(stream.indexOf('/') + 1);
}
