// Delimited payload and term frequency: what stands behind a delimiter in a term is data about it.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { ComponentEntry, FilterFactory } from '../component.ts';
import { encodeWtf8 } from '../wtf8.ts';
import { listFilter } from './lists.ts';
import { filterEntry } from './simple.ts';

const numberFormat = (reason: string): ApiError => new ApiError('number_format_exception', 400, reason);

/** Decimal integer as Lucene's ArrayUtil.parseInt reads it. @throws ApiError number_format_exception */
function parseInteger(text: string): number {
  if (text === '') throw numberFormat('chars length is 0');
  if (text === '-') throw numberFormat("chars can't be null");
  if (!/^-?\d+$/.test(text)) throw numberFormat('Unable to parse');
  const value = Number(text);
  if (value > 0x7fffffff || value < -0x80000000) throw numberFormat('Unable to parse');
  return value;
}

/** Java's Float.parseFloat. @throws ApiError number_format_exception */
function parseFloat32(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') throw numberFormat('empty String');
  if (!/^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/.test(trimmed))
    throw numberFormat(`For input string: "${text}"`);
  return Number(trimmed.replace(/(\d|\.)[fFdD]$/, '$1'));
}

const ENCODERS: Readonly<Record<string, (text: string) => Uint8Array>> = {
  float(text) {
    const out = new Uint8Array(4);
    new DataView(out.buffer).setFloat32(0, parseFloat32(text));
    return out;
  },
  int(text) {
    const out = new Uint8Array(4);
    new DataView(out.buffer).setInt32(0, parseInteger(text));
    return out;
  },
  identity: encodeWtf8,
};

export const PAYLOAD_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('delimited_payload', ['delimiter: string = |', 'encoding: string = float'], ({ settings }) => {
    const delimiter = settings.get('delimiter', '|').charAt(0);
    if (delimiter === '') throw new ApiError('string_index_out_of_bounds_exception', 500, 'Index 0 out of bounds for length 0');
    const encode = ENCODERS[settings.get('encoding', 'float')] ?? ENCODERS.float;
    return listFilter((tokens) =>
      tokens.map((token) => {
        const at = token.term.indexOf(delimiter);
        return at < 0
          ? { ...token, payload: null }
          : { ...token, term: token.term.slice(0, at), payload: encode(token.term.slice(at + 1)) };
      }),
    );
  }),
  filterEntry('delimited_term_freq', ['delimiter: char = |'], ({ settings }) => {
    const delimiter = settings.char('delimiter', '|')!;
    return listFilter((tokens) =>
      tokens.map((token) => {
        const at = token.term.indexOf(delimiter);
        if (at < 0) return token;
        const termFreq = parseInteger(token.term.slice(at + 1));
        if (termFreq < 1) throw illegalArgument(`Term frequency must be 1 or greater; got ${termFreq}`);
        return { ...token, term: token.term.slice(0, at), termFreq };
      }),
    );
  }),
];
