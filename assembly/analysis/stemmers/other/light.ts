// Light stemmers: a few rules about number, gender and case each. Source: J. Savoy, "Light Stemming Approaches for the French, Portuguese, German
// and Hungarian Languages" (SAC 2006), and his rules for Italian and Spanish; L. Dolamic and J. Savoy, "Indexing and stemming approaches for the
// Czech language" (2009); P. Nakov, "BulStem" (2003); with the lengths that Lucene's documentation of these filters gives.
import { isLetter } from '../../../text/character';
import { ends, isIn, setLength, setUnit, unitAt, wordLen } from '../word';

/** Unit `back` units before the end: 1 is the last. */
// @ts-ignore: decorator
@inline
function last(back: i32): u32 {
  return unitAt(wordLen - back);
}

// @ts-ignore: decorator
@inline
function setLast(back: i32, unit: u32): void {
  setUnit(wordLen - back, unit);
}

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

/** Removes accents from vowels in the whole word. @param tilde also from a and o with tilde, and the cedilla of c */
export function plainVowels(tilde: bool): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit < 0xe0 || unit > 0xfc) continue;
    if (unit == 0xe0 || unit == 0xe1 || unit == 0xe2 || unit == 0xe4 || (tilde && unit == 0xe3)) setUnit(i, 0x61);
    else if (unit >= 0xe8 && unit <= 0xeb) setUnit(i, 0x65);
    else if (unit >= 0xec && unit <= 0xef) setUnit(i, 0x69);
    else if (unit == 0xf2 || unit == 0xf3 || unit == 0xf4 || unit == 0xf6 || (tilde && unit == 0xf5)) setUnit(i, 0x6f);
    else if (unit >= 0xf9 && unit <= 0xfc) setUnit(i, 0x75);
    else if (tilde && unit == 0xe7) setUnit(i, 0x63);
  }
}

export function lightGerman(): void {
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0xe4 || unit == 0xe0 || unit == 0xe1 || unit == 0xe2) setUnit(i, 0x61);
    else if (unit == 0xf6 || unit == 0xf2 || unit == 0xf3 || unit == 0xf4) setUnit(i, 0x6f);
    else if (unit == 0xef || unit == 0xec || unit == 0xed || unit == 0xee) setUnit(i, 0x69);
    else if (unit == 0xfc || unit == 0xf9 || unit == 0xfa || unit == 0xfb) setUnit(i, 0x75);
  }
  if (wordLen > 5 && ends("ern")) cut(3);
  else if (wordLen > 4 && last(2) == 0x65 && isIn(last(1), "mnrs")) cut(2);
  else if (wordLen > 3 && last(1) == 0x65) cut(1);
  else if (wordLen > 3 && last(1) == 0x73 && isIn(last(2), "bdfghklmnt")) cut(1);
  if (wordLen > 5 && ends("est")) cut(3);
  else if (wordLen > 4 && last(2) == 0x65 && isIn(last(1), "rn")) cut(2);
  else if (wordLen > 4 && ends("st") && isIn(last(3), "bdfghklmnt")) cut(2);
}

/** Removes only plurals and cases of nouns. */
export function minimalGerman(): void {
  if (wordLen < 5) return;
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0xe4) setUnit(i, 0x61);
    else if (unit == 0xf6) setUnit(i, 0x6f);
    else if (unit == 0xfc) setUnit(i, 0x75);
  }
  if (wordLen > 6 && ends("nen")) cut(3);
  else if (wordLen > 5 && (ends("en") || ends("se") || ends("es") || ends("er"))) cut(2);
  else if (isIn(last(1), "nesr")) cut(1);
}

export function lightItalian(): void {
  if (wordLen < 6) return;
  plainVowels(false);
  switch (last(1)) {
    case 0x65: case 0x69: cut(last(2) == 0x69 || last(2) == 0x68 ? 2 : 1); break;
    case 0x61: case 0x6f: cut(last(2) == 0x69 ? 2 : 1); break;
  }
}

export function lightSpanish(): void {
  if (wordLen < 5) return;
  plainVowels(false);
  if (isIn(last(1), "oae")) cut(1);
  else if (last(1) == 0x73) {
    if (ends("eses")) cut(2);
    else if (ends("ces")) {
      setLast(3, 0x7a);
      cut(2);
    } else if (isIn(last(2), "oae")) cut(2);
  }
}

export function lightPortuguese(): void {
  if (wordLen < 4) return;
  portuguesePlural();
  if (wordLen > 3 && last(1) == 0x61) portugueseFeminine();
  if (wordLen > 4 && isIn(last(1), "eao")) cut(1);
  plainVowels(true);
}

function portuguesePlural(): void {
  if (wordLen > 4 && ends("es") && isIn(last(3), "rslz")) cut(2);
  else if (wordLen > 3 && ends("ns")) {
    setLast(2, 0x6d);
    cut(1);
  } else if (wordLen > 4 && (ends("eis") || ends("éis"))) {
    setLast(3, 0x65);
    setLast(2, 0x6c);
    cut(1);
  } else if (wordLen > 4 && ends("ais")) {
    setLast(2, 0x6c);
    cut(1);
  } else if (wordLen > 4 && ends("óis")) {
    setLast(3, 0x6f);
    setLast(2, 0x6c);
    cut(1);
  } else if (wordLen > 4 && ends("is")) setLast(1, 0x6c);
  else if (wordLen > 3 && (ends("ões") || ends("ães"))) {
    cut(1);
    setLast(2, 0xe3);
    setLast(1, 0x6f);
  } else if (wordLen > 6 && ends("mente")) cut(5);
  else if (wordLen > 3 && last(1) == 0x73) cut(1);
}

function portugueseFeminine(): void {
  if (wordLen > 7 && (ends("inha") || ends("iaca") || ends("eira"))) setLast(1, 0x6f);
  else if (wordLen > 6) {
    if (ends("osa") || ends("ica") || ends("ida") || ends("ada") || ends("iva") || ends("ama")) setLast(1, 0x6f);
    else if (ends("ona")) {
      setLast(3, 0xe3);
      setLast(2, 0x6f);
      cut(1);
    } else if (ends("ora")) cut(1);
    else if (ends("esa")) {
      setLast(3, 0xea);
      cut(1);
    } else if (ends("na")) setLast(1, 0x6f);
  }
}

export function lightFrench(): void {
  if (wordLen > 5 && last(1) == 0x78) {
    if (last(3) == 0x61 && last(2) == 0x75 && last(4) != 0x65) setLast(2, 0x6c);
    cut(1);
  }
  if (wordLen > 3 && last(1) == 0x78) cut(1);
  if (wordLen > 3 && last(1) == 0x73) cut(1);
  if (!frenchDerivation()) frenchEnding();
  frenchNormal();
}

/** Removes `units` units and writes "er" or another pair of units over the end. */
function cutTo(units: i32, second: u32, first: u32): void {
  cut(units);
  if (second) setLast(2, second);
  if (first) setLast(1, first);
}

/** True: a derivational suffix was found, and no other is searched. */
function frenchDerivation(): bool {
  if (wordLen > 9 && ends("issement")) cutTo(6, 0, 0x72);
  else if (wordLen > 8 && ends("issant")) cutTo(4, 0, 0x72);
  else if (wordLen > 6 && ends("ement")) {
    cut(4);
    if (wordLen > 3 && ends("ive")) cutTo(1, 0, 0x66);
  } else if (wordLen > 11 && ends("ficatrice")) cutTo(5, 0x65, 0x72);
  else if (wordLen > 10 && ends("ficateur")) cutTo(4, 0x65, 0x72);
  else if (wordLen > 9 && ends("catrice")) frenchQu(3);
  else if (wordLen > 8 && ends("cateur")) frenchQu(2);
  else if (wordLen > 8 && ends("atrice")) cutTo(4, 0x65, 0x72);
  else if (wordLen > 7 && ends("ateur")) cutTo(3, 0x65, 0x72);
  else return false;
  return true;
}

function frenchQu(units: i32): void {
  cut(units);
  setLast(4, 0x71);
  setLast(3, 0x75);
  setLast(2, 0x65);
  setLast(1, 0x72);
}

function frenchEnding(): void {
  if (wordLen > 6 && ends("trice")) {
    cut(1);
    setLast(3, 0x65);
    setLast(2, 0x75);
    setLast(1, 0x72);
  }
  if (wordLen > 5 && ends("ième")) cut(4);
  else if (wordLen > 7 && ends("teuse")) cutTo(2, 0, 0x72);
  else if (wordLen > 6 && ends("teur")) cutTo(1, 0, 0x72);
  else if (wordLen > 5 && ends("euse")) cut(2);
  else if (wordLen > 8 && ends("ère")) cutTo(1, 0x65, 0);
  else if (wordLen > 7 && ends("ive")) cutTo(1, 0, 0x66);
  else if (wordLen > 4 && (ends("folle") || ends("molle"))) cutTo(2, 0, 0x75);
  else if (wordLen > 9 && ends("nnelle")) cut(5);
  else if (wordLen > 9 && ends("nnel")) cut(3);
  else {
    if (wordLen > 4 && ends("ète")) cutTo(1, 0x65, 0);
    if (wordLen > 8 && ends("ique")) cut(4);
    if (wordLen > 8 && ends("esse")) cut(3);
    else if (wordLen > 7 && ends("inage")) cut(3);
    else if (wordLen > 9 && ends("isation")) {
      cut(7);
      if (wordLen > 5 && ends("ual")) setLast(2, 0x65);
    } else if (wordLen > 9 && ends("isateur")) cut(7);
    else if (wordLen > 8 && (ends("ation") || ends("ition"))) cut(5);
  }
}

function frenchNormal(): void {
  if (wordLen > 4) {
    for (let i = 0; i < wordLen; i++) {
      const unit = unitAt(i);
      if (unit == 0xe0 || unit == 0xe1 || unit == 0xe2) setUnit(i, 0x61);
      else if (unit == 0xf4) setUnit(i, 0x6f);
      else if (unit == 0xe8 || unit == 0xe9 || unit == 0xea) setUnit(i, 0x65);
      else if (unit == 0xf9 || unit == 0xfb) setUnit(i, 0x75);
      else if (unit == 0xee) setUnit(i, 0x69);
      else if (unit == 0xe7) setUnit(i, 0x63);
    }
    // Double letters become single.
    let kept = 1;
    for (let i = 1; i < wordLen; i++) {
      const unit = unitAt(i);
      if (unit == unitAt(kept - 1) && isLetter(unit)) continue;
      setUnit(kept++, unit);
    }
    setLength(kept);
  }
  if (wordLen > 4 && ends("ie")) cut(2);
  if (wordLen > 4) {
    if (last(1) == 0x72) cut(1);
    if (last(1) == 0x65) cut(1);
    if (last(1) == 0x65) cut(1);
    if (last(1) == last(2) && isLetter(last(1))) cut(1);
  }
}

export function lightCzech(): void {
  czechCase();
  if (wordLen > 5 && (ends("ov") || ends("in") || ends("ův"))) cut(2);
  if (wordLen > 0) czechNormal();
}

function czechCase(): void {
  if (wordLen > 7 && ends("atech")) cut(5);
  else if (wordLen > 6 && (ends("ětem") || ends("etem") || ends("atům"))) cut(4);
  else if (wordLen > 5 && czechThree()) cut(3);
  else if (wordLen > 4 && (ends("em") || ends("es") || ends("ém") || ends("ím") || ends("ům") || ends("at") || ends("ám") || ends("os") || ends("us") || ends("ým") || ends("mi") || ends("ou"))) cut(2);
  else if (wordLen > 3 && isIn(last(1), "aeiouůyáéíýě")) cut(1);
}

function czechThree(): bool {
  return ends("ech") || ends("ich") || ends("ích") || ends("ého") || ends("ěmi") || ends("emi") || ends("ému") || ends("ěte") || ends("ete") || ends("ěti")
    || ends("eti") || ends("ího") || ends("iho") || ends("ími") || ends("ímu") || ends("imu") || ends("ách") || ends("ata") || ends("aty") || ends("ých")
    || ends("ama") || ends("ami") || ends("ové") || ends("ovi") || ends("ými");
}

function czechNormal(): void {
  if (ends("čt")) {
    setLast(2, 0x63);
    setLast(1, 0x6b);
  } else if (ends("št")) {
    setLast(2, 0x73);
    setLast(1, 0x6b);
  } else if (last(1) == 0x63 || last(1) == 0x10d) setLast(1, 0x6b);
  else if (last(1) == 0x7a || last(1) == 0x17e) setLast(1, 0x68);
  else if (wordLen > 1 && last(2) == 0x65) {
    setLast(2, last(1));
    cut(1);
  } else if (wordLen > 2 && last(2) == 0x16f) setLast(2, 0x6f);
}

export function lightBulgarian(): void {
  if (wordLen < 4) return;
  if (wordLen > 5 && ends("ища")) {
    cut(3);
    return;
  }
  if (wordLen > 6 && ends("ият")) cut(3);
  else if (wordLen > 5 && (ends("ът") || ends("то") || ends("те") || ends("та") || ends("ия"))) cut(2);
  else if (wordLen > 4 && ends("ят")) cut(2);
  bulgarianPlural();
  if (wordLen > 3) {
    if (ends("я")) cut(1);
    if (isIn(last(1), "аое")) cut(1);
  }
  if (wordLen > 4 && ends("ен")) {
    setLast(2, 0x43d);
    cut(1);
  }
  if (wordLen > 5 && last(2) == 0x44a) {
    setLast(2, last(1));
    cut(1);
  }
}

function bulgarianPlural(): void {
  if (wordLen > 6) {
    if (ends("овци") || ends("ове")) {
      cut(3);
      return;
    }
    if (ends("еве")) {
      setLast(3, 0x439);
      cut(2);
      return;
    }
  }
  if (wordLen > 5) {
    if (ends("ища")) {
      cut(3);
      return;
    }
    if (ends("та")) {
      cut(2);
      return;
    }
    if (ends("ци")) {
      setLast(2, 0x43a);
      cut(1);
      return;
    }
    if (ends("зи")) {
      setLast(2, 0x433);
      cut(1);
      return;
    }
    if (last(3) == 0x435 && last(1) == 0x438) {
      setLast(3, 0x44f);
      cut(1);
      return;
    }
  }
  if (wordLen > 4) {
    if (ends("си")) {
      setLast(2, 0x445);
      cut(1);
    } else if (ends("и")) cut(1);
  }
}

