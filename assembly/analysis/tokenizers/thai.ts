// Thai tokenizer: words as Java's BreakIterator finds them, by rules (an automaton built by the host, src/analysis/tokenizers/thai.ts), and by a
// dictionary within runs of Thai letters (thai-words.ts). A part is a token if it starts with a letter or digit.
//   config ├─ trie u32 ─┬─ next u32 ─┬─ classes u32 ─┬─ blocks u32 ─┬─ index u16 × 8704 ─┬─ data at these offsets from config ─┤
//   class of a code point = blocks[index[cp >> 7] << 7 | cp & 127]; next state = next[state * classes + class]: u16, see regex/machine.ts
// Pre: the stage's batch is free. Post: tokens ascend by offset.
import { E_NO_SPACE } from '../../mem/status';
import { isDigit, isLetter } from '../../text/character';
import { decode, utf16Length } from '../../text/utf8';
import { BATCH, Chain, Stage, stateOf } from '../stage';
import { TOKEN_BYTES, writeToken } from '../token';
import { isMark, SCRATCH_BYTES, thaiLetter, thaiWordEnd } from './thai-words';
import { ThaiConfig } from '../stage-configs';
import { finishBatch } from './finish-batch';

const INDEX: usize = 16;
const ACCEPTS: u32 = 0x8000;
const DEAD: u32 = 0xffff;
const LETTER_BYTES: usize = 3;
/** A run of Thai letters up to this long is one word. */
const ONE_WORD: usize = 4 * LETTER_BYTES;
// Signs that are not in the dictionary; they are like other letters if they stand alone.
const PAIYANNOI: u32 = 0x2f;
const LAKKHANGYAO: u32 = 0x45;
const MAIYAMOK: u32 = 0x46;

// @ts-ignore: decorator
@unmanaged
class ThaiState extends Stage {
  /** Ends of what is being cut, as offsets from the text's start: a run of Thai letters, a part next to such a run, the rule match that contains both. */
  thaiEnd: u32;
  partEnd: u32;
  runEnd: u32;
}

export function thaiNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<ThaiState>(stage), config = stage.config, trie = config + changetype<ThaiConfig>(config).trieOff;
  const text = chain.textPtr, end = chain.textEnd, scratch = stage.termsPtr;
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = stage.termsPtr + SCRATCH_BYTES, token = stage.tokens;
  let thaiEnd = text + state.thaiEnd, partEnd = text + state.partEnd, runEnd = text + state.runEnd;
  while (cur < end && token < tokensEnd) {
    let wordEnd: usize, isThai = true;
    if (cur < thaiEnd) wordEnd = thaiWordEnd(trie, cur, thaiEnd, scratch);
    else if (cur < partEnd) {
      wordEnd = ruleEnd(config, cur, partEnd);
      isThai = false;
    } else {
      const isInRun = cur < runEnd, behind = thaiLettersEnd(cur, isInRun ? runEnd : end);
      if (behind > cur && (isInRun || isAlone(cur, behind, end))) {
        while (cur < behind && isMark(thaiLetter(cur, end))) {
          cur += LETTER_BYTES;
          base += LETTER_BYTES - 1;
        }
        if (cur == behind) continue;
        if (behind - cur > ONE_WORD) {
          thaiEnd = behind;
          continue;
        }
        wordEnd = behind;
      } else if (isInRun) {
        // Text between Thai letters is cut by the rules again.
        partEnd = otherEnd(cur, runEnd);
        continue;
      } else {
        wordEnd = ruleEnd(config, cur, end);
        if (holdsThai(cur, wordEnd)) {
          runEnd = wordEnd;
          continue;
        }
        isThai = false;
      }
    }
    const bytes = wordEnd - cur, units = isThai ? bytes / LETTER_BYTES : <usize>utf16Length(cur, wordEnd);
    if (isThai ? !isMark(thaiLetter(cur, end)) : beginsWord(cur, end)) {
      if (out + bytes > outEnd) {
        if (token == stage.tokens) return E_NO_SPACE;
        break;
      }
      memory.copy(out, cur, bytes);
      const unit = <u32>(cur - base);
      writeToken(token, out, <u32>bytes, unit, unit + <u32>units, 0);
      token += TOKEN_BYTES;
      out += bytes;
    }
    base += bytes - units;
    cur = wordEnd;
  }
  state.thaiEnd = <u32>(thaiEnd - text);
  state.partEnd = <u32>(partEnd - text);
  state.runEnd = <u32>(runEnd - text);
  return finishBatch(chain, stage, cur, base, out, token);
}

/** End of the longest match of the rules, which match at least one code point. */
function ruleEnd(config: usize, from: usize, end: usize): usize {
  const tables = changetype<ThaiConfig>(config), next = config + tables.statesOff, classes = tables.classCount, blocks = config + tables.blocksOff, index = config + INDEX;
  let state: u32 = 0, p = from, match = from;
  while (p < end) {
    const d = decode(p, end), cp = d & 0xffffff;
    const block = <usize>load<u16>(index + (<usize>(cp >> 7) << 1));
    state = load<u16>(next + (<usize>((state & ~ACCEPTS) * classes + load<u8>(blocks + (block << 7) + (cp & 127))) << 1));
    if (state == DEAD) break;
    p += d >> 24;
    if (state & ACCEPTS) match = p;
  }
  return match > from ? match : from + (decode(from, end) >> 24);
}

// @ts-ignore: decorator
@inline
function beginsWord(cur: usize, end: usize): bool {
  const cp = decode(cur, end) & 0xffffff;
  return isLetter(cp) || isDigit(cp);
}

/** End of the Thai letters at a position. */
function thaiLettersEnd(from: usize, end: usize): usize {
  let p = from;
  while (thaiLetter(p, end)) p += LETTER_BYTES;
  return p;
}

/** Position of the next Thai letter. */
function otherEnd(from: usize, end: usize): usize {
  let p = from;
  while (p < end && !thaiLetter(p, end)) p += decode(p, end) >> 24;
  return p;
}

/** Whether a run contains letters that may be in the dictionary. */
function holdsThai(from: usize, end: usize): bool {
  for (let p = from; p < end; p++) {
    const letter = thaiLetter(p, end);
    if (letter && letter != PAIYANNOI && letter != LAKKHANGYAO && letter != MAIYAMOK) return true;
  }
  return false;
}

/** Whether the rules would join nothing to these Thai letters, if no rule match is open. Runs that start with a mark are left to the rules. */
// @ts-ignore: decorator
@inline
function isAlone(from: usize, behind: usize, end: usize): bool {
  return (behind == end || endsWords(load<u8>(behind))) && !isMark(thaiLetter(from, end));
}

/** ASCII characters that are never joined to letters before them. */
// @ts-ignore: decorator
@inline
function endsWords(byte: u32): bool {
  return byte == 0x20 || byte - 9 < 2 || byte == 13 || byte - 0x28 < 2 || byte == 0x2c || byte == 0x2f || byte - 0x3a < 2 || byte == 0x21 || byte == 0x3f ||
    byte == 0x5b || byte == 0x5d;
}
