// Flattens a token graph into a sequence of positions ("sausages"), which an index can represent. Side paths are merged: nodes of the input graph
// get output positions in order, each at least one after the position of every token that leads to it. Tokens are buffered until no later token can
// move their position.
// Source: the behaviour that Lucene documents for FlattenGraphFilter.
// Nodes and tokens are kept in flatten-store.ts; if it is full, a larger region is needed.
import { E_NO_SPACE } from '../../../mem/status';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { AreaState, Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { Token } from '../../token';
import { addInput, cellAt, dropHeld, Flattener, heldAt, hold, InputNode, inputNode, layOut, OutputNode, outputNode, removeInput } from './flatten-store';

export function flattenNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<AreaState>(stage), input = inputOf(stage), flattener = changetype<Flattener>((stage.termsPtr + 7) & ~7);
  if (!state.isLaidOut) {
    if (!layOut(flattener, stage)) return E_NO_SPACE;
    state.isLaidOut = 1;
  }
  stage.termCur = flattener.outPtr;
  const outEnd = termsLimit(stage, flattener.outPtr);
  let made: u32 = 0;
  while (made < chain.batch) {
    const status = release(flattener, stage, made, outEnd);
    if (flattener.isFull) return E_NO_SPACE;
    if (status < 0) return made ? made : status;
    if (status) {
      made++;
      continue;
    }
    if (flattener.isEnded) break;
    const next = awaitToken(chain, stage);
    if (next < 0) return next;
    if (next) {
      add(flattener, tokenAt(input, input.taken));
      input.taken++;
      if (flattener.isFull) return E_NO_SPACE;
    } else flattener.isEnded = 1;
  }
  return made;
}

// --- positions

function add(flattener: Flattener, token: Token): void {
  const posInc = <i32>token.posInc;
  flattener.from += posInc;
  const from = flattener.from, to = from + <i32>token.posLen;
  const source = inputNode(flattener, from);
  if (source.node == -1) enterAfterHole(flattener, source, token);
  else {
    let out = outputNode(flattener, source.output);
    const before = inputNode(flattener, from - posInc);
    if (posInc > 1 && source.output - before.output <= 1 && before.minTo != from) {
      // A long path over a hole has placed this node too early; place it again.
      removeInput(flattener, out, from);
      source.output = -1;
      const end = out.end;
      out = enterAfterHole(flattener, source, token);
      out.end = end;
    }
    out.start = max(<i32>token.startOffset, out.start);
  }
  hold(flattener, source, token);
  source.maxTo = max(source.maxTo, to);
  source.minTo = min(source.minTo, to);
  arrive(flattener, to, source.output + 1, token.endOffset);
}

/** Records that a token arrives at a node, which must be at `position` at least. */
function arrive(flattener: Flattener, to: i32, position: i32, endOffset: i32): void {
  const target = inputNode(flattener, to);
  if (target.node == -1) target.node = to;
  if (position > target.output) {
    if (target.output != -1) removeInput(flattener, outputNode(flattener, target.output), to);
    addInput(flattener, outputNode(flattener, position), to);
    target.output = position;
  }
  const out = outputNode(flattener, target.output);
  // The smallest end offset wins, so that original tokens keep theirs.
  if (out.end == -1 || endOffset < out.end) out.end = endOffset;
}

/** A node without incoming tokens: it follows a hole. */
function enterAfterHole(flattener: Flattener, source: InputNode, token: Token): OutputNode {
  const from = flattener.from, before = from - <i32>token.posInc, start = <i32>token.startOffset;
  source.node = from;
  let position: i32;
  if (before < 0) position = flattener.maxOutput + 1;
  else {
    const previous = inputNode(flattener, before);
    position = previous.minTo < from ? inputNode(flattener, previous.minTo).output + 1 : flattener.maxOutput;
  }
  const out = outputNode(flattener, position);
  source.output = position;
  if (out.node == -1) {
    out.node = position;
    out.start = start;
  } else out.start = max(start, out.start);
  addInput(flattener, out, from);
  return out;
}

/** Emits the next token whose position is final. Returns 1, 0 if there is none, or E_NO_SPACE: return the batch first. */
function release(flattener: Flattener, stage: Stage, made: u32, outEnd: usize): i32 {
  while (flattener.outputFrom < flattener.maxOutput && !flattener.isFull) {
    const output = outputNode(flattener, flattener.outputFrom);
    if (!output.inputCount) {
      flattener.outputFrom++;
      continue;
    }
    let maxTo: i32 = -1, number: u32 = 0, current: i32 = -1;
    for (let place = output.firstInput; place; number++) {
      const cell = cellAt(flattener, place);
      if (number == output.nextOut) current = cell.value;
      maxTo = max(maxTo, inputNode(flattener, cell.value).maxTo);
      place = cell.next;
    }
    if (maxTo > flattener.from && !flattener.isEnded) return 0;
    const input = inputNode(flattener, max(current, 0));
    if (current < 0 || !input.hasTokens) {
      if (current < 0 || output.inputCount == 1 || ++output.nextOut >= output.inputCount) free(flattener, output);
      continue;
    }
    const status = write(flattener, stage, made, input, output, outEnd);
    if (status < 0) return status;
    if (!input.first && ++output.nextOut >= output.inputCount) free(flattener, output);
    return 1;
  }
  return 0;
}

function write(flattener: Flattener, stage: Stage, made: u32, input: InputNode, output: OutputNode, outEnd: usize): i32 {
  const token = changetype<Token>(heldAt(flattener, input.first));
  if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return E_NO_SPACE;
  const target = inputNode(flattener, input.node + <i32>token.posLen), copy = tokenAt(stage, made);
  const start = max(flattener.lastStart, output.start), end = max(start, outputNode(flattener, target.output).end);
  copy.posInc = flattener.outputFrom - flattener.lastOutputFrom;
  copy.posLen = target.output - flattener.outputFrom;
  copy.startOffset = start;
  copy.endOffset = end;
  flattener.lastOutputFrom = flattener.outputFrom;
  flattener.lastStart = start;
  dropHeld(flattener, input);
  return 0;
}

/** Releases a position and everything before its nodes. */
function free(flattener: Flattener, output: OutputNode): void {
  flattener.outputFrom++;
  flattener.outputsFrom = flattener.outputFrom;
  let before: i32 = i32.MAX_VALUE;
  for (let place = output.firstInput; place; ) {
    const cell = cellAt(flattener, place);
    before = min(before, cell.value);
    place = cell.next;
  }
  if (before != i32.MAX_VALUE) flattener.inputsFrom = max(flattener.inputsFrom, before);
}
