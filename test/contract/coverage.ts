import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import calls from '../../clients/calls.json' with { type: 'json' };
import notYet from '../../clients/not-yet.json' with { type: 'json' };
import { METHODS, pathOf } from './api.ts';
import type { CallCounts } from './mneme-process.ts';
import type { Scenario } from './scenario.ts';

const PROTOS = fileURLToPath(new URL('../../proto/mneme/v1/', import.meta.url));

/**
 * Reasons that a healthy server returns only under concurrent load or with a failing disk, store or embedder.
 * `errors.json` produces each of them with a fake server.
 */
const NOT_AT_WILL = new Set([
  'CHECKSUM_MISMATCH',
  'EMBEDDER_UNAVAILABLE',
  'STORAGE_UNAVAILABLE',
  'STORAGE_FULL',
  'QUEUE_FULL',
  'OVERLOADED',
  'DRAINING',
  'SLOW_CONSUMER',
  'MESSAGE_MALFORMED',
]);

/** Services and methods that not every client has: the contract does not hold them yet. */
const AWAITED: ReadonlySet<string> = new Set(Object.values(notYet).flat());

function isAwaited(name: string): boolean {
  const [method = ''] = name.split(' ');
  return AWAITED.has(method.split('.')[0] ?? '') || AWAITED.has(method);
}

/** Methods that no server has answered as they should be. */
export function methodsNotCalled(counts: CallCounts): string[] {
  return [...METHODS].flatMap(([name, method]) => {
    if (isAwaited(name)) return [];
    // Streams mostly end by their reader.
    const good = method.methodKind === 'unary' ? ['OK'] : ['OK', 'CANCELLED'];
    const path = pathOf(method).slice(1);
    return good.some((status) => (counts.get(`${path} ${status}`) ?? 0) > 0) ? [] : [name];
  });
}

/** Errors that the comment of a method names and that no scenario meets, such as `MemoryService.GetMemory MEMORY_NOT_FOUND`. */
export function gapsOfDocumentedErrors(scenarios: readonly Scenario[]): string[] {
  const met = new Set(scenarios.flatMap((scenario) => scenario.steps.flatMap(errorOf)));
  return documentedErrors().filter(
    (error) => !met.has(error) && !isAwaited(error) && !NOT_AT_WILL.has(error.split(' ')[1] ?? ''),
  );
}

function errorOf(step: Scenario['steps'][number], _: number, steps: Scenario['steps']): string[] {
  const { error, expect } = step as { readonly error?: unknown; readonly expect?: unknown };
  const reasons = reasonsIn({ error, expect });
  const rpcs = 'rpc' in step ? [step.rpc] : [(calls as Readonly<Record<string, string>>)[methodOf(step, steps)]];
  return rpcs.flatMap((rpc) => (rpc === undefined ? [] : reasons.map((reason) => `${rpc} ${reason}`)));
}

/** Reasons of expected errors, including those inside of results. */
function reasonsIn(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'reason' in value && name === 'error' && typeof value.reason === 'string' ? [value.reason] : [];
  const inner = Object.entries(value).flatMap(([key, each]) => reasonsIn(each, Array.isArray(value) ? name : key));
  return [...own, ...inner];
}

function methodOf(step: Scenario['steps'][number], steps: Scenario['steps']): string {
  if ('call' in step) return step.call;
  return 'open' in step ? step.open : methodOfStream(step, steps);
}

function methodOfStream(step: Scenario['steps'][number], steps: Scenario['steps']): string {
  const name = 'next' in step ? step.next : 'end' in step ? step.end : '';
  const opened = steps.find((each) => 'open' in each && each.stream === name);
  return opened && 'open' in opened ? opened.open : '';
}

function documentedErrors(): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(PROTOS).filter((name) => name.endsWith('_service.proto'))) {
    let service = '';
    let comment = '';
    for (const line of readFileSync(`${PROTOS}${file}`, 'utf8').split('\n')) {
      service = /^service (\w+)/.exec(line)?.[1] ?? service;
      const [, method] = /^ {2}rpc (\w+)\(/.exec(line) ?? [];
      const [, text] = /^ {2}\/\/ ?(.*)/.exec(line) ?? [];
      if (method !== undefined) {
        for (const [, reasons = ''] of comment.matchAll(/[A-Z_]{5,} \(([A-Z_]+(?:, [A-Z_]+)*)\)/g)) {
          for (const reason of reasons.split(', ')) found.add(`${service}.${method} ${reason}`);
        }
      }
      comment = text === undefined ? '' : `${comment} ${text}`;
    }
  }
  return [...found];
}
