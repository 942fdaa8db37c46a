// Stems terms that are no keywords.   config ├─ stemmer id u32 ─┤
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { decode, encode } from '../../text/utf8';
import { renewTerm, Stage, tokenAt } from '../stage';
import { runStemmer } from '../stemmers/stemmers';
import { GROWTH, setWord, unitAt, word, wordLen } from '../stemmers/word';
import { FLAG_KEYWORD, Token } from '../token';

export function stemFilter(stage: Stage, batch: Stage): i32 {
  const id = load<u32>(stage.config);
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (token.flags & FLAG_KEYWORD) continue;
    // The word stands behind the terms of the batch, where the next term would go: as units, then room for its new bytes.
    const units = (batch.termCur + 7) & ~7;
    const room = ((<usize>token.termLen + GROWTH) << 1) + (<usize>token.termLen + GROWTH) * 3;
    if (units + room > batch.termsEnd) return E_NO_SPACE;
    setWord(units, decodeUnits(token, units));
    if (!runStemmer(id)) return E_CORRUPT;
    const status = encodeUnits(batch, token, units + ((<usize>token.termLen + GROWTH) << 1));
    if (status < 0) return status;
  }
  return 0;
}

/** Writes the term as UTF-16. Returns the number of units. */
function decodeUnits(token: Token, out: usize): i32 {
  let to = out;
  for (let p = token.termPtr, end = p + token.termLen; p < end; ) {
    const byte = load<u8>(p);
    if (byte < 0x80) {
      store<u16>(to, byte);
      to += 2;
      p++;
      continue;
    }
    const d = decode(p, end), cp = d & 0xffffff;
    p += d >> 24;
    if (cp > 0xffff) {
      store<u16>(to, <u16>(0xd800 + ((cp - 0x10000) >> 10)));
      store<u16>(to, <u16>(0xdc00 + ((cp - 0x10000) & 0x3ff)), 2);
      to += 4;
    } else {
      store<u16>(to, <u16>cp);
      to += 2;
    }
  }
  return <i32>((to - out) >> 1);
}

/** Makes the word the token's term; `scratch` takes its bytes before they are put in their place. */
function encodeUnits(batch: Stage, token: Token, scratch: usize): i32 {
  let to = scratch;
  for (let i = 0; i < wordLen; i++) {
    let cp = unitAt(i);
    if (cp < 0x80) {
      store<u8>(to++, <u8>cp);
      continue;
    }
    if ((cp & 0xfc00) == 0xd800 && i + 1 < wordLen && (unitAt(i + 1) & 0xfc00) == 0xdc00) {
      cp = 0x10000 + ((cp & 0x3ff) << 10) + (unitAt(i + 1) & 0x3ff);
      i++;
    }
    to += encode(to, cp);
  }
  const bytes = <u32>(to - scratch);
  // A longer term moves to the end of the batch's terms, which is where the units stand now: below the scratch bytes.
  if (bytes > token.termLen && word + bytes > scratch) return E_NO_SPACE;
  const status = renewTerm(batch, token, bytes);
  if (status < 0) return status;
  memory.copy(token.termPtr, scratch, bytes);
  return 0;
}
