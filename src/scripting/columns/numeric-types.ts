// Types that column programs compute with, and Java's conversions between them. The type of a def value is known when a program is generated,
// since the types of fields and parameters are.
import { type Code, F32, F64, I32, I64, OP, SATURATE, type ValueType } from './wasm-writer.ts';

export type NumericType = 'int' | 'long' | 'float' | 'double';
export type PlainType = NumericType | 'boolean';

const RANK: Readonly<Record<NumericType, number>> = { int: 0, long: 1, float: 2, double: 3 };
const BY_RANK: readonly NumericType[] = ['int', 'long', 'float', 'double'];

export const VALUE_TYPES: Readonly<Record<PlainType, ValueType>> = { int: I32, boolean: I32, long: I64, float: F32, double: F64 };

export const isNumeric = (type: PlainType): type is NumericType => type !== 'boolean';

export const promote = (a: NumericType, b: NumericType): NumericType => BY_RANK[Math.max(RANK[a], RANK[b])];

/** True if a conversion loses nothing of the range: it needs no cast. */
export const isWidening = (from: PlainType, to: PlainType): boolean =>
  from === to || (isNumeric(from) && isNumeric(to) && RANK[from] < RANK[to]);

/** Instructions of each conversion between numbers. */
const CONVERSIONS: Readonly<Record<string, (code: Code) => void>> = {
  'int long': (code) => code.op(OP.i64ExtendI32S),
  'int float': (code) => code.op(OP.f32ConvertI32S),
  'int double': (code) => code.op(OP.f64ConvertI32S),
  'long int': (code) => code.op(OP.i32WrapI64),
  'long float': (code) => code.op(OP.f32ConvertI64S),
  'long double': (code) => code.op(OP.f64ConvertI64S),
  'float int': (code) => code.saturate(SATURATE.i32F32),
  'float long': (code) => code.saturate(SATURATE.i64F32),
  'float double': (code) => code.op(OP.f64PromoteF32),
  'double int': (code) => code.saturate(SATURATE.i32F64),
  'double long': (code) => code.saturate(SATURATE.i64F64),
  'double float': (code) => code.op(OP.f32DemoteF64),
};

/** Converts the value on the stack. */
export function convert(code: Code, from: PlainType, to: PlainType): void {
  if (from !== to) CONVERSIONS[`${from} ${to}`](code);
}

/** A constant on the stack. */
export function constant(code: Code, type: PlainType, value: number | bigint | boolean): void {
  if (type === 'long') code.i64(BigInt(value));
  else if (type === 'double') code.f64(Number(value));
  else if (type === 'float') code.f32(Number(value));
  else code.i32(Number(value));
}
