// Finds the stems of a word in a Hunspell dictionary: removes affixes, usually up to three, until an entry is left that allows all of them.
// Source: hunspell(5) for the meaning of rules and flags; order, case variants and the number of affixes as in Lucene's HunspellStemFilter.
import { type Affix, convert, hasFlag } from './affix-file.ts';
import type { HunspellDictionary } from './dictionary.ts';
import { caseOf, isLowerUnit, upperUnit } from './text.ts';
import type { Entry } from './word-table.ts';

/** Affixes removed so far, outer ones first. */
interface Taken {
  readonly outerPrefix: Affix | null;
  readonly innerPrefix: Affix | null;
  readonly outerSuffix: Affix | null;
  /** Number of affixes. */
  readonly depth: number;
}

const NOTHING: Taken = { outerPrefix: null, innerPrefix: null, outerSuffix: null, depth: 0 };
/** With COMPLEXPREFIXES any number of prefixes can be removed, including empty ones. */
const MAX_AFFIXES = 24;
/** Maximum number of rules tried per word, which bounds dictionaries with many empty affixes. */
const MAX_TRIALS = 200_000;
/** Maximum number of "ss" pairs in a word that are varied with sharp s. */
const MAX_SHARP_S = 6;

/** Belongs to one thread; calls must not overlap. */
export class HunspellStemmer {
  #stems: string[] = [];
  #trials = 0;

  readonly #dictionary: HunspellDictionary;

  constructor(dictionary: HunspellDictionary) {
    this.#dictionary = dictionary;
  }

  /** Stems in the order in which they are found, possibly with duplicates; empty if the word is unknown. */
  stem(given: string): string[] {
    const { affixes } = this.#dictionary;
    const word = affixes.clean(given);
    this.#stems = [];
    this.#trials = 0;
    if (word) {
      this.#stemAsWritten(word);
      if (!affixes.ignoresCase && !isLowerUnit(word[0])) this.#stemInOtherCase(word);
    }
    return this.#stems;
  }

  /** Tries other cases of a word in capitals or with an initial capital. */
  #stemInOtherCase(word: string): void {
    const { affixes } = this.#dictionary;
    const written = caseOf(word);
    if (written !== 'upper' && written !== 'title') return;
    const isUpper = written === 'upper';
    let title = word;
    if (isUpper) {
      title = word[0] + affixes.lowerAll(word.slice(1));
      const withArticle = capitalizeAfterApostrophe(title);
      if (withArticle !== title) this.#stemAsWritten(withArticle);
      this.#stemAsWritten(title);
      if (affixes.checksSharpS) this.#stemWithSharpS(title);
    }
    if (word[0] === 'İ' && !affixes.isTurkic) return;
    const lower = affixes.lower(title[0]) + title.slice(1);
    this.#stemAsWritten(lower);
    if (isUpper && affixes.checksSharpS) this.#stemWithSharpS(lower);
  }

  #stemWithSharpS(word: string): void {
    for (const variant of sharpSVariants(word, MAX_SHARP_S)) if (variant !== word) this.#stemAsWritten(variant);
  }

  #stemAsWritten(word: string): void {
    const { needAffix, onlyInCompound } = this.#dictionary.affixes;
    for (const entry of this.#dictionary.lookup(word)) {
      if (!hasFlag(entry.flags, needAffix) && !hasFlag(entry.flags, onlyInCompound)) this.#add(word, entry);
    }
    this.#takeOff(word, true, NOTHING);
  }

  #add(word: string, entry: Entry): void {
    const { outputConversion } = this.#dictionary.affixes;
    this.#stems.push(entry.stem ?? (outputConversion ? convert(outputConversion, word) : word));
  }

  /** Removes one affix in every possible way, and then the affixes inside it. */
  #takeOff(word: string, withPrefixes: boolean, taken: Taken): void {
    const { prefixes, suffixes, isFullStrip } = this.#dictionary.affixes;
    const most = isFullStrip ? word.length : word.length - 1;
    if (withPrefixes) {
      for (let n = 0, end = Math.min(most, prefixes.longest); n <= end; n++) {
        for (const affix of prefixes.byText.get(word.slice(0, n)) ?? []) {
          if (affix === taken.outerPrefix || !this.#mayStandInside(affix, taken)) continue;
          const rest = word.slice(n);
          if (isPossibleRest(affix, rest)) this.#takeOffInside(affix.strip + rest, affix, taken);
        }
      }
    }
    for (let n = 0, end = Math.min(most, suffixes.longest); n <= end; n++) {
      for (const affix of suffixes.byText.get(word.slice(word.length - n)) ?? []) {
        if (affix === taken.outerSuffix || !this.#mayStandInside(affix, taken)) continue;
        const rest = word.slice(0, word.length - n);
        if (isPossibleRest(affix, rest)) this.#takeOffInside(rest + affix.strip, affix, taken);
      }
    }
  }

  #mayStandInside(affix: Affix, { outerPrefix, outerSuffix }: Taken): boolean {
    if (++this.#trials > MAX_TRIALS || hasFlag(affix.continuation, this.#dictionary.affixes.onlyInCompound)) return false;
    if (!outerPrefix && !outerSuffix) return true;
    return affix.isCrossProduct && (outerSuffix === null || hasFlag(affix.continuation, outerSuffix.flag));
  }

  /** Looks up the word without an affix, and continues if another affix may be inside. */
  #takeOffInside(word: string, affix: Affix, before: Taken): void {
    const { hasComplexPrefixes, prefixes, suffixes } = this.#dictionary.affixes;
    const isSecondSuffix = !affix.isPrefix && before.outerSuffix !== null;
    const taken: Taken = {
      outerPrefix: before.outerPrefix ?? (affix.isPrefix ? affix : null),
      innerPrefix: affix.isPrefix && before.outerPrefix ? affix : before.innerPrefix,
      outerSuffix: before.outerSuffix ?? (affix.isPrefix ? null : affix),
      depth: before.depth + 1,
    };
    if (!this.#needsAnother(affix, before)) this.#lookUp(word, affix, taken);
    if (isSecondSuffix || !affix.isCrossProduct || taken.depth === MAX_AFFIXES) return;
    const count = (taken.outerSuffix ? 1 : 0) + (taken.innerPrefix ? 2 : taken.outerPrefix ? 1 : 0);
    if (count === 1) {
      if (affix.isPrefix) this.#takeOff(word, hasComplexPrefixes && prefixes.secondStage.has(affix.flag), taken);
      else if (!hasComplexPrefixes && suffixes.secondStage.has(affix.flag)) this.#takeOff(word, false, taken);
    } else if (count === 2) {
      if (hasComplexPrefixes ? affix.isPrefix : !affix.isPrefix && suffixes.secondStage.has(affix.flag)) {
        this.#takeOff(word, hasComplexPrefixes, taken);
      }
    }
  }

  /** Adds the entries that allow the last affix and the prefix outside it. */
  #lookUp(word: string, affix: Affix, { outerPrefix, innerPrefix }: Taken): void {
    const prefix = innerPrefix ?? outerPrefix;
    for (const entry of this.#dictionary.lookup(word)) {
      if (!hasFlag(entry.flags, affix.flag) && !(prefix && hasFlag(prefix.continuation, affix.flag))) continue;
      if (outerPrefix && !innerPrefix && !hasFlag(entry.flags, outerPrefix.flag) && !hasFlag(affix.continuation, outerPrefix.flag))
        continue;
      if (!hasFlag(entry.flags, this.#dictionary.affixes.onlyInCompound)) this.#add(word, entry);
    }
  }

  /** NEEDAFFIX and CIRCUMFIX: whether the affix requires another one. */
  #needsAnother(affix: Affix, { outerPrefix, innerPrefix, outerSuffix }: Taken): boolean {
    const { circumfix, needAffix } = this.#dictionary.affixes;
    const prefix = innerPrefix ?? outerPrefix;
    if (!affix.isPrefix) {
      const isPrefixHalf = prefix !== null && hasFlag(prefix.continuation, circumfix);
      if (isPrefixHalf !== hasFlag(affix.continuation, circumfix)) return true;
    }
    if (!hasFlag(affix.continuation, needAffix)) return false;
    const previous = outerSuffix ?? prefix;
    return affix.isPrefix || previous === null || hasFlag(previous.continuation, needAffix);
  }
}

/** Whether the affix can have been added to the rest of the word. */
function isPossibleRest(affix: Affix, rest: string): boolean {
  return rest.length + affix.strip.length > 0 && (affix.condition === null || affix.condition(rest));
}

/** Capitalizes after Catalan, French and Italian articles: Sant'elia to Sant'Elia. Returns the word itself if it has none. */
function capitalizeAfterApostrophe(word: string): string {
  for (let i = 1; i < word.length - 1; i++) {
    if (word[i] === "'" && upperUnit(word[i + 1]) !== word[i + 1]) {
      return word.slice(0, i + 1) + upperUnit(word[i + 1]) + word.slice(i + 2);
    }
  }
  return word;
}

/** Variants of the word, with each of its first `most` "ss" kept or replaced by sharp s. */
function sharpSVariants(word: string, most: number): string[] {
  const at = most > 0 ? word.indexOf('ss') : -1;
  if (at < 0) return [word];
  const start = word.slice(0, at);
  return sharpSVariants(word.slice(at + 2), most - 1).flatMap((tail) => [`${start}ss${tail}`, `${start}ß${tail}`]);
}
