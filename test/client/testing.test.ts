import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { startServer } from '../../clients/typescript/src/testing.ts';

describe('startServer', () => {
  it('starts a server that answers, and stops it', async () => {
    const server = await startServer({ binary: 'bin/mneme', flags: ['--embedder', 'none'] });
    const mneme = connect(server.address);
    const { id } = await mneme.store({ text: 'tea at five' });
    const { text } = await mneme.get(id);
    void mneme.close();
    await server.stop();

    expect(text).toBe('tea at five');
    expect(server.process.exitCode ?? server.process.signalCode).not.toBeNull();
  });

  it('with an explicit folder › it is kept', async () => {
    const data = await mkdtemp(join(tmpdir(), 'mneme-testing-'));
    const server = await startServer({ binary: 'bin/mneme', data, flags: ['--embedder', 'none'] });
    await server.stop();

    expect(existsSync(data)).toBe(true);
    await rm(data, { recursive: true });
  });

  it('when the program is missing, or refuses › fails with its output', async () => {
    await expect(startServer({ binary: '/none/mneme' })).rejects.toThrow(
      /did not start: spawn \/none\/mneme ENOENT; .*MNEME_BIN/,
    );
    await expect(startServer({ binary: 'bin/mneme', flags: ['--no-such-flag'] })).rejects.toThrow(/no-such-flag/);
  });
});
