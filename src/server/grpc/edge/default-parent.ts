import { fieldsOf, isAlternative, verbOf } from './permissions.ts';

/** Namespace of requests that name none. */
const DEFAULT_PARENT = 'namespaces/default';
const ERASING: ReadonlySet<string | undefined> = new Set(['delete', 'admin']);

/**
 * By method: where its requests have their namespace; absent where they are about all namespaces without one, and where the
 * method deletes or administers: a caller that has lost the name of its namespace must not erase the default one.
 */
const paths = new Map<string, readonly string[] | undefined>();

function pathOf(method: string): readonly string[] | undefined {
  if (!paths.has(method)) {
    const fields = ERASING.has(verbOf(method)) ? [] : fieldsOf(method);
    const field = fields.find(({ name, isOptional }) => /^(?:[a-z]+\.)?parent$/.test(name) && !isOptional);
    paths.set(method, field?.path);
  }
  return paths.get(method);
}

/** Sets the namespace of a request that names none; the part that would name it may be absent. */
export function setDefaultParent(method: string, request: object): void {
  const path = pathOf(method);
  if (!path) return;
  const [part] = path;
  const named = path.length === 1 ? request : partOf(request, part ?? '');
  if (named && 'parent' in named && named.parent === '') named.parent = DEFAULT_PARENT;
}

/** A field, or the alternative of a oneof with its name. */
function partOf(request: object, name: string): object | undefined {
  const fields = request as Readonly<Record<string, unknown>>;
  const part = Object.values(fields).find((each) => isAlternative(each) && each.$case === name);
  const value = fields[name] ?? (isAlternative(part) ? part.value : undefined);
  return typeof value === 'object' && value !== null ? value : undefined;
}
