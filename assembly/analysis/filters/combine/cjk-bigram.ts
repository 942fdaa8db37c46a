// CJK bigrams: adjacent ideographs, kana and hangul become overlapping pairs; a single one between other text stays a unigram.
//   config ├─ flags u32: 1 Han, 2 Hiragana, 4 Katakana, 8 Hangul, 16 also unigrams,
//          32 read the text directly where possible (cjk-run.ts), 64 and also its ASCII words, in lower case ─┤
//   area   ├─ code point u32, start u32, end u32 ─┤ × RUN: characters of the current run
// A run is a sequence of characters without a gap between their offsets (BigramState in bigram-state.ts).
import { E_NO_SPACE } from '../../../mem/status';
import { decode, encode, utf16Length } from '../../../text/utf8';
import { BigramFlag } from '../../config-values';
import { pull } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { copyToken, Token, TokenType, writeToken } from '../../token';
import { BigramState } from './bigram-state';
import { bigramRuns, hasBlockRoom } from './cjk-run';

const RUN: u32 = 2048;
export const BIGRAM_AREA: usize = <usize>RUN * 12;

export function cjkBigramNext(chain: Chain, stage: Stage): i32 {
  const flags = load<u32>(stage.config), unigrams = (flags & BigramFlag.UNIGRAMS) != 0;
  const state = stateOf<BigramState>(stage), input = inputOf(stage);
  const area = stage.termsPtr, terms = area + BIGRAM_AREA;
  stage.termCur = terms;
  const outEnd = stage.termsEnd - ((stage.termsEnd - terms) >> 2);
  const readsText = (flags & BigramFlag.FROM_TEXT) != 0 && !chain.isStepped && !chain.isMapped;
  let made: u32 = 0;
  while (made < chain.batch) {
    const left = state.runLength - state.started;
    if (left > 1) {
      if (stage.termCur + 16 > outEnd) break;
      if (unigrams && !state.isPairDue) {
        emit(stage, made++, area, state.started, 1, TokenType.SINGLE, unigrams);
        state.isPairDue = 1;
      } else {
        emit(stage, made++, area, state.started, 2, TokenType.DOUBLE, unigrams);
        state.started++;
        state.isPairDue = 0;
      }
      continue;
    }
    if (input.taken >= input.count) {
      if (readsText) {
        if (left && state.runEnd != chain.cur - chain.unitBase) {
          // The pending character has no successor.
          if (hasSingle(state, unigrams)) {
            if (stage.termCur + 16 > outEnd) break;
            emit(stage, made++, area, 0, 1, TokenType.SINGLE, unigrams);
          }
          state.runLength = 0;
          state.started = 0;
          continue;
        }
        if (made && !hasBlockRoom(stage, changetype<usize>(tokenAt(stage, made)), stage.termCur, outEnd)) break;
        const from = chain.cur;
        made = bigramRuns(chain, stage, area, made, outEnd, (flags & BigramFlag.ASCII_WORDS) != 0);
        if (chain.cur != from) continue;
      }
      const count = stage.isInputEnded || (readsText && chain.cur >= chain.textEnd) ? 0 : pull(chain, input.index, stage.index);
      if (count < 0) return count;
      if (count == 0) {
        stage.isInputEnded = 1;
        if (hasSingle(state, unigrams)) {
          if (stage.termCur + 16 > outEnd) break;
          emit(stage, made++, area, state.started++, 1, TokenType.SINGLE, unigrams);
        }
        break;
      }
      continue;
    }
    const token = tokenAt(input, input.taken);
    if (isGrammed(token.type, flags)) {
      if (token.startOffset != state.runEnd) {
        if (hasSingle(state, unigrams)) {
          if (stage.termCur + 16 > outEnd) break;
          emit(stage, made++, area, state.started++, 1, TokenType.SINGLE, unigrams);
          continue;
        }
        state.runLength = 0;
        state.started = 0;
      }
      const status = refill(state, area, token);
      if (status < 0) return status;
      input.taken++;
      continue;
    }
    if (hasSingle(state, unigrams)) {
      if (stage.termCur + 16 > outEnd) break;
      emit(stage, made++, area, state.started++, 1, TokenType.SINGLE, unigrams);
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

/** Whether the end of the text was reached and no character is pending. */
export function hasNoBigrams(stage: Stage): bool {
  const state = stateOf<BigramState>(stage);
  return stage.isInputEnded != 0 && state.runLength - state.started < 2 && !hasSingle(state, (load<u32>(stage.config) & BigramFlag.UNIGRAMS) != 0);
}

/** Whether a pending character cannot form a bigram: the last one of a run if unigrams are emitted, else a run of one. */
function hasSingle(state: BigramState, unigrams: bool): bool {
  return unigrams ? state.runLength - state.started == 1 : state.runLength == 1 && state.started == 0;
}

function isGrammed(type: u32, flags: u32): bool {
  if (type == TokenType.IDEOGRAPHIC) return (flags & BigramFlag.HAN) != 0;
  if (type == TokenType.HIRAGANA) return (flags & BigramFlag.HIRAGANA) != 0;
  if (type == TokenType.KATAKANA) return (flags & BigramFlag.KATAKANA) != 0;
  return type == TokenType.HANGUL && (flags & BigramFlag.HANGUL) != 0;
}

/** Appends the characters of a token to the run. Of the earlier ones only the last is still needed. Returns 0 or E_NO_SPACE. */
function refill(state: BigramState, area: usize, token: Token): i32 {
  if (state.started > 0 && state.runLength > 64) {
    const last = state.runLength - 1;
    memory.copy(area, area + last * 12, 12);
    state.started -= last;
    state.runLength = 1;
  }
  const from = token.termPtr, end = from + token.termLen;
  // Nearly all are single characters of three bytes.
  if (token.termLen == 3 && token.endOffset - token.startOffset == 1 && load<u8>(from) >= 0xe1 && state.runLength < RUN) {
    const entry = area + state.runLength++ * 12;
    store<u32>(entry, ((<u32>load<u8>(from) & 15) << 12) | ((<u32>load<u8>(from, 1) & 63) << 6) | (load<u8>(from, 2) & 63));
    store<u32>(entry, token.startOffset, 4);
    store<u32>(entry, token.endOffset, 8);
    state.runEnd = token.endOffset;
    return 0;
  }
  const aligned = token.endOffset - token.startOffset == utf16Length(from, end);
  let start = token.startOffset;
  for (let p = from; p < end; ) {
    if (state.runLength >= RUN) return E_NO_SPACE;
    const d = decode(p, end), cp = d & 0xffffff, entry = area + state.runLength++ * 12;
    store<u32>(entry, cp);
    store<u32>(entry, start, 4);
    if (aligned) start += cp > 0xffff ? 2 : 1;
    store<u32>(entry, aligned ? start : token.endOffset, 8);
    p += d >> 24;
  }
  state.runEnd = token.endOffset;
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

/** Writes a code point. Returns the end. */
// @ts-ignore: decorator
@inline
function append(at: usize, cp: u32): usize {
  if (cp - 0x800 >= 0x10000 - 0x800) return at + encode(at, cp);
  store<u16>(at, (0xe0 | (cp >> 12)) | ((0x80 | ((cp >> 6) & 63)) << 8));
  store<u8>(at, 0x80 | (cp & 63), 2);
  return at + 3;
}
