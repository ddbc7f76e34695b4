import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type HubModel, modelOfHub } from '../../../src/search/embedding/hub-model.ts';
import { freePort } from '../../support/free-port.ts';
import { HUB_FILES, ModelHub, placeModel } from '../../support/model-hub.ts';

const MODEL = 'Xenova/some-model';
const ONNX = 'onnx/model.onnx';
const SMALL_FILES = Object.keys(HUB_FILES).filter((file) => file !== ONNX);
const ONNX_BYTES = HUB_FILES[ONNX]?.length ?? 0;

let hub: ModelHub;
let folder: string;
let waitedMs: number[];
beforeEach(async () => {
  hub = await ModelHub.started();
  folder = mkdtempSync(join(tmpdir(), 'mneme-hub-'));
  waitedMs = [];
});
afterEach(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

function bring(provided: Partial<HubModel> = {}): Promise<string> {
  return modelOfHub({
    hub: hub.url,
    model: MODEL,
    token: '',
    folder,
    silenceMs: 30_000,
    signal: new AbortController().signal,
    retry: { random: () => 0, wait: async (ms) => void waitedMs.push(ms) },
    ...provided,
  });
}

async function failureOf(bringing: Promise<string>): Promise<string> {
  const error = await bringing.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ name: 'ModelNotLoaded' });
  expect(error?.message).not.toContain('\n');
  return error?.message ?? '';
}

/** The preceding files. */
function place(...names: readonly string[]): void {
  placeModel(join(folder, MODEL), names);
}

/** The files of the model in the folder, with their contents. */
function files(): Record<string, Buffer> {
  const home = join(folder, MODEL);
  if (!existsSync(home)) return {};
  const entries = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path.slice(home.length + 1), readFileSync(path)]));
}

describe('a model of the hub', () => {
  it('is not there › each file comes whole from the hub that was named, with how far it is from 0 to its end', async () => {
    const reported = new Map<string, (number | undefined)[][]>();
    const onProgress = (file: string, ...bytes: (number | undefined)[]) =>
      reported.set(file, [...(reported.get(file) ?? []), bytes]);

    expect(await bring({ hub: `${hub.url}/mirror/`, onProgress })).toBe(join(folder, MODEL));
    expect(files()).toEqual(HUB_FILES);
    expect(hub.requests.map(({ path }) => path)).toEqual(
      Object.keys(HUB_FILES).map((file) => `/mirror/${MODEL}/resolve/main/${file}`),
    );
    expect([...reported.keys()]).toEqual(Object.keys(HUB_FILES));
    const ofModel = reported.get(ONNX) ?? [];
    expect(ofModel.slice(0, 2)).toEqual([[0], [0, ONNX_BYTES]]);
    expect(ofModel.at(-1)).toEqual([ONNX_BYTES, ONNX_BYTES]);
    const loaded = ofModel.map(([bytes = 0]) => bytes);
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  });

  it('one file is missing › it is downloaded; complete › nothing is requested', async () => {
    place('config.json', 'tokenizer_config.json', ONNX);
    await bring();
    await bring();
    expect(hub.requests.map(({ path }) => path)).toEqual([`/${MODEL}/resolve/main/tokenizer.json`]);
    expect(files()).toEqual(HUB_FILES);
  });

  it('external weights › they are downloaded too', async () => {
    const config = { 'transformers.js_config': { use_external_data_format: { 'model.onnx': 2 } } };
    const weights = { 'onnx/model.onnx_data': Buffer.from('a'), 'onnx/model.onnx_data_1': Buffer.from('b') };
    hub.files = { ...HUB_FILES, 'config.json': Buffer.from(JSON.stringify(config)), ...weights };
    await bring();
    expect(files()).toEqual(hub.files);
  });

  it('not public › the token is sent with the request', async () => {
    place(...SMALL_FILES);
    await bring({ token: 'hf_x' });
    expect(hub.requests.map(({ authorization }) => authorization)).toEqual(['Bearer hf_x']);
  });

  it('the connection breaks in the middle › the download resumes, if the file is unchanged', async () => {
    place(...SMALL_FILES);
    const heard = [0, 100_000].map((bytes) => ({ bytes, ...Promise.withResolvers<void>() }));
    const onProgress = (_: string, loadedBytes: number) => {
      for (const { bytes, resolve } of heard) if (loadedBytes > bytes) resolve();
    };
    hub.reply = (_, count) => {
      const next = heard[count - 1];
      return next && { breakAfter: 100_000, heard: next.promise };
    };
    await bring({ onProgress });
    expect(files()).toEqual(HUB_FILES);
    const [first, ...more] = hub.requests;
    expect(first?.range).toBeUndefined();
    expect(more.map(({ range, ifRange }) => ({ range, ifRange }))).toEqual([
      { range: expect.stringMatching(/^bytes=\d+-$/), ifRange: `"${ONNX_BYTES}"` },
      { range: expect.stringMatching(/^bytes=\d+-$/), ifRange: `"${ONNX_BYTES}"` },
    ]);
    expect(waitedMs).toEqual([500, 1000]);
  });

  it('the hub sends the file from its beginning after an interruption › the file is complete', async () => {
    place(...SMALL_FILES);
    hub.reply = (_, count) => (count === 1 ? { breakAfter: 100_000 } : 'whole');
    await bring();
    expect(hub.requests).toHaveLength(2);
    expect(files()).toEqual(HUB_FILES);
  });

  it('the hub does not report the length › the file is complete, and its end is reported', async () => {
    place(...SMALL_FILES);
    hub.reply = () => 'no length';
    const reported: (number | undefined)[][] = [];
    await bring({ onProgress: (_, ...bytes) => reported.push(bytes) });
    expect(files()).toEqual(HUB_FILES);
    expect(reported.slice(0, 2)).toEqual([[0], [0, undefined]]);
    expect(reported.at(-1)).toEqual([ONNX_BYTES, ONNX_BYTES]);
  });

  it('the connection breaks repeatedly › one line reports the progress; no partial file remains, and the next start completes it', async () => {
    place(...SMALL_FILES);
    hub.reply = () => ({ breakAfter: 1000 });
    expect(await failureOf(bring())).toMatch(/onnx\/model\.onnx broke off after \d+ bytes \(.+\): .*--embedder-hub/);
    expect(hub.requests).toHaveLength(5);
    expect(Object.keys(files()).toSorted()).toEqual(SMALL_FILES);
    hub.reply = () => undefined;
    await bring();
    expect(files()).toEqual(HUB_FILES);
  });

  it('a partial file of a killed process › does not count, and is removed', async () => {
    place(...SMALL_FILES, ONNX);
    rmSync(join(folder, MODEL, ONNX));
    writeFileSync(join(folder, MODEL, `${ONNX}.part`), 'x'.repeat(ONNX_BYTES + 1));
    await bring();
    expect(files()).toEqual(HUB_FILES);
  });

  it('the hub is silent, or stops sending › one line reports the duration', async () => {
    place(...SMALL_FILES);
    hub.reply = () => ({ silentAfter: 0 });
    const silenceMs = 200;
    expect(await failureOf(bring({ silenceMs }))).toMatch(
      /onnx\/model\.onnx .*\(received nothing for 200 ms\): start again/,
    );
    hub.reply = () => ({ silentAfter: 1000 });
    expect(await failureOf(bring({ silenceMs }))).toMatch(
      /onnx\/model\.onnx .*\(received nothing for 200 ms\): start again/,
    );
  });

  it.each([
    [{ status: 404 }, /config\.json answered 404: is it the name of a model of the hub \(--embedder-model\)\?/],
    [{ status: 401 }, /answered 401: .*MNEME_EMBEDDER_HUB_TOKEN/],
    [{ status: 503 }, /answered 503: start again/],
    [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      /returned a web page instead of the file/,
    ],
  ])('the hub answers %j › one line says what to do', async (reply, expected) => {
    hub.reply = () => reply;
    expect(await failureOf(bring())).toMatch(expected);
    expect(files()).toEqual({});
  });

  it('it was not exported to ONNX › one line reports it', async () => {
    place(...SMALL_FILES);
    hub.files = {};
    expect(await failureOf(bring())).toMatch(/answered 404: choose a model that was exported to ONNX/);
  });

  it('the hub is unreachable › one line reports the reason, immediately', async () => {
    expect(await failureOf(bring({ hub: `http://127.0.0.1:${await freePort()}` }))).toMatch(
      /config\.json cannot be reached \(ECONNREFUSED\): .*--embedder-path/,
    );
    expect(waitedMs).toEqual([]);
  });

  it('the disk refuses it › one line reports the path', async () => {
    writeFileSync(join(folder, 'Xenova'), '');
    expect(await failureOf(bring())).toMatch(/cannot be written to \S+config\.json\.part \(ENOTDIR\): .*--data/);
  });

  it('it is aborted in the middle › fails with the reason, and no partial file remains', async () => {
    place(...SMALL_FILES);
    const ending = new AbortController();
    const reason = new Error('told to stop');
    hub.reply = () => ({ silentAfter: 1000 });
    const onProgress = (_: string, loadedBytes: number) => {
      if (loadedBytes > 0) ending.abort(reason);
    };
    await expect(bring({ signal: ending.signal, onProgress })).rejects.toBe(reason);
    expect(Object.keys(files()).toSorted()).toEqual(SMALL_FILES);
  });
});
