// The Yiddish Snowball stemmer by Assaf Urieli. Letters are unified to one spelling without points; the ge- of participles and the tsu- of
// infinitives, also after a verbal prefix, become the capitals GE and TSU, which are removed last. Source: snowballstem.org/algorithms/yiddish.
import { foundAt, foundLen, groupAhead, groupOf, removeFound, replaceFound, replaceInside } from '../suffix-table';
import { isBefore, isIn, put, removeUnits, replaceUnits, setLength, setUnit, standsAt, unitAt, wordLen } from '../word';

const VOWELS = "אויעױײ";
const CONSONANTS = "בגדהזחטךכלםמןנסףפץצקרשתװ";
/** Pairs that a point after them separates, and final forms of letters. */
const SPELLING = "וו>װ/וי>ױ יי>ײ/ך>כ ם>מ ן>נ ף>פ ץ>צ";
const POINT_OF_U: u32 = 0x5bc;
const POINT_OF_I: u32 = 0x5b4;
/** Verbal prefixes that ge- or tsu- may follow: stressed, less free, unstressed. */
const PREFIXES = `אדורכ דורכ אהינ אהער אװעק מיט אנטקעגנ אקעגנ אנידער אראפ ארױס ארױפ ארומ ארײנ ארונטער אריבער נאכ פארבײ אהײמ אפיר פארױס פונאנדער צוזאמענ צונױפ צוריק
אױס אױפ אומ אונטער איבער אײנ אנ אפ בײ פאר צו
אנט בא דער צע`;
/** Groups: in R1; kept; in R1, and irregular participles before it; the same after t; irregular participles; -ist. */
const ENDINGS = `ערס ענ נס ענערס עס ע נ ס עמ ער יעס>יע ט עט עטנ עטס עטע עטער ונג הײט קײט יקײט שאפט יזמ יזמענ ימ ות>ה עלעכ עלע לעכ עלעס עלענ יסטנ סטו סטער סטע סטנ סט
/יע
/ענע ענעמ ענער ענס
/טנ טע טער טס טנס טענע טענעמ טענער
/גײנ>גײ גאנגענ>גײ נומענ>נעמ שריבנ>שרײב GEמיטנ>מײד GEביטנ>בײט GEביסנ>בײס װיזנ>װײז טריבנ>טרײב GEליטנ>לײט קליבנ>קלײב ריבנ>רײב GEריסנ>רײס שװיגנ>שװײג
שמיסנ>שמײס שניטנ>שנײד בונדנ>בינד װוטשנ>װיטש זונגנ>זינג טרונקנ>טרינק צװונגנ>צװינג שלונגנ>שלינג בױגנ>בײג הױבנ>הײב פארלױרנ>פארליר שטאנענ>שטײ שװױרנ>שװער בראכט>ברענג
/יסט`;
const PARTICIPLES = `גאנג>גײ נומ>נעמ מיט>מײד ביט>בײט ביס>בײס װיז>װײז טריב>טרײב ליט>לײט קליב>קלײב ריב>רײב ריס>רײס שװיג>שװײג שמיס>שמײס שניט>שנײד שריב>שרײב
בונד>בינד װוטש>װיטש זונג>זינג טרונק>טרינק צװונג>צװינג שלונג>שלינג בױג>בײג הױב>הײב פארלױר>פארליר שטאנ>שטײ שװױר>שװער`;

let p1: i32 = 0;

function spell(): void {
  for (let i = 0; i < wordLen; i++) {
    const group = groupAhead(SPELLING, i), next = i + foundLen < wordLen ? unitAt(i + foundLen) : 0;
    if (group == 2 || (group == 0 && next != POINT_OF_U) || (group == 1 && next != POINT_OF_I)) replaceInside();
  }
  let kept = 0;
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if ((unit >= 0x5b0 && unit <= 0x5bc && unit != 0x5ba) || unit == 0x5bf || unit == 0x5c1 || unit == 0x5c2) continue;
    setUnit(kept++, unit);
  }
  setLength(kept);
}

/** Marks ge- and tsu-. Returns the start of the stem. */
function markPrefixes(): i32 {
  let at = 0;
  if (standsAt(0, "גע") && !standsAt(2, "לט") && !standsAt(2, "בנ")) {
    replaceUnits(0, 2, "GE");
    at = 2;
  }
  if (groupAhead(PREFIXES, at) < 0) return at;
  const behind = at + foundLen, rest = wordLen - behind;
  if ((rest == 4 && (standsAt(behind, "צוגנ") || standsAt(behind, "צוקט") || standsAt(behind, "צוקנ"))) || standsAt(behind, "געבנ")) return behind;
  if (standsAt(behind, "גע")) {
    replaceUnits(behind, 2, "GE");
    return behind + 2;
  }
  if (standsAt(behind, "צו")) {
    replaceUnits(behind, 2, "TSU");
    return behind + 3;
  }
  return at;
}

/** R1: after the vowels that follow the stem's first consonants, or after three consonants (a Hebrew root); at least three letters of the stem remain. */
function markRegion(): void {
  p1 = wordLen;
  let at = markPrefixes();
  const least = at + 3;
  if (least > wordLen) return;
  if (groupAhead("שפר שטר שטש דזש", at) >= 0) at += 3;
  if (isConsonant(at) && isConsonant(at + 1) && isConsonant(at + 2)) {
    p1 = at + 3;
    return;
  }
  while (at < wordLen && !isIn(unitAt(at), VOWELS)) at++;
  if (at == wordLen) return;
  while (at < wordLen && isIn(unitAt(at), VOWELS)) at++;
  p1 = max(at, least);
}

function isConsonant(at: i32): bool {
  return at < wordLen && isIn(unitAt(at), CONSONANTS);
}

function ending(): void {
  const group = groupOf(ENDINGS, 0);
  if (group == 0) {
    if (foundAt >= p1) replaceFound();
  } else if (group == 2) {
    if (removeFound(p1) && groupOf(PARTICIPLES, 0) >= 0) replaceFound();
  } else if (group == 3) {
    const at = foundAt, inside = at >= p1;
    setLength(at);
    // After a t that stays, the participle of brengen is recognized nevertheless.
    if (groupOf("בראכ געבראכ", 0) >= 0) put(foundAt, "ברענג");
    if (!inside) put(wordLen, "ט");
  } else if (group == 4) replaceFound();
  else if (group == 5) {
    if (!isBefore(foundAt, "גש")) removeFound(p1);
    else if (foundAt + 2 >= p1) setLength(foundAt + 2);
  }
}

export function yiddish(): void {
  spell();
  markRegion();
  ending();
  const noun = groupOf("ונג הײט קײט יקײט שאפט/ל", 0);
  if (noun == 0 || (noun == 1 && foundAt > 0 && isConsonant(foundAt - 1))) removeFound(p1);
  if (groupOf("יג יק יש ניק דיק נדיק ענדיק/בליק גליק", 0) == 0) removeFound(p1);
  for (let i = wordLen; i > 1; ) {
    const marked = standsAt(i - 2, "GE") ? 2 : i > 2 && standsAt(i - 3, "TSU") ? 3 : 0;
    if (marked) removeUnits(i - marked, marked);
    i -= marked ? marked : 1;
  }
}
