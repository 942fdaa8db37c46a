// word_delimiter and word_delimiter_graph: parts of words, their concatenations, and the word itself. Counts UTF-16 units, like Lucene.
//   config ├─ flags u32 ─┬─ exceptions u32 ─┬─ type u8 × 256 ─┬─ { unit u32, type u32 } × exceptions, ascending ─┬─ protected words (set) ─┤
//   area   ├─ Splitter ─┬─ scratch for the current word: units, types, parts, pieces ─┬─ terms of the batch ─┤
// Types of units below 256 are in the config; types above are in the exceptions of a type table or follow from the general category.
// Source: the rules that Lucene documents for WordDelimiterFilter and WordDelimiterGraphFilter.
import { E_NO_SPACE } from '../../../mem/status';
import { encode } from '../../../text/utf8';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { AreaState, Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { findTerm, findTermIgnoringCase } from '../../term-set';
import { copyToken, FLAG_KEYWORD, Token } from '../../token';
import {
  ADJUST_OFFSETS,
  ALPHA,
  ANY_CASE,
  CATENATE_ALL,
  CATENATE_NUMBERS,
  CATENATE_WORDS,
  DIGIT,
  EXCEPTIONS,
  GRAPH,
  IGNORE_KEYWORDS,
  isWhole,
  NUMBER_PARTS,
  Piece,
  PRESERVE,
  partAt,
  Splitter,
  split,
  unitAt,
  WORD_PARTS,
} from './word-parts';
import { WordDelimiterConfig } from '../../stage-configs';

/** Contents of a piece: one part; the concatenated parts of a range; all parts of a range; the whole word. */
const ONE: u32 = 0;
const RUN: u32 = 1;
const ALL: u32 = 2;
const WHOLE: u32 = 3;

/** Parts being concatenated. */
// @ts-ignore: decorator
@unmanaged
class Run {
  type: u32;
  first: u32;
  last: u32;
  count: u32;
  place: i32;
}

export function wordDelimiterNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<AreaState>(stage), config = stage.config, flags = changetype<WordDelimiterConfig>(config).flags;
  const input = inputOf(stage), base = (stage.termsPtr + 7) & ~7, splitter = changetype<Splitter>(base);
  if (!state.isLaidOut) {
    const head = (offsetof<Splitter>() + 7) & ~7;
    memory.fill(base, 0, head);
    splitter.run = base + head;
    splitter.all = splitter.run + offsetof<Run>();
    splitter.scratch = (splitter.all + offsetof<Run>() + 7) & ~7;
    splitter.scratchEnd = (base + ((stage.termsEnd - base) >> 1)) & ~7;
    state.isLaidOut = 1;
  }
  const outPtr = splitter.scratchEnd, outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (splitter.next < splitter.count) {
      if (!writePiece(stage, splitter, made, tokenAt(input, input.taken), flags, outEnd)) return made ? made : E_NO_SPACE;
      made++;
      if (splitter.next == splitter.count) input.taken++;
      continue;
    }
    const status = awaitToken(chain, stage);
    if (status < 0) return status;
    if (!status) break;
    const token = tokenAt(input, input.taken);
    if (flags & IGNORE_KEYWORDS && token.flags & FLAG_KEYWORD) {
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      made++;
      input.taken++;
      continue;
    }
    if (isWhole(config, flags, token) || isProtected(splitter, config, flags, token)) {
      if (!pass(stage, splitter, made, token, outEnd)) return made ? made : E_NO_SPACE;
      made++;
      input.taken++;
      continue;
    }
    if (!split(splitter, config, flags, token)) return E_NO_SPACE;
    if (splitter.partCount && partAt(splitter, 0).end - partAt(splitter, 0).start == splitter.unitCount) {
      if (!pass(stage, splitter, made, token, outEnd)) return made ? made : E_NO_SPACE;
      made++;
      input.taken++;
      continue;
    }
    splitter.carry += token.posInc;
    splitter.next = 0;
    splitter.count = 0;
    splitter.place = 0;
    if (!splitter.partCount) {
      if (flags & PRESERVE) {
        if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) {
          splitter.carry -= token.posInc;
          return made ? made : E_NO_SPACE;
        }
        // In graphs the increment is the token's own here, without the carry.
        if (!(flags & GRAPH)) tokenAt(stage, made).posInc = splitter.carry;
        splitter.carry = 0;
        splitter.hasOutput = 1;
        made++;
      } else if (!(flags & GRAPH) && token.posInc == 1 && splitter.hasOutput) splitter.carry--;
      input.taken++;
      continue;
    }
    if (flags & GRAPH) makeGraph(splitter, flags);
    else makeFlat(splitter, flags, token);
    if (!splitter.count) input.taken++;
  }
  return made;
}

/** Emits an unchanged word. False: there is no room for it. */
function pass(stage: Stage, splitter: Splitter, made: u32, token: Token, outEnd: usize): bool {
  if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return false;
  tokenAt(stage, made).posInc = token.posInc + splitter.carry;
  splitter.carry = 0;
  splitter.hasOutput = 1;
  return true;
}

// @ts-ignore: decorator
@inline
function protectedWords(config: usize): usize {
  return config + EXCEPTIONS + (<usize>changetype<WordDelimiterConfig>(config).exceptionCount << 3);
}

/** Whether a word is protected. Words that exceed the scratch memory are not. */
function isProtected(splitter: Splitter, config: usize, flags: u32, token: Token): bool {
  const words = protectedWords(config);
  if (!(flags & ANY_CASE)) return findTerm(words, token.termPtr, token.termLen) != 0;
  if (splitter.scratch + (<usize>token.termLen << 1) + 8 > splitter.scratchEnd) return false;
  return findTermIgnoringCase(words, token.termPtr, token.termLen, splitter.scratch) != 0;
}

// --- pieces

// @ts-ignore: decorator
@inline
function pieceAt(splitter: Splitter, i: u32): Piece {
  return changetype<Piece>(splitter.pieces + <usize>i * offsetof<Piece>());
}

// @ts-ignore: decorator
@inline
function isGenerated(flags: u32, type: u32): bool {
  return (flags & WORD_PARTS && type & ALPHA) || (flags & NUMBER_PARTS && type & DIGIT) ? true : false;
}

// @ts-ignore: decorator
@inline
function isConcatenated(flags: u32, type: u32): bool {
  return (flags & CATENATE_WORDS && type & ALPHA) || (flags & CATENATE_NUMBERS && type & DIGIT) ? true : false;
}

function addPiece(splitter: Splitter, kind: u32, first: u32, last: u32, place: i32, placeEnd: i32): void {
  const piece = pieceAt(splitter, splitter.count++);
  piece.kind = kind;
  piece.first = first;
  piece.last = last;
  piece.place = place;
  piece.placeEnd = placeEnd;
  piece.start = kind == WHOLE ? 0 : partAt(splitter, first).start;
  piece.end = kind == WHOLE ? splitter.unitCount : partAt(splitter, last).end;
}

function extend(run: Run, part: u32, type: u32, place: i32): void {
  if (!run.count) {
    run.type = type;
    run.first = part;
    run.place = place;
  }
  run.last = part;
  run.count++;
}

/** Parts and concatenations of a word as arcs between nodes, in order of their start. */
function makeGraph(splitter: Splitter, flags: u32): void {
  const run = changetype<Run>(splitter.run), all = changetype<Run>(splitter.all);
  run.count = 0;
  all.count = 0;
  splitter.madePlace = 0;
  // The word itself comes first, whatever the order of the others; its end is known after all parts.
  if (flags & PRESERVE) addPiece(splitter, WHOLE, 0, 0, 0, 0);
  const kept = splitter.count;
  if (splitter.isSingle) {
    addPiece(splitter, ONE, 0, 0, 0, 1);
    splitter.madePlace = 1;
  } else {
    let lastCount: u32 = 0;
    for (let i: u32 = 0; i < splitter.partCount; i++) {
      const type = partAt(splitter, i).type;
      if (run.count && !(run.type & type)) lastCount = endGraphRun(splitter, flags, run);
      if (isConcatenated(flags, type)) extend(run, i, type, splitter.madePlace);
      if (flags & CATENATE_ALL) extend(all, i, type, splitter.madePlace);
      if (isGenerated(flags, type)) {
        addPiece(splitter, ONE, i, i, splitter.madePlace, splitter.madePlace + 1);
        splitter.madePlace++;
      }
    }
    if (run.count) lastCount = endGraphRun(splitter, flags, run);
    if (all.count > lastCount) {
      if (splitter.madePlace == all.place) splitter.madePlace++;
      addPiece(splitter, ALL, all.first, all.last, all.place, splitter.madePlace);
    }
  }
  if (kept) pieceAt(splitter, 0).placeEnd = max(splitter.madePlace, 1);
  sortPieces(splitter, kept, false);
}

function endGraphRun(splitter: Splitter, flags: u32, run: Run): u32 {
  const count = run.count;
  if (splitter.madePlace == run.place) splitter.madePlace++;
  if (count != 1 || !isGenerated(flags, run.type)) addPiece(splitter, RUN, run.first, run.last, run.place, splitter.madePlace);
  run.count = 0;
  return count;
}

/** The older filter, without a graph: concatenations are at the position of their last part. */
function makeFlat(splitter: Splitter, flags: u32, token: Token): void {
  const run = changetype<Run>(splitter.run), all = changetype<Run>(splitter.all);
  run.count = 0;
  all.count = 0;
  splitter.hasPlace = 0;
  splitter.isBehindOriginal = 1;
  if (flags & PRESERVE) {
    addPiece(splitter, WHOLE, 0, 0, splitter.carry, 0);
    splitter.carry = 0;
    splitter.isBehindOriginal = 0;
  }
  const kept = splitter.count;
  if (splitter.isSingle) {
    addPiece(splitter, ONE, 0, 0, increment(splitter, false), 0);
    return;
  }
  let lastCount: u32 = 0;
  for (let i: u32 = 0; i < splitter.partCount; i++) {
    const type = partAt(splitter, i).type;
    if (run.count && !(run.type & type)) {
      lastCount = endFlatRun(splitter, flags, run);
      splitter.hasPlace = 0;
    }
    if (isConcatenated(flags, type)) extend(run, i, type, 0);
    if (flags & CATENATE_ALL) extend(all, i, type, 0);
    if (isGenerated(flags, type)) addPiece(splitter, ONE, i, i, increment(splitter, false), 0);
  }
  if (run.count) lastCount = endFlatRun(splitter, flags, run);
  if (all.count > lastCount) addPiece(splitter, ALL, all.first, all.last, increment(splitter, true), 0);
  sortPieces(splitter, kept, true);
}

function endFlatRun(splitter: Splitter, flags: u32, run: Run): u32 {
  const count = run.count;
  if (count != 1 || !isGenerated(flags, run.type)) addPiece(splitter, RUN, run.first, run.last, increment(splitter, true), 0);
  run.count = 0;
  return count;
}

/** Increment of the next piece. @param isInjected it is at the position of the previous piece */
function increment(splitter: Splitter, isInjected: bool): i32 {
  const posInc = max(<i32>splitter.carry, 1);
  if (splitter.hasPlace) {
    splitter.carry = 0;
    return isInjected ? 0 : posInc;
  }
  splitter.hasPlace = 1;
  if (!splitter.isBehindOriginal) {
    splitter.isBehindOriginal = 1;
    return 0;
  }
  splitter.carry = 0;
  return posInc;
}

/** Whether `b` must precede `a`, which was created earlier: by start, then the longer one, or the one with the larger increment. */
// @ts-ignore: decorator
@inline
function isBefore(splitter: Splitter, b: Piece, a: Piece, isFlat: bool): bool {
  if (isFlat && !splitter.isAligned) return b.place > a.place;
  if (a.start != b.start) return b.start < a.start;
  return isFlat ? b.place > a.place : b.end > a.end;
}

/** Stable merge sort of the pieces from `from` on. */
function sortPieces(splitter: Splitter, from: u32, isFlat: bool): void {
  const size = offsetof<Piece>(), count = splitter.count - from, home = splitter.pieces + <usize>from * size;
  let source = home, target = home + <usize>count * size;
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let left: u32 = 0; left < count; left += width << 1) {
      const middle = min(left + width, count), right = min(left + (width << 1), count);
      let a = left, b = middle;
      for (let i = left; i < right; i++) {
        const first = source + <usize>a * size, second = source + <usize>b * size;
        const takesSecond = a >= middle || (b < right && isBefore(splitter, changetype<Piece>(second), changetype<Piece>(first), isFlat));
        memory.copy(target + <usize>i * size, takesSecond ? second : first, size);
        if (takesSecond) b++;
        else a++;
      }
    }
    const swap = source;
    source = target;
    target = swap;
  }
  if (source != home) memory.copy(home, source, <usize>count * size);
}

// --- tokens

/** Emits the next piece as a token. False: there is no room for its term. */
function writePiece(stage: Stage, splitter: Splitter, made: u32, token: Token, flags: u32, outEnd: usize): bool {
  const piece = pieceAt(splitter, splitter.next), out = tokenAt(stage, made), from = stage.termCur;
  const kind = piece.kind;
  let cur = from;
  if (cur + <usize>(piece.end - piece.start) * 3 + token.termLen > outEnd) return false;
  if (kind == WHOLE) {
    memory.copy(cur, token.termPtr, token.termLen);
    cur += token.termLen;
  } else if (kind == ONE) {
    const part = partAt(splitter, piece.first);
    cur = writeUnits(splitter, token, cur, from, part.start, part.end);
  } else {
    for (let i = piece.first; i <= piece.last; i++) {
      const part = partAt(splitter, i);
      if (kind == ALL || isConcatenated(flags, part.type)) cur = writeUnits(splitter, token, cur, from, part.start, part.end);
    }
  }
  copyToken(changetype<usize>(out), changetype<usize>(token));
  out.termPtr = from;
  out.termLen = <u32>(cur - from);
  stage.termCur = cur;
  if (flags & GRAPH) placeInGraph(splitter, out, piece, token, flags);
  else placeFlat(splitter, out, piece, token);
  splitter.next++;
  return true;
}

function placeInGraph(splitter: Splitter, out: Token, piece: Piece, token: Token, flags: u32): void {
  const adjust = flags & ADJUST_OFFSETS && splitter.isAligned;
  out.startOffset = max(adjust ? token.startOffset + piece.start : token.startOffset, splitter.lastStart);
  out.endOffset = max(adjust ? token.startOffset + piece.end : token.endOffset, splitter.lastStart);
  splitter.lastStart = out.startOffset;
  out.posInc = splitter.carry + piece.place - splitter.place;
  out.posLen = piece.placeEnd - piece.place;
  splitter.carry = 0;
  splitter.place = piece.place;
}

function placeFlat(splitter: Splitter, out: Token, piece: Piece, token: Token): void {
  out.posInc = piece.place;
  if (piece.kind != WHOLE) {
    const inside = token.startOffset + piece.start;
    if (splitter.isAligned) {
      out.startOffset = inside;
      out.endOffset = token.startOffset + piece.end;
    } else if (splitter.isSingle && inside <= token.endOffset) out.startOffset = inside;
    out.posLen = 1;
    out.flags = out.flags & ~FLAG_KEYWORD;
    if (!splitter.hasOutput && !piece.place) out.posInc = 1;
  }
  splitter.hasOutput = 1;
}

/** Appends units to the term that starts at `from`; a low surrogate after a high one completes the pair. Returns the end. */
function writeUnits(splitter: Splitter, token: Token, cur: usize, from: usize, start: u32, end: u32): usize {
  if (splitter.isAscii) {
    memory.copy(cur, token.termPtr + start, end - start);
    return cur + (end - start);
  }
  for (let i = start; i < end; i++) {
    const unit = unitAt(splitter, i);
    if (unit >= 0xdc00 && unit < 0xe000 && cur >= from + 3 && load<u8>(cur - 3) == 0xed && load<u8>(cur - 2) >= 0xa0 && load<u8>(cur - 2) < 0xb0) {
      const high = 0xd000 | ((<u32>load<u8>(cur - 2) & 63) << 6) | (<u32>load<u8>(cur - 1) & 63);
      cur -= 3;
      cur += encode(cur, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
    } else cur += encode(cur, unit);
  }
  return cur;
}
