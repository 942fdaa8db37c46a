// How a column program reads the values of a field from a column (docs/internals/segment-format.md, "Column"). Programs are written for a form of
// columns; the addresses are arguments of each run.
import type { Code, Label } from './wasm-writer.ts';
import { F64, I32, I64, MEMORY, OP, type ValueType } from './wasm-writer.ts';

/** Properties of a column that the code of a program depends on. */
export interface ColumnForm {
  /** Type of the values in scripts: longs, doubles or booleans. */
  readonly shown: 'long' | 'double' | 'boolean';
  /** Multiplies the values of a column of integers that is shown as doubles. */
  readonly scale: number;
  /** null: no document of the segment has a value. */
  readonly layout: ColumnLayout | null;
}

export interface ColumnLayout {
  readonly isF64: boolean;
  /** Bytes of a stored value. */
  readonly width: number;
  readonly isMulti: boolean;
  /** Every document has a value. */
  readonly isDense: boolean;
  /** Slots are documents. */
  readonly isDirect: boolean;
}

/** Arguments of a run for each field, in order: addresses of presence, ranks, starts, values; base and multiplier. */
export const FIELD_ARGUMENTS: readonly ValueType[] = [I32, I32, I32, I32, I64, I64];

const RANK_LOG2 = 9;

export class ColumnField {
  readonly form: ColumnForm;
  readonly #first: number;
  #count: number | null = null;
  #slot: number | null = null;

  /** @param first  the local of its first argument */
  constructor(form: ColumnForm, first: number) {
    this.form = form;
    this.#first = first;
  }

  get valueType(): ValueType {
    return this.form.shown === 'double' ? F64 : this.form.shown === 'long' ? I64 : I32;
  }

  /** Leaves 1 on the stack if the document has a value, else 0. */
  #presence(code: Code, doc: number): void {
    code.get(this.#first).get(doc).i32(6).op(OP.i32ShrU).i32(3).op(OP.i32Shl, OP.i32Add).memory(MEMORY.i64Load);
    code.get(doc).op(OP.i64ExtendI32U, OP.i64ShrU).i64(1n).op(OP.i64And, OP.i32WrapI64);
  }

  /** Leaves the slot of a document that has a value. */
  #slotOf(code: Code, doc: number, { isDense, isDirect }: ColumnLayout): void {
    if (isDense || isDirect) code.get(doc);
    else this.#rank(code, doc);
  }

  /** Documents with a value before this one. */
  #rank(code: Code, doc: number): void {
    const rank = (this.#slot ??= code.local(I32));
    const word = (this.#count ??= code.local(I32));
    const block = (): Code => code.get(doc).i32(RANK_LOG2).op(OP.i32ShrU);
    code.get(this.#first + 1);
    block().i32(2).op(OP.i32Shl, OP.i32Add).memory(MEMORY.i32Load).set(rank);
    code.get(this.#first);
    block().i32(6).op(OP.i32Shl, OP.i32Add).set(word);
    const end = (): Code => code.get(this.#first).get(doc).i32(6).op(OP.i32ShrU).i32(3).op(OP.i32Shl, OP.i32Add);
    const done = code.block();
    const again = code.loop();
    code.get(word);
    end().op(OP.i32GeU).branchIf(done);
    code.get(rank).get(word).memory(MEMORY.i64Load).op(OP.i64Popcnt, OP.i32WrapI64, OP.i32Add).set(rank);
    code.get(word).i32(8).op(OP.i32Add).set(word).branch(again).end().end();
    code.get(rank).get(word).memory(MEMORY.i64Load);
    code.i64(1n).get(doc).op(OP.i64ExtendI32U, OP.i64Shl).i64(1n).op(OP.i64Sub, OP.i64And);
    code.op(OP.i64Popcnt, OP.i32WrapI64, OP.i32Add);
  }

  #start(code: Code, slot: () => void, next: number): void {
    code.get(this.#first + 2);
    slot();
    code
      .i32(2)
      .op(OP.i32Shl, OP.i32Add)
      .memory(MEMORY.i32Load, next * 4);
  }

  /** Leaves the number of values, an int. */
  size(code: Code, doc: number): void {
    const { layout } = this.form;
    if (layout === null) {
      code.i32(0);
      return;
    }
    if (layout.isMulti && layout.isDense) {
      this.#start(code, () => code.get(doc), 1);
      this.#start(code, () => code.get(doc), 0);
      code.op(OP.i32Sub);
    } else if (layout.isDense) code.i32(1);
    else if (!layout.isMulti) this.#presence(code, doc);
    else {
      this.#presence(code, doc);
      code.if(I32);
      this.#start(code, () => this.#slotOf(code, doc, layout), 1);
      this.#start(code, () => this.#slotOf(code, doc, layout), 0);
      code.op(OP.i32Sub, OP.else).i32(0).end();
    }
  }

  /** Leaves the least value; branches if there is none. */
  value(code: Code, doc: number, missing: Label): void {
    const { layout, shown, scale } = this.form;
    if (layout === null) {
      code.branch(missing);
      return;
    }
    if (!layout.isDense) {
      this.#presence(code, doc);
      code.op(OP.i32Eqz).branchIf(missing);
    }
    const index = (): void => {
      if (layout.isMulti) this.#start(code, () => this.#slotOf(code, doc, layout), 0);
      else this.#slotOf(code, doc, layout);
    };
    if (layout.isF64) {
      this.#double(code, index, layout.width);
      return;
    }
    this.#integer(code, index, layout.width);
    if (shown === 'double') {
      code.op(OP.f64ConvertI64S);
      if (scale !== 1) code.f64(scale).op(OP.f64Mul);
    } else if (shown === 'boolean') code.i64(0n).op(OP.i64Ne);
  }

  #double(code: Code, index: () => void, width: number): void {
    if (width === 0) {
      code.get(this.#first + 4).op(OP.f64ReinterpretI64);
      return;
    }
    this.#address(code, index, width);
    if (width === 4) code.memory(MEMORY.f32Load).op(OP.f64PromoteF32);
    else code.memory(MEMORY.f64Load);
  }

  #integer(code: Code, index: () => void, width: number): void {
    code.get(this.#first + 4);
    if (width === 0) return;
    this.#address(code, index, width);
    code.memory(width === 1 ? MEMORY.i64Load8U : width === 2 ? MEMORY.i64Load16U : width === 4 ? MEMORY.i64Load32U : MEMORY.i64Load);
    code.get(this.#first + 5).op(OP.i64Mul, OP.i64Add);
  }

  #address(code: Code, index: () => void, width: number): void {
    code.get(this.#first + 3);
    index();
    if (width > 1) code.i32(Math.log2(width)).op(OP.i32Shl);
    code.op(OP.i32Add);
  }
}
