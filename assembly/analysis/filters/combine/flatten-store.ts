// What flatten-graph.ts remembers of a token graph: nodes of the input, positions of the output, and buffered tokens with their terms.
//   area ├─ Flattener ─┬─ InputNode × nodes ─┬─ OutputNode × nodes ─┬─ Cell × cells ─┬─ Held × helds ─┬─ terms ─┬─ terms ─┬─ batch's terms ─┤
// Nodes are stored in rings by their number. If two live nodes need the same slot, or there are too many tokens, `isFull` asks for a larger region.
import { Stage } from '../../stage';
import { copyToken, Token, TOKEN_BYTES } from '../../token';

/** A node of the input graph. */
// @ts-ignore: decorator
@unmanaged
export class InputNode {
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
export class OutputNode {
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
export class Cell {
  value: i32;
  next: u32;
}

/** A buffered token: its record, and the index + 1 of the next one. */
const HELD_BYTES: usize = TOKEN_BYTES + 8;

// @ts-ignore: decorator
@unmanaged
export class Flattener {
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

/** Divides the area. False: it is too small. */
export function layOut(flattener: Flattener, stage: Stage): bool {
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

export function inputNode(flattener: Flattener, id: i32): InputNode {
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

export function outputNode(flattener: Flattener, id: i32): OutputNode {
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
export function cellAt(flattener: Flattener, place: u32): Cell {
  return changetype<Cell>(flattener.cells + <usize>(place - 1) * offsetof<Cell>());
}

/** Adds an input node to a position. */
export function addInput(flattener: Flattener, output: OutputNode, id: i32): void {
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
export function removeInput(flattener: Flattener, output: OutputNode, id: i32): void {
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
export function heldAt(flattener: Flattener, place: u32): usize {
  return flattener.helds + <usize>(place - 1) * HELD_BYTES;
}

/** Buffers a copy of a token that leaves a node. */
export function hold(flattener: Flattener, node: InputNode, token: Token): void {
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
export function dropHeld(flattener: Flattener, node: InputNode): void {
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
