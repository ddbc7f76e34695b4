import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import type { Embedder } from './embedding/embedder.ts';
import { noEmbedder } from './embedding/none.ts';
import type { StaticTexts } from './embedding/static/static-texts.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Told how far the download of a file of a model is. */
export type OnDownload = (file: string, loadedBytes: number, totalBytes: number) => void;

/** The embedder that the settings ask for. Only its own files are loaded: start-up is what everybody waits for. */
export async function openEmbedder(config: Config, texts: StaticTexts, onDownload?: OnDownload): Promise<Embedder> {
  switch (config.embedder) {
    case 'none':
      return noEmbedder;
    case 'static':
      return new (await import('./embedding/static/static-embedder.ts')).StaticEmbedder(texts);
    case 'hashing':
      return new (await import('./embedding/hashing.ts')).HashingEmbedder();
    case 'http':
      return new (await import('./embedding/http.ts')).HttpEmbedder({
        url: config.embedderUrl,
        model: config.embedderModel,
        apiKey: config.embedderApiKey,
        dimension: config.embedderDimension,
        timeoutMs: config.embedderTimeoutMs,
        batch: { countMax: config.embedderBatchSize },
      });
    case 'transformers':
      return (await import('./embedding/transformers.ts')).TransformersEmbedder.load({
        model: config.embedderModel,
        path: config.embedderPath,
        cacheFolder: join(config.data, 'models'),
        packageFolder: PROJECT,
        ...(onDownload ? { onProgress: onDownload } : {}),
      });
  }
}
