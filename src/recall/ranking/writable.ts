/** The same with fields that can be written, for objects that are filled again and again. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
