// The Basque Snowball stemmer. Source: snowballstem.org/algorithms/basque. If a suffix is kept or replaced, the search continues before it:
//   word ├─ searched ─┬─ gap of deleted units ─┬─ tail ─┤
import { longestOf, regionAfter, suffixLen, verbRegion } from '../regions';
import { lengthOf, put, setLength, word, wordLen } from '../word';

const VOWELS = "aeiou";

/** Deleted in RV; deleted in R2; kept. The numbers after each table are the starts of the next kinds. */
const VERBS = "le la tzaile aldatu atu tzailea taile tailea pera gale galea gura kura kor korra or orra tun tuna gaitz gaitza kaitz kaitza ezin ezina tezin tezina errez erreza karri karria tzaga tzaka tzake tzeke ez eza tzez keta eta etan pen pena tze atze kuntza kunde kundea kune kunea kuna kera era kizun kizuna dura tura men mena go ago tio taldi taldia aldi aldia gune gunea bide bidea pide pidea gai gaia ki kin rekin kina kari karia ari tari etari gailu gailua kide kidea ide idea du ka kan an ean tu lari tatu rean tarazi arazi tzat bera dako garri garria tza atseden arabera baditu";
const VERBS_RV = 103;
const VERBS_R2 = 106;
/** Deleted in RV; deleted in R2; "jok"; deleted in R1; "tra"; "minutu"; kept. */
const NOUNS = "ari aria bizia kari karia lari laria tari taria zain zaina tzain tzaina zale zalea tzale tzalea aizun orde ordea burua ohi ohia kintza gintzo gintzu tzu tzua tzo tzoa kuntza talde taldea eria keria teria di za ada tara etara tra ta tegi tegia keta z zko zkoa ti tia tsu tsua zu zua bera pera zto ztoa asi asia gile gilea estu estua larri larria nahi nahia koi koia oi oia goi min mina dun duna duru durua duri duria os osa oso osoa ar ara tar dar dara tiar tiara liar liara gabe gabea kabe kabea ga ge kada tasun tasuna asun asuna go mendu mendua mentu mentua mendi mendia zio zioa zino zinoa zione zionea ezia degi degia egi egia toki tokia leku lekua gintza alde aldea kalde kaldea gune gunea une unea una pe pea gibel gibela ondo ondoa arte artea aurre aurrea etxe etxea ola ontzi ontzia gela denda taldi taldia aldi aldia te tea zaro zaroa taro taroa oro oroa aro aroa ero eroa eroz eroza ka kan kana tako etako takoa kote kotea tzar tzarra handi handia kondo kondoa skila no noa ño ñoa ska xka zka tila to toa tto ttoa txo txoa txu txua anda anga urren urrena gai gaia gei geia eme emea kume kumea sa ko eko koa ena enea ne nea kor korra ez eza eta etan ki kia kin kina tu tua du dua ek tarik tariko tan ordu ordua oste ostea tzara ra antza behar ro giro ak zp ket kail kaila ail kirri kirria ngo ngoa ñi sko sta koitz koitza na garren garrena kera gerren gerrena garna kide tz tuko ora garri garria or buru ren tza joka tzen ten en tatu trako minutuko zehar geldi igaro aurka";
const NOUNS_RV = 277;
const NOUNS_R2 = 284;
const NOUNS_R1 = 289;
/** Deleted in RV; "z". */
const ADJECTIVES = "era ero go tate tade date dade keria ki to ro la gi larik lanik ik ztik rik zlea";
const ADJECTIVES_RV = 18;
let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;
let tail: i32 = 0;
let tailLen: i32 = 0;

/** Moves the tail after the searched part, closing the gap. */
function closeGap(): void {
  memory.copy(word + (<usize>wordLen << 1), word + (<usize>tail << 1), <usize>tailLen << 1);
  tail = wordLen;
}

/** Excludes the last `length` units from the search. */
function keep(length: i32): void {
  closeGap();
  tail -= length;
  tailLen += length;
  setLength(tail);
}

function replace(from: i32, suffix: string): bool {
  put(from, suffix);
  keep(lengthOf(suffix));
  return true;
}

function remove(from: i32, region: i32): bool {
  if (from < region) return false;
  setLength(from);
  return true;
}

function verb(): bool {
  const number = longestOf(VERBS, 0), from = wordLen - suffixLen;
  if (number < 0) return false;
  if (number < VERBS_RV) return remove(from, rv);
  if (number < VERBS_R2) return remove(from, r2);
  keep(suffixLen);
  return true;
}

function noun(): bool {
  const number = longestOf(NOUNS, 0), from = wordLen - suffixLen;
  if (number < 0) return false;
  if (number < NOUNS_RV) return remove(from, rv);
  if (number < NOUNS_R2) return remove(from, r2);
  if (number == NOUNS_R2) return replace(from, "jok");
  if (number < NOUNS_R1) return remove(from, r1);
  if (number == NOUNS_R1) return replace(from, "tra");
  if (number == NOUNS_R1 + 1) return replace(from, "minutu");
  keep(suffixLen);
  return true;
}

export function basque(): void {
  rv = verbRegion(VOWELS);
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
  tail = wordLen;
  tailLen = 0;
  while (verb()) {}
  while (noun()) {}
  const number = longestOf(ADJECTIVES, 0), from = wordLen - suffixLen;
  if (number == ADJECTIVES_RV) put(from, "z");
  else if (number >= 0) remove(from, rv);
  closeGap();
  setLength(wordLen + tailLen);
}
