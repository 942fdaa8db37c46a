// URL and e-mail grammars of the uax_url_email tokenizer as expressions over ASCII. Source: RFC 1738, 3986, 5321, 5322 in the profile that
// Lucene documents for UAX29URLEmailTokenizer. Host names with a top level domain are scanned by the kernel itself.
import { alt, chars, type Expression, optional, plus, type Rule, range, repeat, seq, set, star, union, without } from './dfa.ts';

const c = (text: string): Expression => set(chars(text));
const word = (text: string): Expression => seq(...[...text].map((char) => c(char + char.toUpperCase())));
const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const HEX = c(`${DIGITS}abcdefABCDEF`);

const octet = alt(
  seq(repeat(c('0'), 0, 2), c(DIGITS)),
  seq(optional(c('0')), c('123456789'), c(DIGITS)),
  seq(c('1'), c(DIGITS), c(DIGITS)),
  seq(c('2'), alt(seq(c('01234'), c(DIGITS)), seq(c('5'), c('012345')))),
);
const ipv4 = seq(octet, repeat(seq(c('.'), octet), 3, 3));
const group = repeat(HEX, 1, 4);
const pair = alt(ipv4, seq(group, c(':'), group));
const groups = (count: number): Expression => repeat(seq(group, c(':')), count, count);
const upTo = (count: number): Expression => optional(seq(repeat(seq(group, c(':')), 0, count), group));
const gap = seq(c(':'), c(':'));
const ipv6 = alt(
  seq(groups(6), pair),
  seq(gap, groups(5), pair),
  seq(optional(group), gap, groups(4), pair),
  seq(upTo(1), gap, groups(3), pair),
  seq(upTo(2), gap, groups(2), pair),
  seq(upTo(3), gap, groups(1), pair),
  seq(upTo(4), gap, pair),
  seq(upTo(5), gap, group),
  seq(upTo(6), gap),
);
const bracketed = seq(c('['), ipv6, c(']'));
const alnum = c(DIGITS + LETTERS);
const label = seq(alnum, optional(seq(star(c(`-${DIGITS}${LETTERS}`)), alnum)));
const looseHost = alt(bracketed, ipv4, seq(label, star(seq(c('.'), label))));

const UNRESERVED = `-._~${DIGITS}${LETTERS}`;
const SUB_DELIMITERS = "!$&'()*+,;=";
const encoded = seq(c('%'), HEX, HEX);
const of = (extra: string): Expression => star(alt(c(UNRESERVED + extra), encoded));
const login = seq(of(SUB_DELIMITERS), optional(seq(c(':'), of(SUB_DELIMITERS))), c('@'));
const query = seq(c('?'), of(`${SUB_DELIMITERS}:@/?`));
const fragment = seq(c('#'), of(`${SUB_DELIMITERS}:@/?`));
const port = seq(c(':'), repeat(c(DIGITS), 1, 5));
const path = plus(seq(c('/'), of(';:@&=')));
const scheme = (name: Expression): Expression => seq(name, c(':'), c('/'), c('/'));
const maybe = optional;
const http = seq(
  scheme(seq(word('http'), maybe(c('sS')))),
  maybe(login),
  looseHost,
  maybe(port),
  maybe(path),
  maybe(query),
  maybe(fragment),
);
const filePath = plus(seq(c('/'), of('?:@&=')));
const ftp = seq(
  scheme(word('ftp')),
  maybe(login),
  looseHost,
  maybe(port),
  filePath,
  maybe(seq(c(';'), word('type'), c('='), c('aAiIdD'))),
  maybe(fragment),
);
const file = seq(scheme(word('file')), maybe(looseHost), filePath, maybe(fragment));
const tail = alt(
  seq(port, maybe(path), maybe(query), maybe(fragment)),
  seq(maybe(port), path, maybe(query), maybe(fragment)),
  seq(maybe(port), maybe(path), query, maybe(fragment)),
  seq(maybe(port), maybe(path), maybe(query), fragment),
);

const quotedText = without(union(range(1, 8), range(0x0b, 0x0c), range(0x0e, 0x7e)), chars('"\\'));
const quoted = seq(c('"'), star(alt(set(quotedText), seq(c('\\'), set(range(0, 0x7f))))), c('"'));
// The range + to / is part of the grammar; it includes dots and commas.
const atom = c(`${DIGITS}${LETTERS}!#$%&'*+,-./=?^_\`{|}~`);
const emailLabel = alt(plus(atom), quoted);
const localPart = seq(emailLabel, star(seq(c('.'), emailLabel)), c('@'));
const literal = alt(
  set(without(union(range(1, 8), range(0x0b, 0x0c), range(0x0e, 0x5a), range(0x5e, 0x7f)), chars(''))),
  seq(c('\\'), set(range(0, 0x7f))),
);
const bracketedMailHost = seq(c('['), star(literal), c(']'));

/** Each automaton by name; they share nothing but their form. */
export const URL_AUTOMATA: Readonly<Record<string, Rule[]>> = {
  SCHEME_URL: [{ accept: 1, expression: alt(http, ftp, file) }],
  URL_TAIL: [{ accept: 1, expression: tail }],
  STRICT_ADDRESS: [{ accept: 1, expression: alt(bracketed, ipv4) }],
  MAIL_LOCAL: [{ accept: 1, expression: localPart }],
  MAIL_BRACKET: [{ accept: 1, expression: bracketedMailHost }],
};
