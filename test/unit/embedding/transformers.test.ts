import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TransformersEmbedder } from '../../../src/embedding/transformers.ts';

/** Stands in for the package: 4 values a text, made of its length; says what it was asked for. */
const STAND_IN = `
const env = { allowRemoteModels: true, allowLocalModels: true, localModelPath: '', cacheDir: '' };
exports.env = env;
exports.asked = [];
exports.pipeline = async (task, model, { progress_callback }) => {
  exports.asked.push({ task, model, ...env });
  if (model === 'nowhere') throw new Error('fetch failed\\n  at somewhere');
  if (env.allowRemoteModels) {
    progress_callback({ status: 'initiate', file: 'model.onnx' });
    progress_callback({ status: 'progress', file: 'model.onnx', loaded: 5, total: 10 });
  }
  return async (texts, options) => {
    if (options.pooling !== 'mean' || options.normalize !== true) throw new Error('other options');
    if (texts.some((text) => text === 'fails')) throw new Error('out of memory');
    return { dims: [texts.length, 4], data: Float32Array.from(texts.flatMap((text) => [text.length, 0, 3, 0])) };
  };
};
`;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mneme-transformers-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(): void {
  const home = join(folder, 'node_modules', '@huggingface', 'transformers');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: '@huggingface/transformers', main: 'index.cjs' }));
  writeFileSync(join(home, 'index.cjs'), STAND_IN);
}

const source = (changes: object = {}) => ({
  model: 'Xenova/some-model',
  path: '',
  cacheFolder: join(folder, 'cache'),
  packageFolder: folder,
  ...changes,
});
const { signal } = new AbortController();

describe('TransformersEmbedder', () => {
  it('package is absent › one line that says how to install it', async () => {
    const error = await TransformersEmbedder.load(source()).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: 'ModelNotLoaded' });
    expect((error as Error).message).toMatch(/npm install --no-save @huggingface\/transformers/);
    expect((error as Error).message).not.toContain('\n');
  });

  it('package is there › downloads with progress, knows the dimension, gives vectors of length 1', async () => {
    install();
    const progress: unknown[] = [];
    const embedder = await TransformersEmbedder.load(
      source({ onProgress: (...told: unknown[]) => progress.push(told) }),
    );
    expect(progress).toEqual([['model.onnx', 5, 10]]);
    expect(embedder).toMatchObject({ kind: 'transformers', model: 'Xenova/some-model', dimension: 4, inline: false });
    const [four, blank, one] = await embedder.embed(['four', ' ', 'x'], signal);
    expect([...(four ?? [])]).toEqual([0.8, 0, 0.6, 0].map(Math.fround));
    expect(blank).toBeUndefined();
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 6);
  });

  it('more texts than a batch › all in order', async () => {
    install();
    const embedder = await TransformersEmbedder.load(source());
    const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(at + 1));
    const vectors = await embedder.embed(texts, signal);
    expect(vectors.map((vector) => Math.round((3 * (vector?.[0] ?? 0)) / (vector?.[2] ?? 1)))).toEqual(
      texts.map(({ length }) => length),
    );
  });

  it('path given › only that folder is read, nothing is downloaded', async () => {
    install();
    const progress: unknown[] = [];
    const path = join(folder, 'models', 'mine');
    await TransformersEmbedder.load(source({ path, onProgress: (...told: unknown[]) => progress.push(told) }));
    expect(progress).toEqual([]);
  });

  it('model cannot be loaded › one line that says what to do', async () => {
    install();
    const error = await TransformersEmbedder.load(source({ model: 'nowhere' })).catch((thrown: Error) => thrown);
    expect((error as Error).message).toMatch(/nowhere cannot be loaded \(fetch failed at somewhere\).*--embedder-path/);
    expect((error as Error).message).not.toContain('\n');
  });

  it('model fails later › EMBEDDER_UNAVAILABLE, which is tried again', async () => {
    install();
    const embedder = await TransformersEmbedder.load(source());
    await expect(embedder.embed(['fails'], signal)).rejects.toMatchObject({ reason: 'EMBEDDER_UNAVAILABLE' });
  });

  it('aborted › fails with the reason', async () => {
    install();
    const embedder = await TransformersEmbedder.load(source());
    const reason = new Error('left');
    await expect(embedder.embed(['x'], AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
