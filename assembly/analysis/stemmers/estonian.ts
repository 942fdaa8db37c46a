// The Estonian Snowball stemmer. Source: L. Freienthal (Texta), snowballstem.org/algorithms/estonian.
import { longestOf, regionAfter, suffixLen } from './regions';
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from './word';

const VOWELS = "aeiouõäöü";
const REAL_VOWELS = "aeiuo";
const BEFORE_KI = "kptgbdshfšzž";
const BEFORE_GI = "cjlmnqrvwxaeiouõäöü";

let p1: i32 = 0;

function isWord(list: string): bool {
  return longestOf(list, 0) >= 0 && suffixLen == wordLen;
}

/** Forms of short irregular verbs get one stem each. */
function verbException(): bool {
  let stem = "";
  if (isWord("joon jood joob joote joome joovad jõin jõid jõi jõime jõite juuakse joodakse juua jooma joomata")) stem = "joo";
  else if (isWord("saan saad saab saate saame saavad saaksin saaksid saaks saaksite saaksime sain said sai saite saime saadakse saadi saama saada saamata")) stem = "saa";
  else if (isWord("viin viid viib viite viime viivad viisin viisite viisime viiakse viidi viima viia viimata")) stem = "viima";
  else if (isWord("keeksin keeks keeksid keeksime keeksite keema keeta keedakse keemata")) stem = "keesi";
  else if (isWord("löön lööd lööb lööme lööte löövad lüüakse löödakse löödi lööma lüüa löömata")) stem = "löö";
  else if (isWord("lõin lõid lõi lõime lõite")) stem = "lõi";
  else if (isWord("loon lood loob loome loote loovad looksin looksid looks looksime looksite luuakse loodi luua looma loomata")) stem = "loo";
  else if (isWord("käin käib käid käis käime käite käivad käiksin käiks käiksid käiksime käiksite käiakse käidi käia käima käimata")) stem = "käisi";
  else if (isWord("söön sööb sööd sööme sööte söövad sööksin sööks sööksid sööksime sööksite sõin sõi sõid sõime sõite süüakse söödakse söödi sööma söömata süüa")) stem = "söö";
  else if (isWord("toon tood toob toote toome toovad tooksin tooksid tooks tooksite tooksime tõin tõid tõi tõime tõite tuuakse toodi tooma tuua toomata")) stem = "too";
  else if (isWord("võin võid võib võime võis võite võivad võiksin võiksid võiks võiksime võiksite võidakse võidi võida võima võimata")) stem = "võisi";
  else if (isWord("jään jääd jääb jääme jääte jäävad jääksin jääksid jääks jääksime jääksite jäime jäite jäin jäid jäi")) stem = "jääma";
  else if (isWord("müün müüd müüb müüs müüme müüte müüvad müüksin müüksid müüks müüksime müüksite müüakse müüdi müüa müüma müümata")) stem = "müüsi";
  else if (isWord("loeb loen loed loeme loete loevad loeks loeksin loeksid loeksime loeksite")) stem = "luge";
  else if (isWord("põen põeb põed põeme põete põevad põeksin põeks põeksid põeksime põeksite")) stem = "põde";
  else if (isWord("laon laob laod laome laote laovad laoksin laoks laoksid laoksime laoksite")) stem = "ladu";
  else if (isWord("teeksin teeks teeksid teeksime teeksite teen teeb teed teeme teete teevad tehakse tehti tegema tegemata teha")) stem = "tegi";
  else if (isWord("näen näeb näed näeme näete näevad näeksin näeks näeksid näeksime näeksite nähakse nähti näha nägema nägemata")) stem = "nägi";
  else return false;
  put(0, stem);
  return true;
}

/** Whether the first `len` units end with a unit of a list. */
function behind(len: i32, list: string): bool {
  return len > 0 && isIn(unitAt(len - 1), list);
}

function longVowelAt(len: i32): bool {
  return behind(len, VOWELS) && len > 1 && unitAt(len - 1) == unitAt(len - 2);
}

/** Whether the first `len` units end with one of the vowels that endings follow, or a long vowel. */
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

/** A case ending behind an open syllable; a lone "t" asks for four letters before it instead (seen in answers, the description has no such rule). */
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

/** A double k, p or t before the last vowel becomes single. */
function undouble(): void {
  const last = wordLen - 1;
  if (last < 2 || !isIn(unitAt(last), VOWELS) || unitAt(last - 1) != unitAt(last - 2) || !isIn(unitAt(last - 1), "kpt")) return;
  setUnit(last - 1, unitAt(last));
  setLength(last);
}

export function estonian(): void {
  if (verbException()) return;
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
