// The Tamil Snowball stemmer by Damodharan Rajalingam: removes interrogative and demonstrative prefixes, particles, case, plural and tense endings,
// and repairs the end of the word after most of them. Source: snowballstem.org/algorithms/tamil. Words are units of the Tamil block: a consonant has
// an inherent a unless PULLI or a vowel sign follows.
import { foundAt, groupOf, removeSuffix, replaceFound } from '../suffix-table';
import { ends, isBefore, isIn, put, removeUnits, replaceUnits, setLength, standsAt, unitAt, wordLen } from '../word';

const PULLI = "்";
const HARD = "கசடதபற";
const SOFT = "யரலவழளஞணநமன";
const INITIAL = "கசதவநபமயஙஞ";
const VOWEL_SIGNS = "ாிீெேுூை";
const VOWELS = "அஆஇஈஉஊஎஏஐஒஓஔ";
/** Words shorter than this keep their endings. */
const MIN_LENGTH: i32 = 5;

/** Groups: by the table; ய் after a vowel sign; த்த் of a case ending; னு after a consonant; ங். */
const ENDS = `ந் ந்த ந்த் ட்ப்>ள் ட்க்>ள் ன்ற்>ல் ற்க்>ல் ட்ட்>டு ுக்>் ுக்க்>் வ ய வ்
/ய்
/த்த்>ம்
/னு
/ங்>ம்`;
const COMMON = `ுடன்>் ில்லை>் ிடம்>் ின்றி>் ாகி>் ாகிய>் ென்று>் ுள்ள>் ுடைய>் ுடை>் ெனும்>் ென>்
படு பட்ட பட்டு பட்டது பட்டண குரிய பற்றி விடு விட்டு படிதான படி தான ெல்லாம்
/ல்ல>்`;
/** Groups: by the table; not after ம; in words of seven units; after a consonant. */
const CASES = `னை ொடு>் ோடு>் ில்>் ிற்>் ின்று>் ிருந்து>் விட>் ால்>் ுடை>் ாமல்>் ுள்>் கண் முன் மேல் மேற் கீழ் ீ>ி
/ின்>்
/ிடம்>்
/ல்>் து`;
/** Groups: by the table; not after an independent vowel; after a consonant; not after ச; after PULLI. */
const TENSES = `கொண்டிர் படு மார் மின் னன் னான் னாள் னார் னள் வள் னர் வர் ன ப க த ய பன் பள் பர் ிற்று பம் னம் தும் றும் கும் னென் னை வை
ாள்>் ார்>் ேன்>் ா>் ாம்>் ெம்>் ேம்>் ோம்>் டும்>் ாய்>் னிர்>் ீர்>் ீயர்>்
/வன்
/து
/ான்>்
/கு`;
const PRESENT = "ாநின்ற ாநின்ற் கின்ற கின்ற் கிற கிற்";

let caseFound: bool = false;

/** Repairs the end once. False: nothing to repair. */
function mendOnce(): bool {
  if (wordLen < 4) return false;
  switch (groupOf(ENDS, 0)) {
    case 0:
      replaceFound();
      return true;
    case 1:
      if (!isBefore(foundAt, "ைிீ")) break;
      setLength(foundAt);
      return true;
    case 2:
      if (!caseFound || isBefore(foundAt, "ை")) break;
      replaceFound();
      return true;
    case 3:
      if (isBefore(foundAt, VOWEL_SIGNS)) break;
      setLength(foundAt);
      return true;
    case 4:
      if (isBefore(foundAt, "ை்")) setLength(foundAt);
      else replaceFound();
      return true;
  }
  return mendPulli();
}

/** Removes a final PULLI: with one or two hard consonants before it, with a soft one after another PULLI, alone after a vowel sign. */
function mendPulli(): bool {
  if (!ends(PULLI)) return false;
  const at = wordLen - 1;
  if (isBefore(at, HARD)) setLength(isBefore(at - 1, PULLI) && isBefore(at - 2, HARD) ? at - 3 : at - 1);
  else if (isBefore(at, SOFT) && isBefore(at - 1, PULLI)) setLength(at - 1);
  else if (isBefore(at, VOWEL_SIGNS) || isBefore(at, PULLI)) setLength(at);
  else return false;
  return true;
}

function mend(): void {
  while (mendOnce()) {}
}

/** Removes a demonstrative vowel with the doubled consonant after it; the glide between becomes a vowel again. */
function prefix(vowels: string): void {
  if (wordLen < 3 || !isIn(unitAt(0), vowels) || !isIn(unitAt(1), INITIAL) || !standsAt(2, PULLI)) return;
  removeUnits(0, 3);
  if (standsAt(0, "வோ")) replaceUnits(0, 2, "ஓ");
  else if (standsAt(0, "வொ")) replaceUnits(0, 2, "ஒ");
  else if (standsAt(0, "வு")) replaceUnits(0, 2, "உ");
  else if (standsAt(0, "வூ")) replaceUnits(0, 2, "ஊ");
}

function question(): void {
  if (wordLen < MIN_LENGTH) return;
  if (isBefore(wordLen, "\u0bcb\u0bc7\u0bbe")) put(wordLen - 1, PULLI);
  mend();
}

function conjunction(): void {
  if (wordLen < MIN_LENGTH || groupOf("ும்>்", 0) < 0) return;
  replaceFound();
  mendOnce();
}

function commonEndings(): void {
  if (wordLen < MIN_LENGTH) return;
  const group = groupOf(COMMON, 0);
  if (group < 0 || (group == 1 && isBefore(foundAt, VOWEL_SIGNS))) return;
  replaceFound();
  mend();
}

function caseEnding(): bool {
  switch (groupOf(CASES, 0)) {
    case -1: return false;
    case 1: if (isBefore(foundAt, "ம")) return false; break;
    case 2: if (wordLen < 7) return false; break;
    case 3: if (isBefore(foundAt, VOWEL_SIGNS)) return false; break;
  }
  replaceFound();
  return true;
}

/** The accusative ை, not after a single hard consonant. */
function accusative(): bool {
  const at = wordLen - 1;
  if (!ends("ை") || (isBefore(at, HARD) && !isBefore(at - 1, PULLI))) return false;
  put(at, PULLI);
  return true;
}

function cases(): void {
  caseFound = false;
  if (wordLen < MIN_LENGTH || (!caseEnding() && !accusative())) return;
  caseFound = true;
  if (groupOf("ின்>்", 0) >= 0) replaceFound();
  mend();
}

function plural(): void {
  const group = groupOf("கள் ற்கள்>ல் ட்கள்>ள்/ுங்கள்", 0);
  if (group == 0) replaceFound();
  else if (group == 1) put(foundAt, isBefore(foundAt, HARD) ? "ுங்" : PULLI);
}

/** Removes one ending of tense or person. False: there was none. */
function tenseEnding(): bool {
  switch (groupOf(TENSES, 0)) {
    case -1: return false;
    case 1: if (isBefore(foundAt, VOWELS)) return false; break;
    case 2: if (isBefore(foundAt, VOWEL_SIGNS)) return false; break;
    case 3: if (isBefore(foundAt, "ச")) return false; break;
    case 4: if (!isBefore(foundAt, PULLI)) return false; break;
  }
  replaceFound();
  return true;
}

function tenses(): void {
  for (let found = true; found && wordLen >= MIN_LENGTH; ) {
    found = tenseEnding();
    if (removeSuffix(PRESENT, 0)) found = true;
    mend();
  }
}

export function tamil(): void {
  caseFound = false;
  mendOnce();
  if (wordLen < MIN_LENGTH) return;
  prefix("எ");
  prefix("அஇஉ");
  question();
  conjunction();
  commonEndings();
  cases();
  plural();
  if (wordLen >= MIN_LENGTH) removeSuffix("பி வி", 0);
  tenses();
}
