// Access to the fields of records in kernel memory by their generated layouts (src/wasm/generated): a field read or written as another type than
// its own does not compile. Records are at multiples of the size of their largest field, as the layouts assume.

/** Offset of a field in a record. `type` is the AssemblyScript type of the field; it exists only for the type checker. */
export type Offset<T extends string> = number & { readonly type: T };

/** A generated layout: offsets of fields, and the size of the record in bytes. */
export interface RecordLayout {
  readonly sizeof: number;
}

type U32Field = Offset<'u32' | 'usize'>;

/** Views of a whole memory. */
export interface MemoryViews {
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly view: DataView;
}

export function getU32(k: MemoryViews, ptr: number, field: U32Field): number {
  return k.u32[(ptr + field) >>> 2];
}

export function setU32(k: MemoryViews, ptr: number, field: U32Field, value: number): void {
  k.u32[(ptr + field) >>> 2] = value;
}

export function getI32(k: MemoryViews, ptr: number, field: Offset<'i32'>): number {
  return k.u32[(ptr + field) >>> 2] | 0;
}

export function setI32(k: MemoryViews, ptr: number, field: Offset<'i32'>, value: number): void {
  k.u32[(ptr + field) >>> 2] = value;
}

export function getF32(k: MemoryViews, ptr: number, field: Offset<'f32'>): number {
  return k.f32[(ptr + field) >>> 2];
}

export function setF32(k: MemoryViews, ptr: number, field: Offset<'f32'>, value: number): void {
  k.f32[(ptr + field) >>> 2] = value;
}

export function setF64(k: MemoryViews, ptr: number, field: Offset<'f64'>, value: number): void {
  k.f64[(ptr + field) >>> 3] = value;
}

export function getF64(k: MemoryViews, ptr: number, field: Offset<'f64'>): number {
  return k.f64[(ptr + field) >>> 3];
}

export function getI64(k: MemoryViews, ptr: number, field: Offset<'i64'>): bigint {
  return k.view.getBigInt64(ptr + field, true);
}

export function setI64(k: MemoryViews, ptr: number, field: Offset<'i64'>, value: bigint): void {
  k.view.setBigInt64(ptr + field, value, true);
}

export function getU64(k: MemoryViews, ptr: number, field: Offset<'u64'>): bigint {
  return k.view.getBigUint64(ptr + field, true);
}

export function setU64(k: MemoryViews, ptr: number, field: Offset<'u64'>, value: bigint): void {
  k.view.setBigUint64(ptr + field, value, true);
}
