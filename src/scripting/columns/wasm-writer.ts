// Writes WebAssembly: the instructions of one function, and the module around it. Positions of labels are kept, so that branches name them.
// Source: WebAssembly core specification, binary format.

/** Value types by their code: i32, i64, f32, f64. */
export const I32 = 0x7f;
export const I64 = 0x7e;
export const F32 = 0x7d;
export const F64 = 0x7c;
export type ValueType = typeof I32 | typeof I64 | typeof F32 | typeof F64;

const VOID_BLOCK = 0x40;

/** Instructions without immediates. */
export const OP = {
  else: 0x05,
  drop: 0x1a,
  select: 0x1b,
  i32Eqz: 0x45,
  i32Eq: 0x46,
  i32Ne: 0x47,
  i32LtS: 0x48,
  i32GtS: 0x4a,
  i32LeS: 0x4c,
  i32GeS: 0x4e,
  i32GeU: 0x4f,
  i64Eqz: 0x50,
  i64Eq: 0x51,
  i64Ne: 0x52,
  i64LtS: 0x53,
  i64GtS: 0x55,
  i64LeS: 0x57,
  i64GeS: 0x59,
  f32Eq: 0x5b,
  f32Ne: 0x5c,
  f32Lt: 0x5d,
  f32Gt: 0x5e,
  f32Le: 0x5f,
  f32Ge: 0x60,
  f64Eq: 0x61,
  f64Ne: 0x62,
  f64Lt: 0x63,
  f64Gt: 0x64,
  f64Le: 0x65,
  f64Ge: 0x66,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32Mul: 0x6c,
  i32DivS: 0x6d,
  i32RemS: 0x6f,
  i32And: 0x71,
  i32Or: 0x72,
  i32Xor: 0x73,
  i32Shl: 0x74,
  i32ShrS: 0x75,
  i32ShrU: 0x76,
  i64Popcnt: 0x7b,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64Mul: 0x7e,
  i64DivS: 0x7f,
  i64RemS: 0x81,
  i64And: 0x83,
  i64Or: 0x84,
  i64Xor: 0x85,
  i64Shl: 0x86,
  i64ShrS: 0x87,
  i64ShrU: 0x88,
  f32Neg: 0x8c,
  f32Add: 0x92,
  f32Sub: 0x93,
  f32Mul: 0x94,
  f32Div: 0x95,
  f64Abs: 0x99,
  f64Neg: 0x9a,
  f64Ceil: 0x9b,
  f64Floor: 0x9c,
  f64Sqrt: 0x9f,
  f64Add: 0xa0,
  f64Sub: 0xa1,
  f64Mul: 0xa2,
  f64Div: 0xa3,
  f64Min: 0xa4,
  f64Max: 0xa5,
  i32WrapI64: 0xa7,
  i64ExtendI32S: 0xac,
  i64ExtendI32U: 0xad,
  f32ConvertI32S: 0xb2,
  f32ConvertI64S: 0xb4,
  f32DemoteF64: 0xb6,
  f64ConvertI32S: 0xb7,
  f64ConvertI64S: 0xb9,
  f64PromoteF32: 0xbb,
  f64ReinterpretI64: 0xbf,
} as const;

/** Loads and stores, with their natural alignment as a power of two. */
export const MEMORY = {
  i32Load: [0x28, 2],
  i64Load: [0x29, 3],
  f32Load: [0x2a, 2],
  f64Load: [0x2b, 3],
  i64Load8U: [0x31, 0],
  i64Load16U: [0x33, 1],
  i64Load32U: [0x35, 2],
  i64Store: [0x37, 3],
  f64Store: [0x39, 3],
} as const;

/** Conversions that saturate, after the prefix 0xfc. */
export const SATURATE = { i32F32: 0, i32F64: 2, i64F32: 4, i64F64: 6 } as const;

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const isLast = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

const scratch = new DataView(new ArrayBuffer(8));

/** The number of blocks around an instruction, by which branches find a block. */
export type Label = number;

/** Instructions of a function body. */
export class Code {
  readonly bytes: number[] = [];
  readonly #locals: ValueType[] = [];
  readonly #params: number;
  #depth = 0;

  /** @param params  number of parameters, which are the first locals */
  constructor(params: number) {
    this.#params = params;
  }

  op(...codes: number[]): this {
    this.bytes.push(...codes);
    return this;
  }

  /** A new variable, initially 0. */
  local(type: ValueType): number {
    this.#locals.push(type);
    return this.#params + this.#locals.length - 1;
  }

  get(local: number): this {
    return this.op(0x20, ...unsigned(local));
  }

  set(local: number): this {
    return this.op(0x21, ...unsigned(local));
  }

  tee(local: number): this {
    return this.op(0x22, ...unsigned(local));
  }

  i32(value: number): this {
    return this.op(0x41, ...signed(BigInt(value | 0)));
  }

  i64(value: bigint): this {
    return this.op(0x42, ...signed(value));
  }

  f32(value: number): this {
    scratch.setFloat32(0, value, true);
    return this.op(0x43, ...new Uint8Array(scratch.buffer, 0, 4));
  }

  f64(value: number): this {
    scratch.setFloat64(0, value, true);
    return this.op(0x44, ...new Uint8Array(scratch.buffer));
  }

  memory([code, align]: readonly [number, number], offset = 0): this {
    return this.op(code, align, ...unsigned(offset));
  }

  saturate(kind: number): this {
    return this.op(0xfc, kind);
  }

  call(index: number): this {
    return this.op(0x10, ...unsigned(index));
  }

  /** Starts a block whose end `branch` continues at. */
  block(): Label {
    this.op(0x02, VOID_BLOCK);
    return ++this.#depth;
  }

  /** Starts a block whose start `branch` continues at. */
  loop(): Label {
    this.op(0x03, VOID_BLOCK);
    return ++this.#depth;
  }

  /** Starts a block that runs if the value on the stack is not 0. @param result  type of the value that both branches leave */
  if(result?: ValueType): Label {
    this.op(0x04, result ?? VOID_BLOCK);
    return ++this.#depth;
  }

  end(): this {
    this.#depth--;
    return this.op(0x0b);
  }

  branch(to: Label): this {
    return this.op(0x0c, ...unsigned(this.#depth - to));
  }

  branchIf(to: Label): this {
    return this.op(0x0d, ...unsigned(this.#depth - to));
  }

  return(): this {
    return this.op(0x0f);
  }

  /** The body, encoded for the code section. */
  body(): number[] {
    const locals = this.#locals.flatMap((type) => [1, type]);
    return sized([...unsigned(this.#locals.length), ...locals, ...this.bytes, 0x0b]);
  }
}

/** A function of numbers that the host provides. */
export interface Imported {
  readonly params: readonly ValueType[];
  readonly result: ValueType;
}

const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];
const vector = (items: ReadonlyArray<readonly number[]>): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, items: ReadonlyArray<readonly number[]>): number[] => [id, ...sized(vector(items))];
const name = (text: string): number[] => sized([...Buffer.from(text)]);
const functionType = (params: readonly ValueType[], results: readonly ValueType[]): number[] => [
  0x60,
  ...unsigned(params.length),
  ...params,
  ...unsigned(results.length),
  ...results,
];

/** A module that exports one function `run`, which returns an i32. It imports a shared memory `e.m`, and functions `f.0`, `f.1` ... */
export function moduleOf(params: readonly ValueType[], imports: readonly Imported[], code: Code): Uint8Array<ArrayBuffer> {
  const types = [functionType(params, [I32]), ...imports.map((used) => functionType(used.params, [used.result]))];
  const memory = [...name('e'), ...name('m'), 0x02, 0x03, ...unsigned(1), ...unsigned(65536)];
  const functions = imports.map((_, i) => [...name('f'), ...name(String(i)), 0x00, ...unsigned(i + 1)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, [memory, ...functions]),
    ...section(3, [[0]]),
    ...section(7, [[...name('run'), 0x00, ...unsigned(imports.length)]]),
    ...section(10, [code.body()]),
  ]);
}
