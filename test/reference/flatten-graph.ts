// Flattens a token graph into positions, slow and obvious: nodes in maps, tokens in lists.
import type { PlainToken } from './token-filters.ts';

/** A node of the input graph. */
interface InputNode {
  node: number;
  tokens: PlainToken[];
  maxTo: number;
  minTo: number;
  /** Position that it maps to; grows while tokens arrive. */
  output: number;
  nextOut: number;
}

/** A position of the result. */
interface OutputNode {
  inputs: number[];
  node: number;
  nextOut: number;
  start: number;
  end: number;
}

class Flattener {
  private readonly inputs = new Map<number, InputNode>();
  private readonly outputs = new Map<number, OutputNode>();
  private maxOutput = -1;
  private from = -1;
  private outputFrom = 0;
  private lastOutputFrom = -1;
  private lastStart = 0;
  private readonly result: PlainToken[] = [];

  run(tokens: readonly PlainToken[]): PlainToken[] {
    const first = this.input(0);
    first.node = 0;
    first.output = 0;
    const output = this.output(0);
    output.node = 0;
    output.inputs.push(0);
    output.start = 0;
    for (const token of tokens) {
      this.add(token);
      this.release(false);
    }
    this.release(true);
    return this.result;
  }

  private input(id: number): InputNode {
    let node = this.inputs.get(id);
    if (!node) {
      node = { node: -1, tokens: [], maxTo: -1, minTo: Number.MAX_SAFE_INTEGER, output: -1, nextOut: 0 };
      this.inputs.set(id, node);
    }
    return node;
  }

  private output(id: number): OutputNode {
    let node = this.outputs.get(id);
    if (!node) {
      node = { inputs: [], node: -1, nextOut: 0, start: -1, end: -1 };
      this.outputs.set(id, node);
    }
    if (id > this.maxOutput) this.maxOutput = id;
    return node;
  }

  private add(token: PlainToken): void {
    this.from += token.posInc;
    const to = this.from + token.posLen;
    const source = this.input(this.from);
    if (source.node === -1) this.enterAfterHole(source, token);
    else {
      let out = this.output(source.output);
      const before = this.input(this.from - token.posInc);
      if (token.posInc > 1 && source.output - before.output <= 1 && before.minTo !== this.from) {
        // A long path over a hole has placed this node too early; place it again.
        out.inputs = out.inputs.filter((id) => id !== this.from);
        source.output = -1;
        const { end } = out;
        out = this.enterAfterHole(source, token);
        out.end = end;
      }
      if (out.start === -1 || token.startOffset > out.start) out.start = Math.max(token.startOffset, out.start);
    }
    source.tokens.push(token);
    source.maxTo = Math.max(source.maxTo, to);
    source.minTo = Math.min(source.minTo, to);
    this.arrive(to, source.output + 1, token.endOffset);
  }

  /** A token arrives at a node that must be at `position` at least. */
  private arrive(to: number, position: number, endOffset: number): void {
    const target = this.input(to);
    if (target.node === -1) target.node = to;
    if (position > target.output) {
      if (target.output !== -1) {
        const old = this.output(target.output);
        old.inputs = old.inputs.filter((id) => id !== to);
      }
      this.output(position).inputs.push(to);
      target.output = position;
    }
    const out = this.output(target.output);
    // The smallest end offset wins, so that original tokens keep theirs.
    if (out.end === -1 || endOffset < out.end) out.end = endOffset;
  }

  /** A node without incoming tokens: it follows a hole. */
  private enterAfterHole(source: InputNode, token: PlainToken): OutputNode {
    source.node = this.from;
    const before = this.from - token.posInc;
    let position: number;
    if (before < 0) position = this.maxOutput + 1;
    else {
      const previous = this.input(before);
      position = previous.minTo < this.from ? this.input(previous.minTo).output + 1 : this.maxOutput;
    }
    const out = this.output(position);
    source.output = position;
    if (out.node === -1) {
      out.node = position;
      out.start = token.startOffset;
    } else out.start = Math.max(token.startOffset, out.start);
    out.inputs.push(this.from);
    return out;
  }

  /** Writes the tokens of positions that are final. */
  private release(done: boolean): void {
    while (this.outputFrom < this.maxOutput) {
      const output = this.output(this.outputFrom);
      if (!output.inputs.length) {
        this.outputFrom++;
        continue;
      }
      const maxTo = Math.max(-1, ...output.inputs.map((id) => this.input(id).maxTo));
      if (maxTo > this.from && !done) return;
      const input = this.input(output.inputs[output.nextOut]);
      if (!input.tokens.length) {
        if (output.inputs.length > 1 && ++output.nextOut < output.inputs.length) continue;
        this.free(output);
        continue;
      }
      this.write(input, output);
      if (input.nextOut === input.tokens.length && ++output.nextOut === output.inputs.length) this.free(output);
    }
  }

  private write(input: InputNode, output: OutputNode): void {
    const token = input.tokens[input.nextOut++];
    const target = this.input(input.node + token.posLen);
    const start = Math.max(this.lastStart, output.start);
    const end = Math.max(start, this.output(target.output).end);
    this.result.push({
      ...token,
      posInc: this.outputFrom - this.lastOutputFrom,
      posLen: target.output - this.outputFrom,
      startOffset: start,
      endOffset: end,
    });
    this.lastOutputFrom = this.outputFrom;
    this.lastStart = start;
  }

  private free(output: OutputNode): void {
    this.outputFrom++;
    const before = Math.min(...output.inputs);
    for (const id of this.inputs.keys()) if (id < before) this.inputs.delete(id);
    for (const id of this.outputs.keys()) if (id < this.outputFrom) this.outputs.delete(id);
  }
}

export function flattened(tokens: readonly PlainToken[]): PlainToken[] {
  return new Flattener().run(tokens);
}
