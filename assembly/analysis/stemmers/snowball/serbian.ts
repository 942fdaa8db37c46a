// The Serbian Snowball stemmer by S. Petković and D. Ivanović, based on the Croatian one by N. Ljubešić and I. Pandžić: Cyrillic letters become Latin,
// ije and je become e, alternating stems are unified, then the word is cut after its stem. Words without diacritics follow additional rules, as they
// may be written without them. Source: snowballstem.org/algorithms/serbian.
import { foundGroup, groupOf, removeSuffix, replaceFound } from '../suffix-table';
import { endsAt, ends, isIn, lengthOf, mapUnit, put, replaceUnits, setLength, setUnit, standsAt, unitAt, word, wordLen } from '../word';

const CYRILLIC = "абвгдђежзијклмнопрстћуфхцчш";
const LATIN = "abvgdđežzijklmnoprstćufhcčš";
const MARKED = "čćžšđ";
const CONSONANTS = "bvgdzjklmnprstfhcčćžšđ";
const VOWELS = "aeiou";
const R: u32 = 0x72;
const COLON: u32 = 0x3a;
const LINE_END: u32 = 0x0a;

/** Groups: all words; words without diacritics. */
const STEM_CHANGES = `lozi>loga lozima>loga pesi>peh pesima>peh vojci>vojka bojci>bojka jaci>jak jacima>jak čajan>čajni eran>erni laran>larni esan>esni anjac>anjca
ajac>ajca ajaca>ajca ljaca>ljca ljac>ljca ejac>ejca ejaca>ejca ojac>ojca ojaca>ojca ajaka>ajka ojaka>ojka šaca>šca šac>šca inzima>ing inzi>ing
tvenici>tvenik tetici>tetika teticima>tetika nstava>nstva nicima>nik ticima>tik zicima>zik snici>snik kuse>kusi kusan>kusni kustava>kustva dušan>dušni
antan>antni bilan>bilni tilan>tilni avilan>avilni silan>silni gilan>gilni rilan>rilni nilan>nilni alan>alni ozan>ozni rave>ravi stavan>stavni
pravan>pravni tivan>tivni sivan>sivni atan>atni enat>enta tetan>tetni pletan>pletni šave>šavi anata>anta ačak>ačka ačaka>ačka ušak>uška atak>atka
ataka>atka atci>atka atcima>atka etak>etka etaka>etka itak>itka itaka>itka itci>itka otak>otka otaka>otka utak>utka utaka>utka utci>utka utcima>utka
eskan>eskna tičan>tični ojsci>ojska esama>esma metar>metra metara>metra centar>centra centara>centra istar>istra istara>istra ošću>osti daba>dba
čcima>čka čci>čka mac>mca maca>mca naca>nca nac>nca voljan>voljni anaka>anki vac>vca vaca>vca saca>sca sac>sca raca>rca rac>rca aoca>alca alaca>alca
alac>alca elaca>elca elac>elca olaca>olca olac>olca olce>olca njac>njca njaca>njca ekata>ekta ekat>ekta izam>izma izama>izma jebe>jebi baci>baci
ašan>ašni
/cajan>cajni dusan>dusni save>savi acak>acka acaka>acka usak>uska tican>ticni oscu>osti asan>asni`;
/** Stems and their endings, one line per set of endings: `stem stem:ending ending`. */
const PARADIGMS = `sk šk evit ovit ast:a e i o u em ih im og oj om ega emu ija ije iji ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
stv štv:a o u om ima
tanij manij panij ranij ganij ar dr er or:a e i u om ama ima
an:a e i u in om ima ina ine inu inom
in bij cij dij mij žij gij fij pij rij tij zij nal ijal lem et est ist kst ost:a e i o u om ama ima
on:a e i u om ima ova ove ovi ovima
n el anj enj šnj:a e i o u eg em ih im og oj om ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
ać eć uć:a e eg em ih im og oj om uh ega emu ima oga ome omu
ugov olov:a e i ima
ug ram:a e i o u om ama
log:a e u om ama
g:a e i o u om ama ova ove ovi ovima
rari oti si li:o ja ju jem
uj:e u em eš mo emo ete ući
caj čaj ćaj đaj laj raj:a e i u em ama eva eve evi ima evima
lij sij:e i o om ama ima
nij:o om ama
ozil ol mov lov:a e i u om ima
es is:a e u om ima
taš naš jaš kaš baš gaš vaš eš iš:a e i u em om ama ima
ikat lat:a e i o u om ima
išt:a e u em ima
ova:h o t hu la le li lo ti še smo ste
av ev iv:a e i o u eg em ih im og oj om ama ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
ov:a e i o u eg ih im og oj om ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
an en šn:eg em ega emu
čin:a e i o u ih im og oj om ama ima oga ome omu
roši:h m o t š la le li lo mo te ti še smo ste vši
oš:a e i u eg em ih im og oj om ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
k:a e i o u eg em ih im og oj om ov ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
eva ava iva uva:h j m n o t v š hu ju la le li lo mo na ne ni no te ti še jmo jte smo ste jući
ir:ah al am an ao at aš uj ahu aju ala ale ali alo amo ate ati aše uje uju asmo aste avši ivat ujem uješ ujmo ujte ajući ujemo ujete ujući
ač:e i en ih im io it iš ena ene eni eno eći ila ile ili ilo imo ite iti iše ismo iste
ača:h m n o t š hu ju la le li lo mo na ne ni no te ti še smo ste vši
n:eš uo ut emo ete imo ite ula ule uli ulo uta uti uto ući usmo uste uvši
ni:o š la le li lo ti smo ste vši
a:h j m n o t š hu je ju la le li lo mo no te ti še jem jmo jte loj smo vši jući
ur:ah aj al am an ao at aš ahu aju ala ale ali alo amo ana ane ani ano ate ati aše ajmo ajte asmo aste ajući
astaj istaj ostaj:e u ah ao at em eš mo te ahu ala ale ali alo ati aše emo ete ući asmo aste
a:l lu lom lama lima
aj:a i ama eva eve evi ima evima
asta ista osta:o t de du la le li lo ne nu ti dem deš doh nem neš vši demo dete doše nemo nete nila nimo nite dosmo doste
ta:h j m n o t š ju la le li lo mo na ne ni no te ti jmo jte smo ste vši
inj:ah ao at em eš ahu ala ale ali alo ati aše emo ete asmo aste
as:la le li lo teš temo tete timo tite tući
i:h m o t š la le li lo mo te ti eći smo vši
i:j je ju lu jem ješ jmo jte jemo jete
luč:e i en ih im io it iš uj ena ene eni eno ila ile ili ilo imo ite iti iše uje uju ismo iste ujem uješ ujmo ujte ujemo ujete ujući
jeti:h m o t š la le li lo mo te ti še smo ste
e:l m š mo lama
i:l lom lama lima
at:a o u eg em ih im og oj om ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijega ijemu ijima
et:em eš emo imo ući avši`;
/** The same for words without diacritics. */
const PLAIN_PARADIGMS = `luc:e i en ih im io is it uj ena ene eni eno ila ile ili ilo imo ise ite iti uje uju ismo iste ujem ujes ujmo ujte ujemo ujete ujuci
snj:a e i o u eg em ih im og oj om ega emu ija ije iji iju ima oga ome omu ijeg ijih ijim ijoj ijega ijemu ijima
os:a e i u eg em ih im og oj om ega emu ija ije iji iju ima oga ome omu ijeg ijem ijih ijim ijoj ijega ijemu ijima
ac:a e i eg em en ih im io is it og oj om uh eci ega emu ena ene eni eno ila ile ili ilo ima imo ise ite iti oga ome omu ismo iste
ec uc:a e eg em ih im og oj om uh ega emu ima oga ome omu
rosi:h m o s t la le li lo mo se te ti smo ste vsi
aca:h m n o s t hu ju la le li lo mo na ne ni no se te ti smo ste vsi
jas tas gas nas kas vas bas:a e i u em om ama ima
as:tes tuci
cin:a e i o u ih im og oj om ama ima oga ome omu
astaj istaj ostaj:es ase uci
asta ista osta:des nes vsi dose
ava eva iva uva:s se juci
ova:se
jeti:s se
inj:es ase
ist:em
es is:i em ama
et:es uci avsi
ir:as ase avsi ujes ajuci ujuci
ur:as ase ajuci
uj:es uci
ni ta:s vsi
sn:eg em ega emu
a:s se vsi juci
i:s eci jes vsi
e:s
n:es uci uvsi`;
const ENDINGS = "enom enoj enog enim enih anoj anog anim anih ost eno eni oga ima enu ena ama ano ani om og u o i e a";

let plain: bool = false;
let r1: i32 = 0;
/** The longest stem with its ending that a table has for the word: start and end of the stem. */
let stemAt: i32 = 0;
let stemEnd: i32 = 0;

function toLatin(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0x459) replaceUnits(i, 1, "lj");
    else if (unit == 0x45a) replaceUnits(i, 1, "nj");
    else if (unit == 0x45f) replaceUnits(i, 1, "dž");
    else setUnit(i, mapUnit(unit, CYRILLIC, LATIN));
  }
}

/** The yat becomes e, as in the eastern spelling. */
function toEast(yat: string): void {
  const n = lengthOf(yat);
  for (let i = 1; i + n < wordLen; i++)
    if (standsAt(i, yat) && isIn(unitAt(i - 1), CONSONANTS) && isIn(unitAt(i + n), CONSONANTS)) replaceUnits(i, n, "e");
}

function prepare(): void {
  toLatin();
  toEast("ije");
  toEast("je");
  for (let i = 0; i + 1 < wordLen; i++) if (standsAt(i, "dj")) replaceUnits(i, 2, "đ");
  plain = true;
  for (let i = 0; i < wordLen; i++) if (isIn(unitAt(i), MARKED)) plain = false;
}

/** First index from `from` on whose unit is in a list, or not in it; the word's end if there is none. */
function seek(from: i32, list: string, present: bool): i32 {
  let i = from;
  while (i < wordLen && isIn(unitAt(i), list) != present) i++;
  return i;
}

/** The end of the first syllable, or of a syllabic r. */
function markRegion(): void {
  r1 = min(seek(0, VOWELS, true) + 1, wordLen);
  if (r1 < 2 && wordLen > r1) {
    const behind = seek(r1, VOWELS, false) + 1;
    if (behind <= wordLen) r1 = behind;
  }
  let at = seek(0, "r", true) + 1;
  if (at > wordLen) return;
  if (at < 2) {
    at = seek(at, "r", false) + 1;
    if (at > wordLen) return;
  }
  if (r1 - at > 1) r1 = at;
}

// @ts-ignore: decorator
@inline
function isName(unit: u32): bool {
  return unit > 0x20 && unit != COLON;
}

/** Whether the units of a table from `cur` to the end of a name are before `end` in the word. */
function namedBefore(cur: usize, len: i32, end: i32): bool {
  if (len > end) return false;
  return memory.compare(cur, word + (<usize>(end - len) << 1), <usize>len << 1) == 0;
}

/** Finds a stem with its ending that is longer than the one found so far. */
function findParadigm(table: string): bool {
  const end = changetype<usize>(table) + (<usize>lengthOf(table) << 1);
  let better = false;
  for (let line = changetype<usize>(table); line < end; ) {
    let cur = line;
    while (load<u16>(cur) != COLON) cur += 2;
    const colon = cur;
    while (cur < end && load<u16>(cur) != LINE_END) {
      const ending = (cur += 2);
      while (cur < end && isName(load<u16>(cur))) cur += 2;
      const endingLen = <i32>((cur - ending) >> 1);
      if (namedBefore(ending, endingLen, wordLen) && findStem(line, colon, wordLen - endingLen)) better = true;
    }
    line = cur + 2;
  }
  return better;
}

function findStem(line: usize, colon: usize, end: i32): bool {
  let better = false;
  for (let cur = line; cur < colon; cur += 2) {
    const stem = cur;
    while (isName(load<u16>(cur))) cur += 2;
    const len = <i32>((cur - stem) >> 1);
    if (end - len >= stemAt || !namedBefore(stem, len, end)) continue;
    stemAt = end - len;
    stemEnd = end;
    better = true;
  }
  return better;
}

/** Cuts after the stem of the longest match. False: there is none, or it applies only to words without diacritics. */
function cutEnding(): bool {
  // The published table lists this one form of -snji under another stem.
  if (endsAt(wordLen, "snjijem")) {
    if (!plain || wordLen - 7 < r1) return false;
    put(wordLen - 7, "os");
    return true;
  }
  stemAt = wordLen;
  findParadigm(PARADIGMS);
  const isPlain = findParadigm(PLAIN_PARADIGMS);
  if (stemAt == wordLen || stemAt < r1 || (isPlain && !plain)) return false;
  setLength(stemEnd);
  return true;
}

export function serbian(): void {
  prepare();
  markRegion();
  if (groupOf(STEM_CHANGES, 0) == 0 || (foundGroup == 1 && plain)) replaceFound();
  if (!cutEnding()) removeSuffix(ENDINGS, r1);
}
