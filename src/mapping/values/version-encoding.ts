// Software versions as bytes whose order is that of Semantic Versioning (https://semver.org, 11), and back without loss.
//   valid:   01, parts of the version, 02 identifiers 01 | 03, build metadata (UTF-8)
//     part:        80 + length, digits                                    longer numbers are larger
//     identifier:  02, 80 + length, digits (a number) | 03, ASCII, 00     numbers come first; 02 and 03 sort after the end 01
//   02 begins the identifiers of a pre-release, 03 stands for none: a pre-release comes before its release, and both before further parts.
//   invalid: 02, the text (UTF-8): sorts after all valid versions

const VALID = 1;
const INVALID = 2;
const PRE_RELEASE = 2;
const RELEASE = 3;
const END = 1;
const NUMBER = 2;
const WORD = 3;
const NUMBER_BASE = 0x80;
const MAX_DIGITS = 0x7e;

const VERSION = /^(\d+(?:\.\d+)*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const decoder = new TextDecoder();

export function encodeVersion(text: string): Uint8Array {
  const match = VERSION.exec(text);
  if (!match || /\d{127}/.test(text)) return Buffer.concat([Buffer.of(INVALID), Buffer.from(text)]);
  const [, parts, identifiers, build = ''] = match;
  const bytes: number[] = [VALID];
  for (const part of parts.split('.')) pushNumber(bytes, part);
  if (identifiers === undefined) bytes.push(RELEASE);
  else {
    bytes.push(PRE_RELEASE);
    for (const identifier of identifiers.split('.')) {
      if (/^\d+$/.test(identifier)) {
        bytes.push(NUMBER);
        pushNumber(bytes, identifier);
      } else bytes.push(WORD, ...Buffer.from(identifier), 0);
    }
    bytes.push(END);
  }
  bytes.push(...Buffer.from(build));
  return Uint8Array.from(bytes);
}

function pushNumber(bytes: number[], digits: string): void {
  bytes.push(NUMBER_BASE + Math.min(digits.length, MAX_DIGITS), ...Buffer.from(digits));
}

/** The version that `encodeVersion` made the bytes from. */
export function decodeVersion(bytes: Uint8Array): string {
  if (bytes[0] !== VALID) return decoder.decode(bytes.subarray(1));
  let at = 1;
  const number = (): string => {
    const end = at + 1 + bytes[at] - NUMBER_BASE;
    const digits = decoder.decode(bytes.subarray(at + 1, end));
    at = end;
    return digits;
  };
  const word = (): string => {
    const end = bytes.indexOf(0, at);
    const text = decoder.decode(bytes.subarray(at, end));
    at = end + 1;
    return text;
  };
  const parts: string[] = [];
  while (bytes[at] > NUMBER_BASE) parts.push(number());
  const identifiers: string[] = [];
  if (bytes[at++] === PRE_RELEASE) {
    for (let kind = bytes[at++]; kind !== END; kind = bytes[at++]) identifiers.push(kind === NUMBER ? number() : word());
  }
  const build = decoder.decode(bytes.subarray(at));
  return `${parts.join('.')}${identifiers.length > 0 ? `-${identifiers.join('.')}` : ''}${build}`;
}
