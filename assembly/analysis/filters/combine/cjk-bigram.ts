// CJK bigrams: neighbouring ideographs, kana and hangul become overlapping pairs; a lone one stays single. A producer with a batch of its own.
//   config ├─ flags u32: 1 Han, 2 Hiragana, 4 Katakana, 8 Hangul, 16 also unigrams,
//          32 straight from the text where it can be (cjk-run.ts), 64 words of ASCII in lower case, too ─┤
//   area   ├─ code point u32, start u32, end u32 ─┤ × RUN: characters of the run at hand
// A run is characters without a gap between their offsets. State: a = characters in the run, b = characters already started a gram,
// c = end offset of the last character taken, e = 1 if the next of the run is its bigram (unigrams on), f = 1 at the end of the input.
import { E_NO_SPACE } from '../../../mem/status';
import { decode, encode, utf16Length } from '../../../text/utf8';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { copyToken, Token, TokenType, writeToken } from '../../token';
import { pull } from '../../chain';
import { bigramRuns, hasBlockRoom } from './cjk-run';

const STRAIGHT: u32 = 32;
const ASCII_WORDS: u32 = 64;
const RUN: u32 = 2048;
export const BIGRAM_AREA: usize = <usize>RUN * 12;

export function cjkBigramNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const flags = load<u32>(stage.config), unigrams = (flags & 16) != 0;
  const input = stageAt(chain, previousProducer);
  const area = stage.termsPtr, terms = area + BIGRAM_AREA;
  stage.termCur = terms;
  const outEnd = stage.termsEnd - ((stage.termsEnd - terms) >> 2);
  const isStraight = (flags & STRAIGHT) != 0 && !chain.isStepped && !chain.isMapped;
  let made: u32 = 0;
  while (made < chain.batch) {
    const left = stage.a - stage.b;
    if (left > 1) {
      if (stage.termCur + 16 > outEnd) break;
      if (unigrams && !stage.e) {
        emit(stage, made++, area, stage.b, 1, TokenType.SINGLE, unigrams);
        stage.e = 1;
      } else {
        emit(stage, made++, area, stage.b, 2, TokenType.DOUBLE, unigrams);
        stage.b++;
        stage.e = 0;
      }
      continue;
    }
    if (input.taken >= input.count) {
      if (isStraight) {
        if (left && stage.c != chain.cur - chain.unitBase) {
          // What waits has nothing behind it.
          if (hasSingle(stage, unigrams)) {
            if (stage.termCur + 16 > outEnd) break;
            emit(stage, made++, area, 0, 1, TokenType.SINGLE, unigrams);
          }
          stage.a = 0;
          stage.b = 0;
          continue;
        }
        if (made && !hasBlockRoom(stage, changetype<usize>(tokenAt(stage, made)), stage.termCur, outEnd)) break;
        const from = chain.cur;
        made = bigramRuns(chain, stage, area, made, outEnd, (flags & ASCII_WORDS) != 0);
        if (chain.cur != from) continue;
      }
      const count = stage.f || (isStraight && chain.cur >= chain.textEnd) ? 0 : pull(chain, previousProducer, index);
      if (count < 0) return count;
      if (count == 0) {
        stage.f = 1;
        if (hasSingle(stage, unigrams)) {
          if (stage.termCur + 16 > outEnd) break;
          emit(stage, made++, area, stage.b++, 1, TokenType.SINGLE, unigrams);
        }
        break;
      }
      continue;
    }
    const token = tokenAt(input, input.taken);
    if (isGrammed(token.type, flags)) {
      if (token.startOffset != stage.c) {
        if (hasSingle(stage, unigrams)) {
          if (stage.termCur + 16 > outEnd) break;
          emit(stage, made++, area, stage.b++, 1, TokenType.SINGLE, unigrams);
          continue;
        }
        stage.a = 0;
        stage.b = 0;
      }
      const status = refill(stage, area, token);
      if (status < 0) return status;
      input.taken++;
      continue;
    }
    if (hasSingle(stage, unigrams)) {
      if (stage.termCur + 16 > outEnd) break;
      emit(stage, made++, area, stage.b++, 1, TokenType.SINGLE, unigrams);
      continue;
    }
    if (stage.termCur + token.termLen > outEnd) {
      if (made) break;
      return E_NO_SPACE;
    }
    const out = tokenAt(stage, made++);
    copyToken(changetype<usize>(out), changetype<usize>(token));
    memory.copy(stage.termCur, token.termPtr, token.termLen);
    out.termPtr = stage.termCur;
    stage.termCur += token.termLen;
    input.taken++;
  }
  return made;
}

/** Whether the end of the text was reached and nothing waits. */
export function hasNoBigrams(stage: Stage): bool {
  return stage.f != 0 && stage.a - stage.b < 2 && !hasSingle(stage, (load<u32>(stage.config) & 16) != 0);
}

/** A character that waits and can form no bigram: the last one with unigrams on, else a run of one. */
function hasSingle(stage: Stage, unigrams: bool): bool {
  return unigrams ? stage.a - stage.b == 1 : stage.a == 1 && stage.b == 0;
}

function isGrammed(type: u32, flags: u32): bool {
  if (type == TokenType.IDEOGRAPHIC) return (flags & 1) != 0;
  if (type == TokenType.HIRAGANA) return (flags & 2) != 0;
  if (type == TokenType.KATAKANA) return (flags & 4) != 0;
  return type == TokenType.HANGUL && (flags & 8) != 0;
}

/** Takes over the characters of a token; only the last one of those before is still needed. */
function refill(stage: Stage, area: usize, token: Token): i32 {
  if (stage.b > 0 && stage.a > 64) {
    const last = stage.a - 1;
    memory.copy(area, area + last * 12, 12);
    stage.b -= last;
    stage.a = 1;
  }
  const from = token.termPtr, end = from + token.termLen;
  // Nearly all are single characters of three bytes.
  if (token.termLen == 3 && token.endOffset - token.startOffset == 1 && load<u8>(from) >= 0xe1 && stage.a < RUN) {
    const entry = area + stage.a++ * 12;
    store<u32>(entry, ((<u32>load<u8>(from) & 15) << 12) | ((<u32>load<u8>(from, 1) & 63) << 6) | (load<u8>(from, 2) & 63));
    store<u32>(entry, token.startOffset, 4);
    store<u32>(entry, token.endOffset, 8);
    stage.c = token.endOffset;
    return 0;
  }
  const aligned = token.endOffset - token.startOffset == utf16Length(from, end);
  let start = token.startOffset;
  for (let p = from; p < end; ) {
    if (stage.a >= RUN) return E_NO_SPACE;
    const d = decode(p, end), cp = d & 0xffffff, entry = area + stage.a++ * 12;
    store<u32>(entry, cp);
    store<u32>(entry, start, 4);
    if (aligned) start += cp > 0xffff ? 2 : 1;
    store<u32>(entry, aligned ? start : token.endOffset, 8);
    p += d >> 24;
  }
  stage.c = token.endOffset;
  return 0;
}

function emit(stage: Stage, made: u32, area: usize, first: u32, count: u32, type: u32, unigrams: bool): void {
  const from = stage.termCur;
  const head = area + first * 12, tail = area + (first + count - 1) * 12;
  let out = append(from, load<u32>(head));
  if (count > 1) out = append(out, load<u32>(tail));
  stage.termCur = out;
  const token = tokenAt(stage, made);
  writeToken(changetype<usize>(token), from, <u32>(out - from), load<u32>(head, 4), load<u32>(tail, 8), type);
  if (count > 1 && unigrams) {
    token.posInc = 0;
    token.posLen = 2;
  }
}

/** Writes a code point, returns the end. */
// @ts-ignore: decorator
@inline
function append(at: usize, cp: u32): usize {
  if (cp - 0x800 >= 0x10000 - 0x800) return at + encode(at, cp);
  store<u16>(at, (0xe0 | (cp >> 12)) | ((0x80 | ((cp >> 6) & 63)) << 8));
  store<u8>(at, 0x80 | (cp & 63), 2);
  return at + 3;
}
