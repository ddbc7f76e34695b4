import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';

const EXAMPLE = fileURLToPath(new URL('../../../clients/typescript/agentmemory-example.ts', import.meta.url));

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

it('example of the Agent Memory API › prints what it should, also the second time', async () => {
  for (let round = 0; round < 2; round += 1) {
    const env = { ...process.env, MNEME_SERVER: server.address };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--no-warnings', EXAMPLE], { env });
    expect([stdout.split('\n'), stderr]).toEqual([
      [
        'at the cliff: nothing grows here',
        'all stored: true',
        'wood over time: 0, 2, 4',
        'failed at step: 1',
        'found: interaction {"interaction_type":"trade","with":"bob","wood":1}',
        'memories: 3 states, 3 actions, 1 interaction',
        '',
      ],
      '',
    ]);
  }
});
