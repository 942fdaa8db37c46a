// java.util.Locale. Names of months and days are English in every locale.
import { type ClassTable, defineClass } from '../../java/class-info.ts';
import { equal, hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';

/** A language, and optionally a country. */
class Locale {
  readonly language: string;
  readonly country: string;
  constructor(language: string, country = '') {
    this.language = language.toLowerCase();
    this.country = country.toUpperCase();
  }
  toString(): string {
    return this.country === '' ? this.language : `${this.language}_${this.country}`;
  }
  tag(): string {
    if (this.language === '') return 'und';
    return this.country === '' ? this.language : `${this.language}-${this.country}`;
  }
  equalTo(other: Value): boolean {
    return other instanceof Locale && other.toString() === this.toString();
  }
  hash(): number {
    return hashOf(this.toString());
  }
}

const LOCALES: Readonly<Record<string, readonly [language: string, country?: string]>> = {
  ROOT: [''],
  ENGLISH: ['en'],
  US: ['en', 'US'],
  UK: ['en', 'GB'],
  CANADA: ['en', 'CA'],
  CANADA_FRENCH: ['fr', 'CA'],
  FRENCH: ['fr'],
  FRANCE: ['fr', 'FR'],
  GERMAN: ['de'],
  GERMANY: ['de', 'DE'],
  ITALIAN: ['it'],
  ITALY: ['it', 'IT'],
  JAPANESE: ['ja'],
  JAPAN: ['ja', 'JP'],
  KOREAN: ['ko'],
  KOREA: ['ko', 'KR'],
  CHINESE: ['zh'],
  CHINA: ['zh', 'CN'],
};

const constants: ClassTable['constants'] = Object.fromEntries(
  Object.entries(LOCALES).map(([name, [language, country]]) => [`Locale ${name}`, new Locale(language, country)]),
);
defineClass('java.util.Locale', ['java.lang.Object'], {
  of: Locale,
  constants,
  members: {
    'new(String)': (language: string) => new Locale(language),
    'new(String,String)': (language: string, country: string) => new Locale(language, country),
    'static Locale forLanguageTag(String)': (tag: string) => new Locale(...(tag.split('-') as [string, string?])),
    'static Locale getDefault()': () => new Locale('en', 'US'),
    'String getCountry()': (self: Locale) => self.country,
    'String getLanguage()': (self: Locale) => self.language,
    'String toLanguageTag()': (self: Locale) => self.tag(),
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
  },
});
