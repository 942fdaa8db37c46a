// Flattens a token graph into a sequence of positions ("sausages"), which an index can represent. Side paths are merged: nodes of the input graph
// get output positions in order, each at least one after the position of every token that leads to it. Tokens are buffered until no later token can
// move their position.
// Source: the behaviour that Lucene documents for FlattenGraphFilter.
//   area ├─ Flattener ─┬─ InputNode × nodes ─┬─ OutputNode × nodes ─┬─ Cell × cells ─┬─ Held × helds ─┬─ terms ─┬─ terms ─┬─ batch's terms ─┤
// Nodes are stored in rings by their number. If two live nodes need the same slot, or there are too many tokens, a larger region is needed.
import { E_NO_SPACE } from '../../../mem/status';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { AreaState, Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { copyToken, Token, TOKEN_BYTES } from '../../token';

/** A node of the input graph. */
// @ts-ignore: decorator
@unmanaged
class InputNode {
  /** Number of the node + 2; 0 if the slot is free. */
  id: u32;
  node: i32;
  /** Tokens that leave the node and have not been written: indices of Held + 1, 0 for none. */
  first: u32;
  last: u32;
  hasTokens: u32;
  maxTo: i32;
  minTo: i32;
  /** Output position of the node; grows while tokens arrive. */
  output: i32;
}

/** A position of the output. */
// @ts-ignore: decorator
@unmanaged
class OutputNode {
  id: u32;
  node: i32;
  /** Input nodes at this position: indices of Cell + 1. */
  firstInput: u32;
  inputCount: u32;
  /** How many of them have been written. */
  nextOut: u32;
  start: i32;
  end: i32;
}

// @ts-ignore: decorator
@unmanaged
class Cell {
  value: i32;
  next: u32;
}

/** A buffered token: its record, and the index + 1 of the next one. */
const HELD_BYTES: usize = TOKEN_BYTES + 8;

// @ts-ignore: decorator
@unmanaged
class Flattener {
  inputs: usize;
  outputs: usize;
  mask: u32;
  cells: usize;
  cellCount: u32;
  cellsUsed: u32;
  freeCell: u32;
  helds: usize;
  heldCount: u32;
  heldsUsed: u32;
  freeHeld: u32;
  /** The half of the terms' room in use, the other half, and where the next term goes. */
  terms: usize;
  otherTerms: usize;
  termsBytes: usize;
  termCur: usize;
  outPtr: usize;
  /** Nodes below these have been released. */
  inputsFrom: i32;
  outputsFrom: i32;
  maxOutput: i32;
  from: i32;
  outputFrom: i32;
  lastOutputFrom: i32;
  lastStart: i32;
  /** 1 if a slot was needed that a live node occupies, or the pools are exhausted. */
  isFull: u32;
  isEnded: u32;
}

export function flattenNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<AreaState>(stage), input = inputOf(stage), flattener = changetype<Flattener>((stage.termsPtr + 7) & ~7);
  if (!state.isLaidOut) {
    if (!open(flattener, stage)) return E_NO_SPACE;
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

/** Divides the area. False: it is too small. */
function open(flattener: Flattener, stage: Stage): bool {
  const base = changetype<usize>(flattener), eighth = ((stage.termsEnd - base) >> 3) & ~7;
  const head = (offsetof<Flattener>() + 7) & ~7;
  if (eighth < head + 512) return false;
  memory.fill(base, 0, head);
  const nodes: u32 = 1 << (31 - clz<u32>(<u32>((eighth - head) / offsetof<InputNode>())));
  flattener.mask = nodes - 1;
  flattener.inputs = base + head;
  flattener.outputs = base + eighth;
  memory.fill(flattener.inputs, 0, <usize>nodes * offsetof<InputNode>());
  memory.fill(flattener.outputs, 0, <usize>nodes * offsetof<OutputNode>());
  flattener.cells = base + eighth * 2;
  flattener.cellCount = <u32>(eighth / offsetof<Cell>());
  flattener.helds = base + eighth * 3;
  flattener.heldCount = <u32>(eighth / HELD_BYTES);
  flattener.terms = base + eighth * 4;
  flattener.otherTerms = base + eighth * 5;
  flattener.termsBytes = eighth;
  flattener.termCur = flattener.terms;
  flattener.outPtr = base + eighth * 6;
  flattener.maxOutput = -1;
  flattener.from = -1;
  flattener.lastOutputFrom = -1;
  inputNode(flattener, 0).node = 0;
  inputNode(flattener, 0).output = 0;
  const output = outputNode(flattener, 0);
  output.node = 0;
  output.start = 0;
  addInput(flattener, output, 0);
  return true;
}

// --- nodes

function inputNode(flattener: Flattener, id: i32): InputNode {
  const node = changetype<InputNode>(flattener.inputs + <usize>(<u32>id & flattener.mask) * offsetof<InputNode>());
  if (node.id == <u32>(id + 2)) return node;
  if (node.id && <i32>node.id - 2 >= flattener.inputsFrom) flattener.isFull = 1;
  while (node.first) dropHeld(flattener, node);
  node.id = id + 2;
  node.node = -1;
  node.last = 0;
  node.hasTokens = 0;
  node.maxTo = -1;
  node.minTo = i32.MAX_VALUE;
  node.output = -1;
  return node;
}

function outputNode(flattener: Flattener, id: i32): OutputNode {
  const node = changetype<OutputNode>(flattener.outputs + <usize>(<u32>id & flattener.mask) * offsetof<OutputNode>());
  if (node.id != <u32>(id + 2)) {
    if (node.id && <i32>node.id - 2 >= flattener.outputsFrom) flattener.isFull = 1;
    clearInputs(flattener, node);
    node.id = id + 2;
    node.node = -1;
    node.nextOut = 0;
    node.start = -1;
    node.end = -1;
  }
  if (id > flattener.maxOutput) flattener.maxOutput = id;
  return node;
}

// @ts-ignore: decorator
@inline
function cellAt(flattener: Flattener, place: u32): Cell {
  return changetype<Cell>(flattener.cells + <usize>(place - 1) * offsetof<Cell>());
}

/** Adds an input node to a position. */
function addInput(flattener: Flattener, output: OutputNode, id: i32): void {
  let place = flattener.freeCell;
  if (place) flattener.freeCell = cellAt(flattener, place).next;
  else {
    if (flattener.cellsUsed == flattener.cellCount) {
      flattener.isFull = 1;
      return;
    }
    place = ++flattener.cellsUsed;
  }
  const cell = cellAt(flattener, place);
  cell.value = id;
  cell.next = 0;
  if (output.firstInput) {
    let last = cellAt(flattener, output.firstInput);
    while (last.next) last = cellAt(flattener, last.next);
    last.next = place;
  } else output.firstInput = place;
  output.inputCount++;
}

/** Removes an input node from a position. */
function removeInput(flattener: Flattener, output: OutputNode, id: i32): void {
  let before: u32 = 0;
  for (let place = output.firstInput; place; ) {
    const cell = cellAt(flattener, place), next = cell.next;
    if (cell.value == id) {
      if (before) cellAt(flattener, before).next = next;
      else output.firstInput = next;
      cell.next = flattener.freeCell;
      flattener.freeCell = place;
      output.inputCount--;
    } else before = place;
    place = next;
  }
}

function clearInputs(flattener: Flattener, output: OutputNode): void {
  while (output.firstInput) {
    const place = output.firstInput, cell = cellAt(flattener, place);
    output.firstInput = cell.next;
    cell.next = flattener.freeCell;
    flattener.freeCell = place;
  }
  output.inputCount = 0;
}

// --- buffered tokens

// @ts-ignore: decorator
@inline
function heldAt(flattener: Flattener, place: u32): usize {
  return flattener.helds + <usize>(place - 1) * HELD_BYTES;
}

/** Buffers a copy of a token that leaves a node. */
function hold(flattener: Flattener, node: InputNode, token: Token): void {
  let place = flattener.freeHeld;
  if (place) flattener.freeHeld = load<u32>(heldAt(flattener, place), TOKEN_BYTES);
  else {
    if (flattener.heldsUsed == flattener.heldCount) {
      flattener.isFull = 1;
      return;
    }
    place = ++flattener.heldsUsed;
  }
  const held = heldAt(flattener, place), copy = changetype<Token>(held);
  copyToken(held, changetype<usize>(token));
  store<u32>(held, 0, TOKEN_BYTES);
  copy.termLen = 0;
  if (node.first) store<u32>(heldAt(flattener, node.last), place, TOKEN_BYTES);
  else node.first = place;
  node.last = place;
  node.hasTokens = 1;
  if (flattener.termCur + token.termLen > flattener.terms + flattener.termsBytes) moveTerms(flattener);
  if (flattener.termCur + token.termLen > flattener.terms + flattener.termsBytes) {
    flattener.isFull = 1;
    return;
  }
  memory.copy(flattener.termCur, token.termPtr, token.termLen);
  copy.termPtr = flattener.termCur;
  copy.termLen = token.termLen;
  flattener.termCur += token.termLen;
}

/** Releases the first token of a node. */
function dropHeld(flattener: Flattener, node: InputNode): void {
  const place = node.first, held = heldAt(flattener, place);
  node.first = load<u32>(held, TOKEN_BYTES);
  store<u32>(held, flattener.freeHeld, TOKEN_BYTES);
  flattener.freeHeld = place;
  // No token is buffered, so the terms' room is free again.
  changetype<Token>(held).termLen = 0;
}

/** Copies the terms in use to the other half. */
function moveTerms(flattener: Flattener): void {
  let cur = flattener.otherTerms;
  for (let place: u32 = 1; place <= flattener.heldsUsed; place++) {
    const token = changetype<Token>(heldAt(flattener, place));
    memory.copy(cur, token.termPtr, token.termLen);
    token.termPtr = cur;
    cur += token.termLen;
  }
  const terms = flattener.terms;
  flattener.terms = flattener.otherTerms;
  flattener.otherTerms = terms;
  flattener.termCur = cur;
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
