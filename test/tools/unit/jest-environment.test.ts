import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';

class OwnError extends Error {}

describe('globals of a test', () => {
  it('when values come from a worker thread › are instances of the same classes', async () => {
    const worker = new Worker('require("worker_threads").parentPort.postMessage([new Map(), new Float32Array(1)])', {
      eval: true,
    });
    const [[map, vector]] = (await once(worker, 'message')) as [[unknown, unknown]];
    expect(map).toBeInstanceOf(Map);
    expect(vector).toBeInstanceOf(Float32Array);
    await worker.terminate();
  });

  it('when Node throws › is an Error, and no error of another class', async () => {
    const error = await readFile('/nowhere/at/all').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(OwnError);
    expect(error).not.toBeInstanceOf(TypeError);
  });

  it('when the test throws › is an Error of its class', () => {
    expect(new OwnError()).toBeInstanceOf(OwnError);
    expect(new OwnError()).toBeInstanceOf(Error);
    expect({ message: 'not one' }).not.toBeInstanceOf(Error);
  });
});
