// delimited_payload and delimited_term_freq, which parse the part of a term after a delimiter; and type_as_payload.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { DelimitedConfig, StageId } from '../../wasm/generated/analysis.ts';
import { E_NO_SPACE } from '../../wasm/generated/mem.ts';
import { numberOfCall, type TermCall } from '../../wasm/host-calls.ts';
import { recordBytes, words } from '../blob.ts';
import type { ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import { decodeWtf8, encodeWtf8 } from '../tokens/wtf8.ts';
import { filterEntry } from './kernel-filters.ts';

const numberFormatError = (reason: string): ApiError => new ApiError('number_format_exception', 400, reason);

/** Parses a decimal integer like Lucene's ArrayUtil.parseInt. @throws ApiError number_format_exception */
function parseInteger(text: string): number {
  if (text === '') throw numberFormatError('chars length is 0');
  if (text === '-') throw numberFormatError("chars can't be null");
  if (!/^-?\d+$/.test(text)) throw numberFormatError('Unable to parse');
  const value = Number(text);
  if (value > 0x7fffffff || value < -0x80000000) throw numberFormatError('Unable to parse');
  return value;
}

/** Java's Float.parseFloat. @throws ApiError number_format_exception */
function parseFloat32(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') throw numberFormatError('empty String');
  if (!/^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/.test(trimmed))
    throw numberFormatError(`For input string: "${text}"`);
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

/** Modes of the delimited stage; fusion.ts tests for the first. */

/**
 * Cuts terms at a delimiter; assembly/analysis/filters/rewrite/delimited.ts has the layout.
 * @param delimiter one UTF-16 unit
 * @param encode    encodes the part after the delimiter: a payload, or a frequency in four bytes
 */
function delimitedFilter(isFrequency: boolean, delimiter: string, encode: (text: string) => Uint8Array): TokenFilter {
  // The kernel reads characters, and a surrogate is not one.
  if (/[\ud800-\udfff]/.test(delimiter)) throw illegalArgumentError('[delimiter] must not begin with half of a surrogate pair');
  const call: TermCall = (bytes, dataPtr, dataLen, outPtr, outBytes) => {
    const data = encode(decodeWtf8(bytes, dataPtr, dataPtr + dataLen));
    if (data.length > outBytes) return E_NO_SPACE;
    bytes.set(data, outPtr);
    return data.length;
  };
  const mark = encodeWtf8(delimiter);
  const config = recordBytes(
    DelimitedConfig,
    { call: numberOfCall(call), isFrequency: isFrequency ? 1 : 0, delimiterBytes: mark.length },
    mark,
  );
  return { kind: 'kernel', stages: [{ id: StageId.DELIMITED, config, keeps: call }] };
}

/** @throws ApiError number_format_exception, illegal_argument_exception */
function encodeFrequency(text: string): Uint8Array {
  const termFreq = parseInteger(text);
  if (termFreq < 1) throw illegalArgumentError(`Term frequency must be 1 or greater; got ${termFreq}`);
  return words([termFreq]);
}

export const PAYLOAD_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('delimited_payload', ['delimiter: string = |', 'encoding: string = float'], ({ settings }) => {
    const delimiter = settings.get('delimiter', '|').charAt(0);
    if (delimiter === '') throw new ApiError('string_index_out_of_bounds_exception', 500, 'Index 0 out of bounds for length 0');
    return delimitedFilter(false, delimiter, ENCODERS[settings.get('encoding', 'float')] ?? ENCODERS.float);
  }),
  filterEntry('delimited_term_freq', ['delimiter: char = |'], ({ settings }) =>
    delimitedFilter(true, settings.char('delimiter', '|'), encodeFrequency),
  ),
  filterEntry('type_as_payload', [], () => ({
    kind: 'host',
    apply: (stream) => ({ ...stream, tokens: stream.tokens.map((token) => ({ ...token, payload: encodeWtf8(token.type) })) }),
  })),
];
