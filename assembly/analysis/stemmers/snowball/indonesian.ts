// The Indonesian Snowball stemmer: F. Z. Tala's (2003) affixes with fewer exceptions, as long as the word has more than two vowels. Source:
// snowballstem.org/algorithms/indonesian.
import { foundAt, foundGroup, foundLen, groupAhead, groupOf, replaceInside } from '../suffix-table';
import { isBefore, isIn, removeUnits, setLength, standsAt, unitAt, wordLen } from '../word';

// Consequences of a removed prefix for suffixes.
const OTHER: i32 = 0;
const DI_MENG_TER: i32 = 1;
const PER: i32 = 2;
const KE_PENG: i32 = 3;
const BER: i32 = 4;

let vowels: i32 = 0;
let prefix: i32 = OTHER;
/** Removes the first prefix and restores the letter that it absorbed. */
let front: i32 = 0;

function vowelAt(i: i32): bool {
  return i < wordLen && isIn(unitAt(i), "aeiou");
}

function cutEnd(suffixes: string): void {
  if (vowels < 3 || groupOf(suffixes, 0) < 0) return;
  setLength(foundAt);
  vowels--;
}

/** Replaces the prefix found. */
function cutFront(kind: i32): bool {
  front = replaceInside();
  prefix = kind;
  vowels--;
  return true;
}

/** Before a vowel, -eny- and -em- represent s and p. */
function firstPrefix(): bool {
  const group = groupAhead("meny>s peny>s", 0);
  if (group >= 0 && vowelAt(4)) return cutFront(unitAt(0) == 0x6d ? DI_MENG_TER : KE_PENG);
  if (groupAhead("mem>p pem>p", 0) >= 0 && vowelAt(3)) return cutFront(unitAt(0) == 0x6d ? DI_MENG_TER : KE_PENG);
  if (groupAhead("di meng men mem me ter/ke peng pen pem", 0) < 0) return false;
  return cutFront(foundGroup == 0 ? DI_MENG_TER : KE_PENG);
}

function secondPrefix(): void {
  const at = front;
  switch (groupAhead("per pe pelajar>ajar/ber belajar>ajar", at)) {
    case 0:
      if (foundLen < 7) prefix = PER;
      break;
    case 1: prefix = BER; break;
    default:
      // be- before a consonant and -er.
      if (!standsAt(at, "be") || at + 2 >= wordLen || vowelAt(at + 2) || !standsAt(at + 3, "er")) return;
      removeUnits(at, 2);
      prefix = BER;
      vowels--;
      return;
  }
  replaceInside();
  vowels--;
}

function suffix(): bool {
  if (vowels < 3) return false;
  const group = groupOf("kan/an/i", front);
  if (group < 0) return false;
  if (group == 0 && (prefix == KE_PENG || prefix == PER)) setLength(wordLen - 2);
  else if (group == 2 ? prefix > PER || isBefore(foundAt, "s") : group == 1 && prefix == DI_MENG_TER) return false;
  else setLength(foundAt);
  vowels--;
  return true;
}

export function indonesianSnowball(): void {
  vowels = 0;
  prefix = OTHER;
  front = 0;
  for (let i = 0; i < wordLen; i++) if (vowelAt(i)) vowels++;
  cutEnd("kah lah pun");
  cutEnd("ku mu nya");
  if (vowels < 3) return;
  if (firstPrefix()) {
    if (suffix() && vowels > 2) secondPrefix();
  } else {
    secondPrefix();
    suffix();
  }
}
