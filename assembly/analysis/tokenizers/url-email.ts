// uax_url_email tokenizer: the words of the standard tokenizer, plus URLs and e-mail addresses as single tokens. The longest match wins; a URL or
// address wins over a word of the same length.
//   config ├─ maxTokenLength u32 ─┬─ term set of top level domains ─┤
// A match does not see text beyond maxTokenLength units from the token's start, the size of the buffer of Lucene's scanner.
// URLs are searched only inside runs of visible ASCII that contain one of . @ : [ or start with a quote.
import { E_NO_SPACE } from '../../mem/status';
import * as U from '../../text/generated/url';
import { WORD_BREAK_ACCEPT, WORD_BREAK_CLASSES, WORD_BREAK_NEXT, wordBreakClass } from '../../text/generated/word-break';
import { decode, utf16Length } from '../../text/utf8';
import { BATCH, Chain, Stage } from '../stage';
import { findAsciiTermIgnoringCase } from '../term-set';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';
import { finishBatch } from './finish-batch';

/** Length of the longest top-level domain in bytes. */
const MAX_TLD: u32 = 24;

export function urlEmailNext(chain: Chain, stage: Stage): i32 {
  const maxLength = load<u32>(stage.config), end = chain.textEnd;
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = stage.termsPtr, at = stage.tokens;
  // End of the run of visible ASCII read so far, which is at least as far as a match may reach.
  let runEnd: usize = 0, isRunCut = false, runHasMarks = false;
  while (cur < end && at < tokensEnd) {
    // The word that starts here.
    let state: u32 = 1, type: u32 = 0, units: u32 = 0, matchEnd = cur, matchUnits: u32 = 0;
    for (let p = cur; p < end; ) {
      const d = decode(p, end), cp = d & 0xffffff;
      state = load<u8>(WORD_BREAK_NEXT + state * WORD_BREAK_CLASSES + wordBreakClass(cp));
      if (!state) break;
      const cpUnits: u32 = cp > 0xffff ? 2 : 1;
      if (units + cpUnits > maxLength) break;
      units += cpUnits;
      p += d >> 24;
      const accept = <u32>load<u8>(WORD_BREAK_ACCEPT + state);
      if (accept) {
        type = accept;
        matchEnd = p;
        matchUnits = units;
      }
    }
    const first = <u32>load<u8>(cur);
    if (first > 32 && first < 127) {
      if (cur >= runEnd || (isRunCut && cur + maxLength > runEnd)) {
        runHasMarks = false;
        const readEnd = min<usize>(end, cur + 4 * <usize>maxLength);
        for (runEnd = cur; runEnd < readEnd; runEnd++) {
          const b = <u32>load<u8>(runEnd);
          if (b <= 32 || b >= 127) break;
          if (b == 0x2e || b == 0x40 || b == 0x3a || b == 0x5b) runHasMarks = true;
        }
        isRunCut = runEnd == readEnd && readEnd < end;
      }
      if (runHasMarks || first == 0x22) {
        const found = longestUrl(stage.config + 4, cur, min<usize>(end, cur + maxLength), end, matchEnd);
        if (found) {
          type = <u32>(found >> 32);
          matchEnd = <usize>(<u32>found);
          matchUnits = <u32>(matchEnd - cur);
        }
      }
    }
    if (!type) {
      const d = decode(cur, end);
      if (maxLength == 1 && d >> 24 == 4) {
        // A surrogate pair never fits into a buffer of one unit, which Lucene's scanner takes for the end.
        base += end - cur - utf16Length(cur, end);
        cur = end;
        break;
      }
      cur += d >> 24;
      base += (d >> 24) - ((d & 0xffffff) > 0xffff ? 2 : 1);
      continue;
    }
    const len = <u32>(matchEnd - cur), start = <u32>(cur - base);
    if (out + len > outEnd) {
      if (at == stage.tokens) return E_NO_SPACE;
      break;
    }
    memory.copy(out, cur, len);
    writeToken(at, out, len, start, start + matchUnits, type);
    at += TOKEN_BYTES;
    out += len;
    base = matchEnd - start - matchUnits;
    cur = matchEnd;
  }
  return finishBatch(chain, stage, cur, base, out, at);
}

/** End of the longest match of an automaton over ASCII, 0 if there is none. */
function run(classes: u32, classOf: usize, next: usize, accept: usize, from: usize, limit: usize): usize {
  let state: u32 = 1, found: usize = 0;
  for (let p = from; p < limit; ) {
    const b = <u32>load<u8>(p);
    if (b >= 128) break;
    state = load<u16>(next + (<usize>(state * classes + load<u8>(classOf + b)) << 1));
    if (!state) break;
    p++;
    if (load<u8>(accept + state)) found = p;
  }
  return found;
}

// Matches are ranked by how far their rule looks ahead; `best` and `bestType` are the token of the best one.
let bestReach: usize = 0, best: usize = 0, bestType: u32 = 0;

// @ts-ignore: decorator
@inline
function offer(reach: usize, end: usize, type: u32): void {
  if (reach > bestReach || (reach == bestReach && !bestType)) {
    bestReach = reach;
    best = end;
    bestType = type;
  }
}

/** End of the text; the scanner sees the part before `limit`. */
let textEnd: usize = 0;

/** The URL or address at `from` that beats the word ending at `wordEnd`, as type << 32 | end; 0 if there is none. A tie goes to the URL. */
function longestUrl(domains: usize, from: usize, limit: usize, end: usize, wordEnd: usize): u64 {
  textEnd = end;
  bestReach = wordEnd;
  best = 0;
  bestType = 0;
  const scheme = run(U.SCHEME_URL_CLASSES, U.SCHEME_URL_CLASS, U.SCHEME_URL_NEXT, U.SCHEME_URL_ACCEPT, from, limit);
  if (scheme) offer(scheme, scheme, TokenType.URL);
  const address = run(U.STRICT_ADDRESS_CLASSES, U.STRICT_ADDRESS_CLASS, U.STRICT_ADDRESS_NEXT, U.STRICT_ADDRESS_ACCEPT, from, limit);
  // Lucene treats an IPv4 address at the end of the text as a number unless its last part is a single digit.
  if (address) offerHost(address, limit, load<u8>(address - 1) == 0x5d || load<u8>(address - 2) == 0x2e);
  offerDomains(domains, from, limit);
  const local = run(U.MAIL_LOCAL_CLASSES, U.MAIL_LOCAL_CLASS, U.MAIL_LOCAL_NEXT, U.MAIL_LOCAL_ACCEPT, from, limit);
  if (local) {
    const mail = max<usize>(mailDomain(domains, local, limit), run(U.MAIL_BRACKET_CLASSES, U.MAIL_BRACKET_CLASS, U.MAIL_BRACKET_NEXT, U.MAIL_BRACKET_ACCEPT, local, limit));
    if (mail) offer(mail, mail, TokenType.EMAIL);
  }
  if (isMailto(from, limit)) {
    const behind = from + 7;
    const inner = run(U.MAIL_LOCAL_CLASSES, U.MAIL_LOCAL_CLASS, U.MAIL_LOCAL_NEXT, U.MAIL_LOCAL_ACCEPT, behind, limit);
    if (inner) {
      const mail = max<usize>(mailDomain(domains, inner, limit), run(U.MAIL_BRACKET_CLASSES, U.MAIL_BRACKET_CLASS, U.MAIL_BRACKET_NEXT, U.MAIL_BRACKET_ACCEPT, inner, limit));
      if (mail) offer(mail, from + 6, TokenType.ALPHANUM);
    }
  }
  return bestType ? (<u64>bestType << 32) | <u64>best : 0;
}

function isMailto(from: usize, limit: usize): bool {
  return from + 7 < limit && (load<u32>(from) | 0x20202020) == 0x6c69616d && (load<u16>(from, 4) | 0x2020) == 0x6f74 && load<u8>(from, 6) == 0x3a;
}

/** Offers a host that ends at `end`: with a port, path, query or fragment, or alone if no word character follows or, if mayBeLast, the text ends. */
function offerHost(end: usize, limit: usize, mayBeLast: bool): void {
  const tail = run(U.URL_TAIL_CLASSES, U.URL_TAIL_CLASS, U.URL_TAIL_NEXT, U.URL_TAIL_ACCEPT, end, limit);
  if (tail) offer(tail, tail, TokenType.URL);
  // A character of one to four bytes, which counts as one or two units; those before it are ASCII.
  const d = end < limit ? decode(end, textEnd) : 0;
  const units: usize = (d & 0xffffff) > 0xffff ? 2 : 1;
  if (end + units > limit) {
    if (mayBeLast) offer(end, end, TokenType.URL);
  } else if (!U.goesOnWithHost(d & 0xffffff)) offer(end + (d >> 24), end, TokenType.URL);
}

// @ts-ignore: decorator
@inline
function isAlnum(b: u32): bool {
  return b - 48 < 10 || (b | 32) - 97 < 26;
}

/** End of the label that starts at `from`, including trailing dashes; `from` if it does not start with a letter or digit. */
function labelEnd(from: usize, limit: usize): usize {
  let p = from;
  if (p >= limit || !isAlnum(load<u8>(p))) return from;
  while (p < limit && (isAlnum(load<u8>(p)) || load<u8>(p) == 0x2d)) p++;
  return p;
}

/** Offers every host name at `from` whose last label is a top-level domain. */
function offerDomains(domains: usize, from: usize, limit: usize): void {
  let end = labelEnd(from, limit);
  if (end == from) return;
  while (end < limit && load<u8>(end) == 0x2e && load<u8>(end - 1) != 0x2d) {
    const label = end + 1, next = labelEnd(label, limit);
    if (next == label) return;
    if (isTopLevel(domains, label, <u32>(next - label))) {
      offerHost(next, limit, true);
      if (next < limit && load<u8>(next) == 0x2e) offerHost(next + 1, limit, true);
    }
    end = next;
  }
}

/** End of the longest host name with a top-level domain at `from`, possibly within a label; 0 if there is none. */
function mailDomain(domains: usize, from: usize, limit: usize): usize {
  let found: usize = 0, end = labelEnd(from, limit);
  if (end == from) return 0;
  while (end < limit && load<u8>(end) == 0x2e && load<u8>(end - 1) != 0x2d) {
    const label = end + 1, next = labelEnd(label, limit);
    if (next == label) return found;
    for (let len = min<u32>(<u32>(next - label), MAX_TLD); len >= 2; len--) {
      if (!isTopLevel(domains, label, len)) continue;
      found = label + len;
      if (found < limit && load<u8>(found) == 0x2e) found++;
      break;
    }
    end = next;
  }
  return found;
}

function isTopLevel(domains: usize, ptr: usize, len: u32): bool {
  if (len < 2 || len > MAX_TLD) return false;
  return findAsciiTermIgnoringCase(domains, ptr, len) != 0;
}
