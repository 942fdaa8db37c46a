// The Armenian Snowball stemmer: one ending of each of four kinds, after the first vowel. Source: snowballstem.org/algorithms/armenian.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { isIn, setLength, unitAt, wordLen } from '../word';

const VOWELS = "աէիօւեոը";
const ENDINGS = "ները ներն ների ներդ երից ներից երի երդ երն երը ներին ությանն ությանը ությանս ությանդ ության երին ին սա ոջ ից երով ներով երում ներում ուն ուդ վանս վանը վանդ անը անդ վան ոջը ոջս ոջդ ոց ուց ոջից ցից վից վի վով ով անով անում վանից ամբ ան ներ եր վա ը ն դ ց ի";
const VERBS = "ում վում ալու ելու վել անալ ելուց ալուց ըալ ըել ալով ելով ալիս ելիս ենալ ացնալ եցնել ցնել նել ատել ոտել կոտել տել ված եցվել ացվել եցիր ացիր եցինք ացինք վեցիր վեցինք վեցիք վեցին ացրիր ացրեց ացրինք ացրիք ացրին եցիք ացիք եցին ացին ացար ացավ ացանք ացաք ացան վեցի ացրի եցար եցավ ցանք ցաք ցան ացա ացի եցա չել եցի ար ավ անք աք ան ալ ել եց աց վե ա";
const ADJECTIVES = "բար պես որէն ովին ակի լայն րորդ երորդ ական ալի կոտ եկեն որակ եղ վուն երեն արան են ավետ գին իվ ատ ին";
const NOUNS = "ածո անակ անօց արան արք պան ստան եղէն ենք իկ իչ իք մունք յակ յուն ոնք որդ ոց չեք վածք վոր ավոր ություն ուկ ուհի ույթ ույք ուստ ուս ցի ալիք անիք իլ իչք ունք գար ու ակ ան ք";

/** Removes the longest ending after `from` if it is also after `region`. */
function cut(endings: string, from: i32, region: i32): void {
  if (longestOf(endings, from) >= 0 && wordLen - suffixLen >= region) setLength(wordLen - suffixLen);
}

export function armenian(): void {
  let rv = 0;
  while (rv < wordLen && !isIn(unitAt(rv), VOWELS)) rv++;
  rv = min(rv + 1, wordLen);
  const r2 = regionAfter(regionAfter(0, VOWELS), VOWELS);
  cut(ENDINGS, rv, r2);
  cut(VERBS, rv, rv);
  cut(ADJECTIVES, rv, rv);
  cut(NOUNS, rv, rv);
}
