// The Lithuanian Snowball stemmer: removes an ending, then suffixes repeatedly. Source: snowballstem.org/algorithms/lithuanian,
// with the endings in -er- that later versions of Snowball omit.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { ends, put, setLength, starts, wordLen } from '../word';

const VOWELS = "aeiyouąęįųėū";
const ENDINGS = "as ias is ys o io ui iui ą ią į u iu e yje y au i an ai iai ų ių ams am iams iam us ius ais iais uose iuose uos iuos uosna iuosna ysna asis aisi osi ųsi uisi ąsi usi esi uo a ia os ios oj oje ioje osna iosna om oms ioms omis iomis ose iose on ion ė ės ei ę ėj ėje ėms es ėmis ėse ėsna ėn aus iaus umi iumi uje iuje iau ūs ums umis un iun ies ens enio eniui enį imi eniu enyje ie enie enys ims enims enis imis enimis yse enyse iem iems ame iame uosi iuosi iesi asi iasi amės iamės at ate iat iate atės iatės isi im imės it ite ome ot ote ėjo ėjosi otės eisi ėsi ėm ėme ėmės ėt ėte ėtės ausi omės siu siuosi si siesi s ysis sim sime sit site čiau čiausi tum tumei tumeis tumeisi tųsi tumėm tumėme tumėmės tute tumėt tumėte tumėtės k ki kimės uoti iuoti auti iauti oti ioti ėti yti inti inėti enti telėti terėti ti ąs iąs įs tųs simės sitės kite ers eriai erį erimi eria eryje erie erys erų erims eryse";
const SUFFIXES = "ing išk ėt ot uot iuot yt iuk iul ėl yl učiuk uliuk utėait ok iok sv šv zgan op iop ain ykšt ykšč esn aus iaus ias oj ioj aj iaj ąj iąj uoj iuoj iej ųj iųj ies uos iuos ais iais os ios ąs iąs dav ant iant int ėj ę ėję ęs siant dam auj jam iau am";

export function lithuanian(): void {
  const p1 = regionAfter(wordLen > 6 && starts("a") ? 1 : 0, VOWELS);
  conflicts();
  if (longestOf(ENDINGS, p1) >= 0) setLength(wordLen - suffixLen);
  soft();
  while (longestOf(SUFFIXES, p1) >= 0) setLength(wordLen - suffixLen);
  soft();
  if (ends("gd")) setLength(wordLen - 1);
}

/** Changes the case of nouns that end like a verb. */
function conflicts(): void {
  const number = longestOf("aite aitės uotės uote ėjime esiu asius avime ojime okatės okate", 0), at = wordLen - suffixLen;
  switch (number) {
    case 0: case 1: put(at, "aitė"); break;
    case 2: case 3: put(at, "uotė"); break;
    case 4: put(at, "ėjimas"); break;
    case 5: put(at, "esys"); break;
    case 6: put(at, "asys"); break;
    case 7: put(at, "avimas"); break;
    case 8: put(at, "ojimas"); break;
    case 9: case 10: put(at, "okatė"); break;
  }
}

/** A final č or dž becomes t or d, as before certain vowels. */
function soft(): void {
  if (ends("č")) put(wordLen - 1, "t");
  else if (ends("dž")) setLength(wordLen - 1);
}
