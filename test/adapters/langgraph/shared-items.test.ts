import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp } from '../../client/support/clean-up.ts';
import { storeOf } from './support.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PYTHON = join(ROOT, '.toolchain/python-adapters/bin/python');

/** The store of Python: reads what this one has put, and puts items of its own. */
const PROGRAM = `
import json, sys
from mneme.langgraph import MnemeStore
with MnemeStore(sys.argv[1]) as store:
    item = store.get(("users", "50%\\tada"), "k.1")
    found = store.search(("users",), query="green tea")
    print(json.dumps([item.value, [(each.key, each.score is not None) for each in found], store.list_namespaces()]))
    store.put(("users", "50%\\tada"), "k.1", {"text": "Ada drinks coffee"})
    store.put(("users", "bob"), "..", {"text": "Bob plays the cello"}, ttl=60)
    store.put(("users", "bob"), "hidden", {"text": "Bob plays the cello"}, index=False)
`;

let server: ServedMneme;
beforeAll(async () => {
  await run(join(ROOT, 'tools/clients/python.sh'), ['adapter-tools']);
  server = await serveMneme();
}, 600_000);
afterAll(() => server.stop());
afterEach(cleanUp);

it('the stores of TypeScript and Python › read, search and replace the same items', async () => {
  const store = storeOf(server.address);
  await store.put(['users', '50%\tada'], 'k.1', { text: 'Ada drinks green tea', list: [1.5, null] });
  await store.put(['users'], 'hidden', { text: 'green tea' }, false);
  const createdAt = (await store.get(['users', '50%\tada'], 'k.1'))?.createdAt.getTime();

  const env = { ...process.env, PYTHONPATH: join(ROOT, 'clients/python/src') };
  const { stdout } = await run(PYTHON, ['-c', PROGRAM, server.address], { env });
  const replaced = await store.get(['users', '50%\tada'], 'k.1');
  const found = await store.search(['users', 'bob'], { query: 'cello' });

  expect(JSON.parse(stdout)).toEqual([
    { text: 'Ada drinks green tea', list: [1.5, null] },
    [
      ['k.1', true],
      ['hidden', false],
    ],
    [['users'], ['users', '50%\tada']],
  ]);
  expect(replaced?.value).toEqual({ text: 'Ada drinks coffee' });
  expect(replaced?.createdAt.getTime()).toBe(createdAt);
  expect(found.map(({ key, score }) => [key, typeof score])).toEqual([
    ['..', 'number'],
    ['hidden', 'undefined'],
  ]);
}, 120_000);
