// The Catalan Snowball stemmer. Source: snowballstem.org/algorithms/catalan.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouáàéèíïóòúü";

const PRONOUNS = "'s 'hi 'ho 'l 'ls -ls -la -les -li vos se nos -nos -us us 'n 'ns -n -ns 'm -me -m -te 't li lo los me sela selo selas selos le la las les ens ho hi";
/** Deleted in R1; deleted in R2; "log" in R2; "ic" in R2; "c" in R1. The numbers after it are the starts of the next kinds. */
const STANDARD = "ar atge formes icte ictes ell ells ella és ès esc essa et ets eta eres eries ers ina ines able ls ió itat itats itzar iva ives ivisme ius fer ment amen ament aments ments ot sfera al als era ana iste aire eria esa eses esos or ícia ícies icis ici íci ícis ària àries alla ció cions nça nces ó dor all il ístic enc enca ís issa issos íssem íssiu issem isseu ísseu ós osa dora dores dors adura ble bles ívol ívola dís egar ejar ificar itar ables adors idores idors adora ació doras dur dures allengües ant ants ancia ancies atòria atòries tori toris ats ions ota isam ors ora ores isament bilitat bilitats ivitat ivitats ari aris ionisme ionista ionistes ialista ialistes ialisme ialismes ud uts uds encia encies ència ències ïtat ïtats atiu atius atives ativa ativitat ativitats ible ibles assa asses assos ent ents íssim íssima íssims íssimes ìssem ìsseu ìssin ims ima imes isme ista ismes istes inia inies íinia ínies ita ites triu trius oses osos ient otes ots acions ada ades logía logíes logia logies logi logis lógica lógics lógiques ic ica ics iques quíssim quíssims quíssimes quíssima";
const STANDARD_R1 = 180;
const STANDARD_R2 = 183;
const STANDARD_LOG = 192;
const STANDARD_IC = 196;
const VERB = "ador adora adors adores re ie ent ents udes arà eren ará arían arías arán arás aríais aria arian arien aries aràs aría aréis aríamos aremos ara aré arés erían erías erán erás eríais ería eréis eríamos eremos erá eré er erau erass irían irías irán irás iríais iría iréis iríamos iremos irá iré írem íreu íeu ia ies íem ìeu ien at ut uda ava aves avem ávem àvem àveu áveu aven au ats asseu esseu eresseu àsseu àssem àssim àssiu essen esses assen asses assim assiu éssen ésseu éssim éssiu éssem í ares àrem àreu àren aríem aríeu areu aren ant ïm ïu és ïen en es em am ams ïa ïes dre eix eixer tzar eixes ides ïdes it ït ïda aba ada ades ida ía iera ad ed its id ids ase iese aste iste an aban ían aran ieran asen iesen aron ieron ado ido iendo ió ar ir as ieu ii io ià ess essin essis ass assin assis essim èssim èssiu abas adas idas ías aras ieras ases ieses ís áis abais íais arais ierais aseis ieseis asteis isteis ados idos amos ábamos íamos imos ques áramos iéramos iésemos ásemos ira iran irem iren ires ireu iria irien iries irà iràs irè irìem irìeu isquen iguem igueu esqui esquin esquis eixi eixin eixis eixen eixo isin isis esques sis sin int iríem iríeu isc atges esca esquen issen isses issin issis isca issiu issim ïsc ïsca ïssin íssiu íssim ïssis ïguem ïgueu ïra ïren ïres ïsquen ïsques ïssen ïsses ïxo ïxen ïxes ïx ixo ixen ixes ix ixa inin inis ini ineu itza itzi itzeu itzis itzo itz itzà arem in às iï iïn iïs ando";
const VERB_ANDO = 282;
const RESIDUAL = "os a o á à í ó e é eu iu is i ir s ì itz ï ïn ïs it iqu";
const RESIDUAL_IQU = 21;
let r1: i32 = 0;
let r2: i32 = 0;

/** Removes the suffix of a list if it is in a region. */
function remove(list: string, region: i32): bool {
  if (longestOf(list, 0) < 0 || wordLen - suffixLen < region) return false;
  setLength(wordLen - suffixLen);
  return true;
}

function standardSuffix(): bool {
  const number = longestOf(STANDARD, 0), from = wordLen - suffixLen;
  if (number < 0) return false;
  if (from < (number < STANDARD_R1 || number >= STANDARD_IC ? r1 : r2)) return false;
  if (number < STANDARD_R2) setLength(from);
  else put(from, number < STANDARD_LOG ? "log" : number < STANDARD_IC ? "ic" : "c");
  return true;
}

function verbSuffix(): void {
  const number = longestOf(VERB, 0), from = wordLen - suffixLen;
  if (number >= 0 && from >= (number == VERB_ANDO ? r2 : r1)) setLength(from);
}

export function catalan(): void {
  r1 = regionAfter(0, VOWELS);
  r2 = regionAfter(r1, VOWELS);
  remove(PRONOUNS, r1);
  if (!standardSuffix()) verbSuffix();
  const number = longestOf(RESIDUAL, 0);
  if (number >= 0 && wordLen - suffixLen >= r1) {
    if (number == RESIDUAL_IQU) put(wordLen - 3, "ic");
    else setLength(wordLen - suffixLen);
  }
  for (let i = 0; i < wordLen; i++) setUnit(i, bare(unitAt(i)));
}

/** Removes the accent of a letter; the dot of ela geminada becomes a full stop. */
function bare(unit: u32): u32 {
  switch (unit) {
    case 0xe0: case 0xe1: return 0x61;
    case 0xe8: case 0xe9: return 0x65;
    case 0xec: case 0xed: case 0xef: return 0x69;
    case 0xf2: case 0xf3: return 0x6f;
    case 0xfa: case 0xfc: return 0x75;
    case 0xb7: return 0x2e;
    default: return unit;
  }
}
