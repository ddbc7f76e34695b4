/** The part of WebAssembly that is used: of all type libraries only those of browsers declare it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }

  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }

  interface Memory {
    /** Another one after each `grow`. */
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KiB; gives how many there were. Throws a RangeError where there is no more memory. */
    grow(pages: number): number;
  }
}
