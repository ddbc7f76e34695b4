import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** 4 values a text, derived from its length; reads only the configured folder of the model. */
const STAND_IN = `
const { readFileSync } = require('node:fs');
const { isAbsolute, join } = require('node:path');
const env = { allowRemoteModels: true, allowLocalModels: true, cacheDir: '' };
exports.env = env;
exports.pipeline = async (task, model, options) => {
  if (task !== 'feature-extraction' || options.dtype !== 'fp32') throw new Error('other options');
  if (env.allowRemoteModels || !env.allowLocalModels || !isAbsolute(model)) throw new Error('it would download');
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) JSON.parse(readFileSync(join(model, file)));
  if (readFileSync(join(model, 'onnx/model.onnx')).length < 1000) throw new Error('Protobuf parsing failed.\\n  at somewhere');
  return async (texts, options) => {
    if (options.pooling !== 'mean' || options.normalize !== true) throw new Error('other options');
    if (texts.some((text) => text === 'fails')) throw new Error('out of memory');
    return { dims: [texts.length, 4], data: Float32Array.from(texts.flatMap((text) => [text.length, 0, 3, 0])) };
  };
};
`;

/** Puts the stand-in of the package into `node_modules` of the folder. */
export function installStandIn(folder: string): void {
  const home = join(folder, 'node_modules', '@huggingface', 'transformers');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: '@huggingface/transformers', main: 'index.cjs' }));
  writeFileSync(join(home, 'index.cjs'), STAND_IN);
}
