// The Nepali Snowball stemmer by I. Shrestha, O. Bartunov and S. Dhakal: removes a case marker, then endings of verbs and numbers repeatedly.
// Source: snowballstem.org/algorithms/nepali.
import { foundAt, groupAt, groupOf } from '../suffix-table';
import { isBefore, setLength, wordLen } from '../word';

/** Groups: always; not after e. */
const CASES = "मार्फत द्वारा सँगै संग सँग लाइ लाई पछि ले रत मै मा/को का कि की कै";
const ENDINGS = `थिइस् हुनेछ हुन्छ नेछस् नेछन् इएकी इएका इएको िएकी िएका िएको इछन् िछन् इछस् िछस् एछन् ेछन् एछस् ेछस् छिन् छेस् छ्यौ थिन् थियो थियौ थिस् थ्यो थ्यौ दियो देखि देखी
लान् माथि नेकै नेका नेको नेछौ होस् इन्छ िन्छ नेछु इछौ िछौ इस् िस् ियो इयो एका ेका एकी ेकी एकै ेकै एको ेको एछु ेछु एछौ ेछौ छन् छस् थिए पर् भयो हरु हरू िदा इदा िदो इदो िदै इदै
नेछ इछ िछ एछ ेछ छु छे छौ थी थे दा दी दै दो नु ने यो यौ छ`;

/** Removes final signs that only follow certain endings of verbs. */
function signs(): void {
  const group = groupOf("ँ ं/ै", 0), at = foundAt;
  if (group >= 0 && groupAt(group == 0 ? "यौ छौ नौ थे" : "त्र", at, 0) >= 0) setLength(at);
}

export function nepali(): void {
  const group = groupOf(CASES, 0);
  if (group == 0 || (group == 1 && !isBefore(foundAt, "एे"))) setLength(foundAt);
  while (wordLen > 0) {
    signs();
    if (groupOf(ENDINGS, 0) < 0) return;
    setLength(foundAt);
  }
}
