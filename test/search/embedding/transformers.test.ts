import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TransformersEmbedder } from '../../../src/search/embedding/transformers.ts';
import { ModelHub, placeModel } from '../../support/model-hub.ts';
import { installStandIn } from '../../support/transformers-stand-in.ts';

const MODEL = 'Xenova/some-model';
const { signal } = new AbortController();

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mneme-transformers-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The model was downloaded before, unless another one is configured. */
const source = (changes: object = {}) => ({
  model: MODEL,
  path: '',
  hub: 'http://127.0.0.1:1',
  token: '',
  folder: join(folder, 'models'),
  silenceMs: 30_000,
  packageFolder: folder,
  signal,
  ...changes,
});
const downloaded = () => join(folder, 'models', MODEL);

function install(): void {
  installStandIn(folder);
  placeModel(downloaded());
}

async function failureOf(changes: object): Promise<string> {
  const error = await TransformersEmbedder.load(source(changes)).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ name: 'ModelNotLoaded' });
  expect(error?.message).not.toContain('\n');
  return error?.message ?? '';
}

describe('TransformersEmbedder', () => {
  it('without the package › one line that explains how to install it', async () => {
    placeModel(downloaded());
    expect(await failureOf({})).toMatch(
      /npm install --no-save @huggingface\/transformers@3" in \S+, or choose another/,
    );
  });

  it('with package and model › knows the dimension, returns vectors of length 1', async () => {
    install();
    const embedder = await TransformersEmbedder.load(source());
    expect(embedder).toMatchObject({ kind: 'transformers', model: MODEL, dimension: 4, inline: false });
    const [four, blank, one] = await embedder.embed(['four', ' ', 'x'], signal);
    expect([...(four ?? [])]).toEqual([0.8, 0, 0.6, 0].map(Math.fround));
    expect(blank).toBeUndefined();
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 6);
  });

  it('model is not there › it is downloaded from the hub, and then loaded', async () => {
    installStandIn(folder);
    const hub = await ModelHub.started();
    try {
      const embedder = await TransformersEmbedder.load(source({ hub: hub.url }));
      expect(embedder.dimension).toBe(4);
      expect(hub.requests).toHaveLength(4);
    } finally {
      await hub.close();
    }
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

  it('with a path › only that folder is read, whatever its name, and the hub is not used', async () => {
    installStandIn(folder);
    const path = join(folder, 'my models--all', 'mine.');
    placeModel(path);
    expect(await TransformersEmbedder.load(source({ path, model: 'mine' }))).toMatchObject({
      model: 'mine',
      dimension: 4,
    });
  });

  it('with a path without a model › one line that lists the required files', async () => {
    install();
    const path = join(folder, 'models', 'other');
    expect(await failureOf({ path })).toMatch(/--embedder-path must hold config\.json, .*; it has no config\.json, /);
    placeModel(path);
    rmSync(join(path, 'tokenizer.json'));
    expect(await failureOf({ path })).toMatch(/onnx\/model\.onnx; it has no tokenizer\.json$/);
  });

  it('a damaged download › one line that names the files to delete', async () => {
    install();
    writeFileSync(join(downloaded(), 'onnx/model.onnx'), 'half');
    const advice = `delete ${downloaded()} to have it downloaded again`;
    const message = await failureOf({});
    expect(message).toContain(`${MODEL} cannot be loaded (Protobuf parsing failed. at somewhere): ${advice}`);
    writeFileSync(join(downloaded(), 'config.json'), '{"half');
    expect(await failureOf({})).toMatch(/cannot be loaded \(Unterminated string in JSON .*\): delete /);
  });

  it('model of the folder is damaged › one line that names the folder', async () => {
    installStandIn(folder);
    const path = join(folder, 'mine');
    placeModel(path);
    writeFileSync(join(path, 'onnx/model.onnx'), 'half');
    expect(await failureOf({ path })).toBe(
      `the model ${path} cannot be loaded (Protobuf parsing failed. at somewhere): give another folder with --embedder-path`,
    );
  });

  it('stopped while it loads › fails with the reason', async () => {
    install();
    const reason = new Error('told to stop');
    await expect(TransformersEmbedder.load(source({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
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
