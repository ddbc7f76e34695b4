import type { ReflectionIndex } from './reflection-index.ts';

let loading: Promise<ReflectionIndex> | undefined;

/** Descriptors of all that is served, read when they are first asked for. */
export function loadDescriptors(): Promise<ReflectionIndex> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ReflectionIndex> {
  const { ReflectionIndex } = await import('./reflection-index.ts');
  return new ReflectionIndex(new URL('../../../../gen/image.binpb', import.meta.url));
}
