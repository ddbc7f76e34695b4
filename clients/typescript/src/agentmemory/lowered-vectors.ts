const I8_MAX = 127;
const INFINITY_BF16 = 0x7f80;

/** The values in a form (`f32`, `bf16`, `i8`), cut to a dimension; 0 keeps all. */
export function lowered(values: Float32Array, form: string, dimension: number): number[] {
  const kept = dimension > 0 ? values.slice(0, dimension) : values.slice();
  if (form === 'bf16') return Array.from(bf16(kept));
  return Array.from(form === 'i8' ? i8(kept) : kept);
}

function bf16(values: Float32Array): Float32Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return new Float32Array(new Uint32Array(bits.map((each) => half(each) << 16)).buffer);
}

/** Upper half, rounded to even, but never up to infinity. */
function half(bits: number): number {
  const rounded = ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
  return (rounded & 0x7fff) >= INFINITY_BF16 ? bits >>> 16 : rounded;
}

function i8(values: Float32Array): Float32Array {
  const scale = Math.fround(values.reduce((most, each) => Math.max(most, Math.abs(each)), 0) / I8_MAX);
  if (!(scale > 0)) return new Float32Array(values.length);
  const perUnit = 1 / scale;
  return values.map((each) => {
    const whole = Math.trunc(each * perUnit + I8_MAX + 1.5) - (I8_MAX + 1);
    return Math.min(I8_MAX, Math.max(-I8_MAX, whole)) * scale;
  });
}
