// path_hierarchy tokenizer: every ancestor of a path is a token, from the front or, reversed, from the back; delimiters are shown as another character.
//   config ├─ reverse u32 ─┬─ skip u32 ─┬─ delimiter bytes u32 ─┬─ replacement bytes u32 ─┬─ delimiter, 4 bytes ─┬─ replacement, 4 bytes ─┤
//   area   ├─ the path as it is shown ─┬─ terms of the batch, from the middle of the area on ─┤
// Forward parts end before a delimiter, and the first character of a part is none; reversed ones end behind it.
// State: a = 1 once the text is begun, b = bytes shown, c = start offset of all tokens or, reversed, their end offset, d = bytes of tokens so far in
// steps of 64; forward e = 1 while a part is shown that no token has; reversed e = bytes shown before the token at hand, f = tokens to come.
import { E_NO_SPACE, E_WORK } from '../../mem/status';
import { decode, utf16Length } from '../../text/utf8';
import { termsLimit } from '../producer';
import { Chain, Stage } from '../stage';
import { sameBytes } from '../term-set';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';

/** The tokens of a path grow with the square of its parts: more of their bytes, in steps of 64, are refused. */
const MOST_WORK: u32 = 1 << 23;

// @ts-ignore: decorator
@inline
export function isReversedPath(stage: Stage): bool {
  return load<u32>(stage.config) != 0;
}

export function pathNext(chain: Chain, stage: Stage): i32 {
  const middle = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1), outEnd = termsLimit(stage, middle);
  const isReversed = isReversedPath(stage);
  if (!stage.a) {
    if (!isReversed) openForward(chain, stage);
    else if (!openReversed(chain, stage, middle)) return E_NO_SPACE;
    stage.a = 1;
  }
  let out = middle, made: u32 = 0;
  while (made < chain.batch && (isReversed ? stage.f > 0 : stage.e || chain.cur < chain.textEnd)) {
    if (!isReversed && !stage.e) {
      if (!showPart(chain, stage, middle)) return E_NO_SPACE;
      stage.e = 1;
    }
    const from = isReversed ? stage.e : 0, len = stage.b - from, at = <u32>(chain.cur - chain.unitBase);
    if (out + len > outEnd) {
      if (made) break;
      return E_NO_SPACE;
    }
    if ((stage.d += (len >> 6) + 1) > MOST_WORK) return E_WORK;
    memory.copy(out, stage.termsPtr + from, len);
    const token = stage.tokens + <usize>made * TOKEN_BYTES;
    if (isReversed) writeToken(token, out, len, at, stage.c, TokenType.WORD);
    else writeToken(token, out, len, stage.c, at, TokenType.WORD);
    out += len;
    made++;
    if (isReversed) passPart(chain, stage);
    else stage.e = 0;
  }
  if (made == 0) moveTo(chain, chain.textEnd);
  // The delimiter behind a token is read with it.
  chain.endOffset = <u32>(chain.cur - chain.unitBase) + (chain.cur < chain.textEnd ? 1 : 0);
  stage.termCur = out;
  return made;
}

/** Goes to the first delimiter that is part of a token. There is none, and no token, if the text ends before. */
function openForward(chain: Chain, stage: Stage): void {
  for (let skip = load<u32>(stage.config, 4); skip && chain.cur < chain.textEnd; skip--) moveTo(chain, partEnd(chain, stage));
  stage.c = <u32>(chain.cur - chain.unitBase);
}

/** Shows the text up to the last delimiter that is part of a token. False: there is no room. */
function openReversed(chain: Chain, stage: Stage, limit: usize): bool {
  const end = chain.textEnd, skip = load<u32>(stage.config, 4);
  let parts: u32 = 0;
  for (let p = chain.textPtr; p < end; parts++) p = behindDelimiter(chain, stage, p);
  stage.f = parts > skip ? parts - skip : 0;
  let last = chain.textPtr;
  for (let i = stage.f; i; i--) {
    const next = behindDelimiter(chain, stage, last);
    if (!show(stage, last, next, limit)) return false;
    last = next;
  }
  stage.c = utf16Length(chain.textPtr, last);
  return true;
}

// @ts-ignore: decorator
@inline
function isDelimiter(stage: Stage, p: usize, end: usize): bool {
  const bytes = load<u32>(stage.config, 8);
  return p + bytes <= end && load<u8>(p) == load<u8>(stage.config, 16) && sameBytes(p, stage.config + 16, bytes);
}

/** Place of the next delimiter behind the character at the read position, or the end of the text. Pre: there is a character. */
function partEnd(chain: Chain, stage: Stage): usize {
  const end = chain.textEnd;
  let p = chain.cur + (decode(chain.cur, end) >> 24);
  while (p < end && !isDelimiter(stage, p, end)) p++;
  return min(p, end);
}

/** Place behind the next delimiter from `p` on, or the end of the text. */
function behindDelimiter(chain: Chain, stage: Stage, p: usize): usize {
  const end = chain.textEnd;
  while (p < end && !isDelimiter(stage, p, end)) p++;
  return p < end ? p + load<u32>(stage.config, 8) : end;
}

/** Moves the read position on, counting units. */
function moveTo(chain: Chain, to: usize): void {
  chain.unitBase += to - chain.cur - utf16Length(chain.cur, to);
  chain.cur = to;
}

/** Shows the part at the read position behind what is shown, and goes to its end. False: there is no room. */
function showPart(chain: Chain, stage: Stage, limit: usize): bool {
  const end = partEnd(chain, stage);
  if (!show(stage, chain.cur, end, limit)) return false;
  moveTo(chain, end);
  return true;
}

/** Goes to the next token of a reversed path. */
function passPart(chain: Chain, stage: Stage): void {
  const next = behindDelimiter(chain, stage, chain.cur), delimiter = load<u32>(stage.config, 8);
  // The last part may end without one, but there is no token behind it.
  stage.e += <u32>(next - chain.cur) - delimiter + load<u32>(stage.config, 12);
  stage.f--;
  moveTo(chain, next);
}

/** Puts a piece of the text behind what is shown, its delimiters replaced. False: there is no room. */
function show(stage: Stage, from: usize, to: usize, limit: usize): bool {
  const delimiter = load<u32>(stage.config, 8), replacement = load<u32>(stage.config, 12);
  let out = stage.termsPtr + stage.b;
  for (let p = from; p < to; ) {
    if (out + 4 > limit) return false;
    if (isDelimiter(stage, p, to)) {
      store<u32>(out, load<u32>(stage.config, 20));
      out += replacement;
      p += delimiter;
    } else store<u8>(out++, load<u8>(p++));
  }
  stage.b = <u32>(out - stage.termsPtr);
  return true;
}
