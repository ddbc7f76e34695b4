/** Values that an option may have. */
export type Shape =
  | 'any'
  | 'string'
  | 'number'
  | 'boolean'
  | 'bigint'
  | 'null'
  | 'undefined'
  | 'function'
  /** A `Date`, milliseconds, or a text. */
  | 'time'
  /** A condition made with `where`. */
  | 'filter'
  | { readonly ref: string }
  | { readonly object: ObjectShape }
  | { readonly list: Shape }
  /** An iterable, asynchronous or not. */
  | { readonly each: Shape }
  | { readonly one: readonly (string | number | boolean)[] }
  | { readonly either: readonly Shape[] };

/** Options by name; optional ones end with `?`, and `*` stands for every other name. */
export interface ObjectShape {
  readonly [name: string]: Shape;
}

/** Parameters by name; optional ones end with `?`. */
export interface Call {
  readonly parameters: readonly (readonly [string, Shape])[];
  readonly isPromise?: boolean;
  /** Calls of the object that it answers with. */
  readonly answer?: string;
}

/** Calls by name; a text names the calls of the object that a property holds. */
export interface Calls {
  readonly [name: string]: Call | string;
}

export interface ShapeTable {
  readonly objects: Readonly<Record<string, ObjectShape>>;
  readonly calls: Readonly<Record<string, Calls>>;
}
