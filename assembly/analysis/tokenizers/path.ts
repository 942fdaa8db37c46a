// path_hierarchy tokenizer: every ancestor of a path is a token, from the front or, reversed, from the back; delimiters are shown as another character.
//   config ├─ reverse u32 ─┬─ skip u32 ─┬─ delimiter bytes u32 ─┬─ replacement bytes u32 ─┬─ delimiter, 4 bytes ─┬─ replacement, 4 bytes ─┤
//   area   ├─ the path as it is shown ─┬─ terms of the batch, from the middle of the area on ─┤
// Forward parts end before a delimiter, and the first character of a part is none; reversed ones end behind it.
// State: a = 1 once the text is begun, b = bytes shown, c = start offset of all tokens or, reversed, their end offset, d = bytes shown before the
// read position, f = tokens to come.
import { E_NO_SPACE, E_WORK } from '../../mem/status';
import { decode, utf16Length } from '../../text/utf8';
import { termsLimit } from '../producer';
import { Chain, Stage } from '../stage';
import { sameBytes } from '../term-set';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';

/** Bytes of the tokens of a path, which grow with the square of its parts: more are refused. */
const MOST_BYTES: u64 = 1 << 29;

// @ts-ignore: decorator
@inline
export function isReversedPath(stage: Stage): bool {
  return load<u32>(stage.config) != 0;
}

export function pathNext(chain: Chain, stage: Stage): i32 {
  const middle = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1), outEnd = termsLimit(stage, middle);
  const isReversed = isReversedPath(stage);
  if (!stage.a) {
    const status = isReversed ? openReversed(chain, stage, middle) : openForward(chain, stage, middle);
    if (status < 0) return status;
    stage.a = 1;
  }
  let out = middle, made: u32 = 0;
  while (made < chain.batch && stage.f) {
    const next = partEnd(chain, stage, chain.cur, isReversed), shown = stage.d + shownBytes(chain, stage, chain.cur, next, isReversed);
    const from = isReversed ? stage.d : 0, len = (isReversed ? stage.b : shown) - from;
    if (out + len > outEnd) {
      if (made) break;
      return E_NO_SPACE;
    }
    memory.copy(out, stage.termsPtr + from, len);
    const start = <u32>(chain.cur - chain.unitBase);
    moveTo(chain, next);
    const token = stage.tokens + <usize>made * TOKEN_BYTES;
    if (isReversed) writeToken(token, out, len, start, stage.c, TokenType.WORD);
    else writeToken(token, out, len, stage.c, <u32>(next - chain.unitBase), TokenType.WORD);
    out += len;
    made++;
    stage.d = shown;
    stage.f--;
  }
  if (made == 0) moveTo(chain, chain.textEnd);
  // The delimiter behind a token is read with it.
  chain.endOffset = <u32>(chain.cur - chain.unitBase) + (chain.cur < chain.textEnd ? 1 : 0);
  stage.termCur = out;
  return made;
}

/** Goes to the first delimiter that is part of a token, if the text does not end before, and shows what follows. Returns 0 or a status. */
function openForward(chain: Chain, stage: Stage, limit: usize): i32 {
  const end = chain.textEnd;
  for (let skip = load<u32>(stage.config, 4); skip && chain.cur < end; skip--) moveTo(chain, partEnd(chain, stage, chain.cur, false));
  stage.c = <u32>(chain.cur - chain.unitBase);
  let bytes: u64 = 0, shown: u32 = 0;
  for (let p = chain.cur; p < end; stage.f++) {
    const next = partEnd(chain, stage, p, false);
    shown += shownBytes(chain, stage, p, next, false);
    bytes += shown;
    p = next;
  }
  return bytes > MOST_BYTES ? E_WORK : show(stage, chain.cur, end, limit);
}

/** Shows the text up to the last delimiter that is part of a token. Returns 0 or a status. */
function openReversed(chain: Chain, stage: Stage, limit: usize): i32 {
  const text = chain.textPtr, skip = load<u32>(stage.config, 4);
  let parts: u32 = 0;
  for (let p = text; p < chain.textEnd; parts++) p = partEnd(chain, stage, p, true);
  stage.f = parts > skip ? parts - skip : 0;
  // A part is in all tokens up to its own.
  let bytes: u64 = 0, last = text;
  for (let i: u32 = 1; i <= stage.f; i++) {
    const next = partEnd(chain, stage, last, true);
    bytes += <u64>i * shownBytes(chain, stage, last, next, true);
    last = next;
  }
  stage.c = utf16Length(text, last);
  return bytes > MOST_BYTES ? E_WORK : show(stage, text, last, limit);
}

// @ts-ignore: decorator
@inline
function isDelimiter(stage: Stage, p: usize, end: usize): bool {
  const bytes = load<u32>(stage.config, 8);
  return p + bytes <= end && load<u8>(p) == load<u8>(stage.config, 16) && sameBytes(p, stage.config + 16, bytes);
}

/**
 * End of the part that begins at `from`: the next delimiter behind its first character or, reversed, the place behind the next one; the end of the text
 * if there is none. Pre: there is a character.
 */
function partEnd(chain: Chain, stage: Stage, from: usize, isReversed: bool): usize {
  const end = chain.textEnd;
  let p = isReversed ? from : from + (decode(from, end) >> 24);
  while (p < end && !isDelimiter(stage, p, end)) p++;
  return isReversed && p < end ? p + load<u32>(stage.config, 8) : min(p, end);
}

/** Bytes that a part takes when it is shown: its delimiter is at its start or, reversed, at its end. */
function shownBytes(chain: Chain, stage: Stage, from: usize, to: usize, isReversed: bool): u32 {
  const delimiter = load<u32>(stage.config, 8), bytes = <u32>(to - from);
  const at = isReversed ? to - delimiter : from;
  return at >= from && isDelimiter(stage, at, chain.textEnd) ? bytes - delimiter + load<u32>(stage.config, 12) : bytes;
}

/** Moves the read position on, counting units. */
function moveTo(chain: Chain, to: usize): void {
  chain.unitBase += to - chain.cur - utf16Length(chain.cur, to);
  chain.cur = to;
}

/** Shows a piece of the text, its delimiters replaced. Returns 0 or E_NO_SPACE. */
function show(stage: Stage, from: usize, to: usize, limit: usize): i32 {
  const delimiter = load<u32>(stage.config, 8), replacement = load<u32>(stage.config, 12);
  let out = stage.termsPtr;
  for (let p = from; p < to; ) {
    if (out + 4 > limit) return E_NO_SPACE;
    if (isDelimiter(stage, p, to)) {
      store<u32>(out, load<u32>(stage.config, 20));
      out += replacement;
      p += delimiter;
    } else store<u8>(out++, load<u8>(p++));
  }
  stage.b = <u32>(out - stage.termsPtr);
  return 0;
}
