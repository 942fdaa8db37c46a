// Synonyms: replaces words and phrases by others, or adds others, longest phrase first. The host computes the output of each phrase once
// (src/analysis/filters/synonym-program.ts); this stage looks words up and writes the arcs.
//   config ├─ flags u32: 1 = graph ─┬─ longest phrase u32 ─┬─ words (map, term-set.ts) ─┬─ nodes ─┬─ terms ─┤
//   word   ├─ bytes u32 = 8 ─┬─ number u32 ─┬─ node of phrases that begin with it u32, 0 none ─┤      offsets are from config
//   node   ├─ edges u32 ─┬─ arcs u32, 0: no phrase ends here ─┬─ keepOriginal u32 ─┬─ span u32 ─┬─ edge × edges ─┬─ arc × arcs ─┤
//   edge   ├─ number u32, ascending ─┬─ node u32 ─┤
//   arc    ├─ term u32 ─┬─ termBytes u32 ─┬─ from u32 ─┬─ to u32 ─┤
// In graphs an arc leads from node to node, numbered from the start of the phrase; term 0 is the phrase's own token with the number termBytes.
// Without graphs, `from` is the number of the token that the term is stacked on, and `to` is 1 if the term is the only word of its side.
import { E_NO_SPACE } from '../../../mem/status';
import { dropAhead, Lookahead, openLookahead, readAhead, windowToken } from './lookahead';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { AreaState, Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { findTerm } from '../../term-set';
import { Token, TokenType, writeToken } from '../../token';
import { SynonymConfig, TermSetEntry } from '../../stage-configs';

const NODE_HEAD: usize = 16;
const WORDS: usize = offsetof<SynonymConfig>();
const NO_OFFSET: u32 = 0xffffffff;

/** State of the filter for one text, at the start of the stage's area. */
// @ts-ignore: decorator
@unmanaged
class Matcher {
  /** Node of the phrase whose arcs are being written, 0 if none; index of the next arc. */
  node: usize;
  arc: u32;
  /** Length of the phrase in tokens. */
  length: u32;
  startOffset: u32;
  endOffset: u32;
  /** Graph: node of the last token, of the next one, and of the start of the phrase. */
  lastNode: i32;
  nextNode: i32;
  start: i32;
  /** Flat: number of the current token, and how many tokens of the phrase remain. */
  index: u32;
  left: u32;
  keepOriginal: u32;
  /** Flat: 1 while a token and the terms stacked on it are being written; 1 if the token itself is pending; index of the next stacked term. */
  isPlaying: u32;
  isOriginalDue: u32;
  cursor: u32;
  posInc: u32;
  /** Flat: terms waiting for their token. */
  pendings: usize;
  pendingCount: u32;
  pendingCapacity: u32;
  lastStart: u32;
  lastEnd: u32;
  outPtr: usize;
}

/** A term to be stacked on a later token. */
// @ts-ignore: decorator
@unmanaged
class Pending {
  index: u32;
  termPtr: usize;
  termLen: u32;
  /** NO_OFFSET for the token's own. */
  endOffset: u32;
  posLen: u32;
}

const WINDOW_AT: usize = 128;
const SLOTS_AT: usize = 192;

export function synonymNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<AreaState>(stage), base = (stage.termsPtr + 7) & ~7, matcher = changetype<Matcher>(base), window = changetype<Lookahead>(base + WINDOW_AT);
  if (!state.isLaidOut) {
    memory.fill(base, 0, SLOTS_AT);
    const eighth = (stage.termsEnd - base) >> 3;
    matcher.pendings = (base + SLOTS_AT + 7) & ~7;
    matcher.pendingCapacity = <u32>(eighth / offsetof<Pending>());
    const windowPtr = (matcher.pendings + eighth + 7) & ~7;
    matcher.outPtr = windowPtr + (eighth << 1);
    const status = openLookahead(window, changetype<SynonymConfig>(stage.config).longest, windowPtr, matcher.outPtr);
    if (status < 0) return status;
    matcher.lastNode = -1;
    state.isLaidOut = 1;
  }
  stage.termCur = matcher.outPtr;
  const made = changetype<SynonymConfig>(stage.config).isGraph
    ? graphNext(chain, stage, matcher, window)
    : flatNext(chain, stage, matcher, window);
  return made;
}

/** Node of the phrases that start with a word, 0 if there are none. */
// @ts-ignore: decorator
@inline
function rootOf(config: usize, token: Token): usize {
  const entry = findTerm(config + WORDS, token.termPtr, token.termLen);
  return entry ? <usize>load<u32>(config + WORDS + changetype<TermSetEntry>(entry).value, 8) : 0;
}

/** Target of an edge, 0 if there is none. */
function follow(config: usize, node: usize, token: Token): usize {
  const entry = findTerm(config + WORDS, token.termPtr, token.termLen);
  if (!entry) return 0;
  const word = load<u32>(config + WORDS + changetype<TermSetEntry>(entry).value, 4), edges = config + node + NODE_HEAD;
  let low: u32 = 0, high = load<u32>(config + node);
  while (low < high) {
    const middle = (low + high) >> 1, number = load<u32>(edges + (<usize>middle << 3));
    if (number == word) return <usize>load<u32>(edges + (<usize>middle << 3), 4);
    if (number < word) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/** Finds the longest phrase at the start of the window and stores it. Returns its length, 0 if there is none, or a status. */
function match(chain: Chain, stage: Stage, matcher: Matcher, window: Lookahead): i32 {
  const config = stage.config;
  let best: u32 = 0, size: u32 = 1;
  const status = readAhead(window, 1, chain, stage);
  if (status <= 0) return status;
  let node = rootOf(config, windowToken(window, 0));
  while (node) {
    if (load<u32>(config + node, 4)) {
      best = size;
      matcher.node = config + node;
    }
    if (!load<u32>(config + node)) break;
    const held = readAhead(window, ++size, chain, stage);
    if (held < 0) return held;
    if (<u32>held < size) break;
    node = follow(config, node, windowToken(window, size - 1));
  }
  if (best) {
    matcher.arc = 0;
    matcher.length = best;
    matcher.keepOriginal = load<u32>(matcher.node, 8);
    matcher.startOffset = windowToken(window, 0).startOffset;
    matcher.endOffset = windowToken(window, best - 1).endOffset;
  }
  return best;
}

/** Address of an arc of the current phrase. */
// @ts-ignore: decorator
@inline
function arcAt(node: usize, arc: u32): usize {
  return node + NODE_HEAD + (<usize>load<u32>(node) << 3) + (<usize>arc << 4);
}

/** Emits a synonym; the caller sets its position. Returns 0 or E_NO_SPACE. */
function emitSynonym(stage: Stage, made: u32, termPtr: usize, termLen: u32, start: u32, end: u32, outEnd: usize): i32 {
  if (stage.termCur + termLen > outEnd) return E_NO_SPACE;
  memory.copy(stage.termCur, termPtr, termLen);
  writeToken(changetype<usize>(tokenAt(stage, made)), stage.termCur, termLen, start, end, TokenType.SYNONYM);
  stage.termCur += termLen;
  return 0;
}

// --- graph

function graphNext(chain: Chain, stage: Stage, matcher: Matcher, window: Lookahead): i32 {
  const input = inputOf(stage), outEnd = termsLimit(stage, matcher.outPtr), config = stage.config;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (matcher.node) {
      const arc = arcAt(matcher.node, matcher.arc), from = matcher.start + load<i32>(arc, 8), to = matcher.start + load<i32>(arc, 12);
      const term = load<u32>(arc);
      const status = term
        ? emitSynonym(stage, made, config + term, load<u32>(arc, 4), matcher.startOffset, matcher.endOffset, outEnd)
        : emitWindowToken(stage, made, windowToken(window, load<u32>(arc, 4)), outEnd);
      if (status < 0) return made ? made : status;
      const token = tokenAt(stage, made++);
      token.posInc = from - matcher.lastNode;
      token.posLen = to - from;
      matcher.lastNode = from;
      if (++matcher.arc == load<u32>(matcher.node, 4)) {
        matcher.nextNode = matcher.start + load<i32>(matcher.node, 12);
        matcher.node = 0;
        dropAhead(window, matcher.length);
      }
      continue;
    }
    let token: Token;
    if (window.count == 0) {
      const status = awaitToken(chain, stage);
      if (status < 0) return status;
      if (!status) break;
      token = tokenAt(input, input.taken);
      if (!rootOf(config, token)) {
        if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
        input.taken++;
        passGraph(matcher, tokenAt(stage, made++));
        continue;
      }
    }
    const length = match(chain, stage, matcher, window);
    if (length < 0) return length;
    if (length) {
      matcher.start = matcher.nextNode;
      continue;
    }
    if (emitWindowToken(stage, made, windowToken(window, 0), outEnd) < 0) return made ? made : E_NO_SPACE;
    dropAhead(window, 1);
    passGraph(matcher, tokenAt(stage, made++));
  }
  return made;
}

// @ts-ignore: decorator
@inline
function passGraph(matcher: Matcher, token: Token): void {
  matcher.lastNode += token.posInc;
  matcher.nextNode = matcher.lastNode + <i32>token.posLen;
}

function emitWindowToken(stage: Stage, made: u32, token: Token, outEnd: usize): i32 {
  return emitToken(stage, made, token, token.termPtr, token.termLen, outEnd);
}

// --- flat

/**
 * The older filter: outputs are stacked on the matched tokens position by position, and on later tokens if there are more. The next match is searched
  * after the last one. At the end of the text the remaining outputs get the last token's offsets.
 */
function flatNext(chain: Chain, stage: Stage, matcher: Matcher, window: Lookahead): i32 {
  const input = inputOf(stage), outEnd = termsLimit(stage, matcher.outPtr);
  let made: u32 = 0;
  while (made < chain.batch) {
    if (matcher.isPlaying) {
      if (!play(stage, made, matcher, window, outEnd)) {
        if (made) return made;
        return E_NO_SPACE;
      }
      if (!matcher.isPlaying) continue;
      made++;
      continue;
    }
    if (!matcher.left) {
      if (window.count == 0) {
        const status = awaitToken(chain, stage);
        if (status < 0) return status;
        if (!status) {
          if (!matcher.pendingCount) break;
          begin(matcher, 0);
          continue;
        }
        const token = tokenAt(input, input.taken);
        if (!matcher.pendingCount && !rootOf(stage.config, token)) {
          if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
          input.taken++;
          passFlat(matcher, tokenAt(stage, made++));
          matcher.index++;
          continue;
        }
      }
      const length = match(chain, stage, matcher, window);
      if (length < 0) return length;
      if (length) {
        const status = suspend(stage.config, matcher);
        if (status < 0) return status;
        matcher.left = matcher.length;
      } else {
        matcher.left = 1;
        matcher.keepOriginal = 1;
      }
      matcher.node = 0;
    }
    begin(matcher, matcher.keepOriginal);
  }
  return made;
}

// @ts-ignore: decorator
@inline
function passFlat(matcher: Matcher, token: Token): void {
  matcher.lastStart = token.startOffset;
  matcher.lastEnd = token.endOffset;
}

function begin(matcher: Matcher, withOriginal: u32): void {
  matcher.isPlaying = 1;
  matcher.isOriginalDue = withOriginal;
  matcher.cursor = 0;
  matcher.posInc = 1;
}

/** Queues the terms of the current phrase for their tokens. Returns 0 or E_NO_SPACE. */
function suspend(config: usize, matcher: Matcher): i32 {
  const arcs = load<u32>(matcher.node, 4);
  if (matcher.pendingCount + arcs > matcher.pendingCapacity) return E_NO_SPACE;
  for (let i: u32 = 0; i < arcs; i++) {
    const arc = arcAt(matcher.node, i), isSingle = load<u32>(arc, 12) != 0;
    const pending = pendingAt(matcher, matcher.pendingCount++);
    pending.index = matcher.index + load<u32>(arc, 8);
    pending.termPtr = config + load<u32>(arc);
    pending.termLen = load<u32>(arc, 4);
    pending.endOffset = isSingle ? matcher.endOffset : NO_OFFSET;
    pending.posLen = isSingle && matcher.keepOriginal ? matcher.length : 1;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function pendingAt(matcher: Matcher, i: u32): Pending {
  return changetype<Pending>(matcher.pendings + <usize>i * offsetof<Pending>());
}

/** Emits the next token of a position, or finishes the position (isPlaying is 0 then). False: there is no room. */
function play(stage: Stage, made: u32, matcher: Matcher, window: Lookahead, outEnd: usize): bool {
  const isTail = window.count == 0;
  if (matcher.isOriginalDue) {
    if (emitWindowToken(stage, made, windowToken(window, 0), outEnd) < 0) return false;
    matcher.isOriginalDue = 0;
    matcher.posInc = 0;
    return true;
  }
  if (!isTail) passFlat(matcher, windowToken(window, 0));
  for (; matcher.cursor < matcher.pendingCount; matcher.cursor++) {
    const pending = pendingAt(matcher, matcher.cursor);
    if (pending.index != matcher.index) continue;
    const end = isTail || pending.endOffset == NO_OFFSET ? matcher.lastEnd : pending.endOffset, posLen = isTail ? 1 : pending.posLen;
    if (emitSynonym(stage, made, pending.termPtr, pending.termLen, matcher.lastStart, end, outEnd) < 0) return false;
    const token = tokenAt(stage, made);
    token.posInc = matcher.posInc;
    token.posLen = posLen;
    matcher.posInc = 0;
    matcher.cursor++;
    return true;
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < matcher.pendingCount; i++) {
    const pending = pendingAt(matcher, i);
    if (pending.index == matcher.index) continue;
    memory.copy(changetype<usize>(pendingAt(matcher, kept++)), changetype<usize>(pending), offsetof<Pending>());
  }
  matcher.pendingCount = kept;
  matcher.index++;
  matcher.isPlaying = 0;
  if (!isTail) {
    dropAhead(window, 1);
    matcher.left--;
  }
  return true;
}
