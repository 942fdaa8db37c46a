// The Estonian Snowball stemmer. Source: L. Freienthal (Texta), snowballstem.org/algorithms/estonian.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { foundAt, groupOf, putEntry } from '../suffix-table';
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouõäöü";
const REAL_VOWELS = "aeiuo";
const BEFORE_KI = "kptgbdshfšzž";
const BEFORE_GI = "cjlmnqrvwxaeiouõäöü";

/** All forms of short irregular verbs, a group for each verb, and their stems in the same order. */
const IRREGULAR = `joon jood joob joote joome joovad jõin jõid jõi jõime jõite joomata juuakse joodakse juua jooma
/saan saad saab saate saame saavad saaksin saaksid saaks saaksite saaksime sain said sai saite saime saamata saadakse saadi saama saada
/viin viid viib viite viime viivad viiksin viiksid viiks viiksite viiksime viisin viisite viisime viimata viiakse viidi viima viia
/keen keeb keed kees keeme keete keevad keeksin keeks keeksid keeksime keeksite keemata keema keeta keedakse
/löön lööd lööb lööme lööte löövad lööksin lööksid lööks lööksime lööksite löömata lüüakse löödakse löödi lööma lüüa
/lõin lõid lõi lõime lõite
/loon lood loob loome loote loovad looksin looksid looks looksime looksite loomata luuakse loodi luua looma
/käin käib käid käis käime käite käivad käiksin käiks käiksid käiksime käiksite käimata käiakse käidi käia käima
/söön sööb sööd sööme sööte söövad sööksin sööks sööksid sööksime sööksite sõin sõi sõid sõime sõite söömata süüakse söödakse söödi sööma süüa
/toon tood toob toote toome toovad tooksin tooksid tooks tooksite tooksime tõin tõid tõi tõime tõite toomata tuuakse toodi tooma tuua
/võin võid võib võime võis võite võivad võiksin võiksid võiks võiksime võiksite võimata võidakse võidi võida võima
/jään jääd jääb jääme jääte jäävad jääksin jääksid jääks jääksime jääksite jäime jäite jäin jäid jäi jäämata jäädakse jääda jääma jäädi
/müün müüd müüb müüs müüme müüte müüvad müüksin müüksid müüks müüksime müüksite müümata müüakse müüdi müüa müüma
/loeb loen loed loeme loete loevad loeks loeksin loeksid loeksime loeksite
/põen põeb põed põeme põete põevad põeksin põeks põeksid põeksime põeksite
/laon laob laod laome laote laovad laoksin laoks laoksid laoksime laoksite
/teeksin teeks teeksid teeksime teeksite teen teeb teed teeme teete teevad tegemata tehakse tehti tegema teha
/näen näeb näed näeme näete näevad näeksin näeks näeksid näeksime näeksite nägemata nähakse nähti näha nägema`;
const IRREGULAR_STEMS = "joo saa viima keesi löö lõi loo käisi söö too võisi jääma müüsi luge põde ladu tegi nägi";

let p1: i32 = 0;

/** Whether the first `len` units end with a unit of a list. */
function behind(len: i32, list: string): bool {
  return len > 0 && isIn(unitAt(len - 1), list);
}

function longVowelAt(len: i32): bool {
  return behind(len, VOWELS) && len > 1 && unitAt(len - 1) == unitAt(len - 2);
}

/** Whether the first `len` units end with a long vowel or one of the vowels that endings follow. */
function openAt(len: i32): bool {
  return behind(len, REAL_VOWELS) || longVowelAt(len);
}

function emphasis(): void {
  const number = longestOf("gi ki", p1), at = wordLen - suffixLen;
  if (number < 0 || at < 4) return;
  if (number == 0 ? behind(at, BEFORE_GI) && !longVowelAt(at) : behind(at, BEFORE_KI)) setLength(at);
}

function verb(): bool {
  const number = longestOf("me da n b akse nuksin nuksime nuksid nuksite ksin ksid ksime ksite mata takse dakse taks daks sime site sin", p1);
  if (number < 0) return false;
  const at = wordLen - suffixLen;
  if (number < 4 && !behind(at, VOWELS)) return false;
  if (number == 4) put(at, "a");
  else setLength(at);
  return true;
}

function specialNouns(): void {
  const number = longestOf("lasse last lane lasi misse mist mine misi lisse list line lisi", p1);
  if (number < 0) return;
  put(wordLen - suffixLen, number < 4 ? "lase" : number < 8 ? "mise" : "lise");
}

/** Removes a case ending after an open syllable; the partitive -t needs only four letters before it. */
function cases(): void {
  const number = longestOf("t sse st le lt ga ks ta s l", p1), at = wordLen - suffixLen;
  if (number >= 0 && (number == 0 ? at >= 4 : openAt(at))) setLength(at);
}

function plurals(): void {
  const number = longestOf("ikkude ikke ike sid te de d", p1), at = wordLen - suffixLen;
  if (number < 0) return;
  if (number < 3) put(at, "iku");
  else if (number == 3) {
    if (!longVowelAt(at)) setLength(at);
  } else if (number == 4) {
    if (at < 4) setLength(at + 1);
    else if (endsAt(at, "mis") || endsAt(at, "las") || endsAt(at, "lis")) put(at, "e");
    else if (!endsAt(at, "t")) setLength(at);
  } else if (openAt(at)) setLength(at);
}

function degrees(): void {
  const number = longestOf("ma mai m", p1), at = wordLen - suffixLen;
  if (number == 0 || (number > 0 && behind(at, REAL_VOWELS))) setLength(at);
}

/** Makes a double k, p or t before a last vowel in R1 single. */
function undouble(): void {
  const last = wordLen - 1;
  if (last < max(p1, 2) || !isIn(unitAt(last), VOWELS) || unitAt(last - 1) != unitAt(last - 2) || !isIn(unitAt(last - 1), "kpt")) return;
  setUnit(last - 1, unitAt(last));
  setLength(last);
}

export function estonian(): void {
  const verbNumber = groupOf(IRREGULAR, 0);
  if (verbNumber >= 0 && foundAt == 0) {
    putEntry(IRREGULAR_STEMS, verbNumber);
    return;
  }
  p1 = regionAfter(0, VOWELS);
  emphasis();
  if (!verb()) {
    specialNouns();
    cases();
    plurals();
    degrees();
    if (longestOf("i", p1) >= 0 && behind(wordLen - 1, REAL_VOWELS)) setLength(wordLen - 1);
    if (longestOf("nu tu du va", p1) >= 0) setLength(wordLen - suffixLen);
  }
  undouble();
}
