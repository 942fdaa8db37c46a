// Random Painless sources: valid in syntax and mostly in their names, with values of all types in all places, so that they fail in every way at run time.
import type { Rng } from '../support/rng.ts';

const METHODS = [
  ...['size()', 'get(0)', 'get("k")', 'put("k", 1)', 'add(1)', 'remove(0)', 'value', 'values', 'empty', 'length', 'length()', 'toString()'],
  ...[
    'isEmpty()',
    'contains("a")',
    'containsKey("k")',
    'indexOf("b")',
    'substring(1)',
    'substring(3, 1)',
    'splitOnToken(",")',
    'hashCode()',
  ],
  ...['replace("a", "b")', 'charAt(-1)', 'charAt(9)', 'equals(null)', 'compareTo("b")', 'keySet()', 'values()', 'entrySet()', 'iterator()'],
  ...[
    'stream().map(x -> x + 1).collect(Collectors.toList())',
    'sort((p, q) -> p - q)',
    'getYear()',
    'toInstant().toEpochMilli()',
    'lat',
    'lon',
  ],
  ...['plusDays(999999999999L)', 'asString()', 'encodeBase64()', 'asList()', 'removeIf(x -> true)', 'each(x -> x)', 'collect(x -> x)'],
  ...['findAll(x -> x > 1)', 'join(",")', 'sum()', 'group("k")', 'addAll(l)', 'putAll(m)', 'subList(2, 1)', 'subList(0, 9)', 'set(7, 1)'],
];
const VALUES = [
  ...[
    'Math.floorMod(1, 0)',
    'Math.sqrt(-1)',
    'Integer.parseInt("x")',
    'Long.MAX_VALUE + 1',
    'Integer.MIN_VALUE / -1',
    '1 / 0',
    '1 % 0L',
    '1.0 / 0',
  ],
  ...[
    'Double.NaN',
    'new ArrayList()',
    'new HashMap(["a": 1])',
    'new StringBuilder("a")',
    'new int[3]',
    'new int[-1]',
    'new String[] {"a"}',
  ],
  ...[
    'Collections.emptyList()',
    'LocalDate.parse("x")',
    'ZonedDateTime.parse("2024-01-01T00:00:00Z")',
    'Instant.ofEpochMilli(Long.MAX_VALUE)',
  ],
  ...[
    '/a+b/.matcher("aab").find()',
    '("ab" ==~ /a./)',
    'BigInteger.valueOf(2).pow(100000)',
    'new BigDecimal("1e400")',
    'Optional.empty().get()',
  ],
  ...['DateTimeFormatter.ofPattern("q{")', 'Duration.ofDays(1)', 'Arrays.asList(new def[] {1})', 'Objects.requireNonNull(null)'],
  ...[
    'params',
    'params.k',
    'params.nope',
    'params["_source"]',
    'new HashSet(l)',
    'new TreeMap(m)',
    'l.iterator().next()',
    '[l, m, s]',
    '[m: l]',
  ],
];
/** Of scripts that see documents. */
const DOCUMENT = [
  ...[
    'doc["v_text"].value',
    'doc["v_long"].value',
    'doc["v_date"].value',
    'doc["v_geo_point"].value',
    'doc["v_keyword"]',
    'doc["v_ip"].value',
  ],
  ...['doc["nope"].value', 'doc["v_kids.k"]', 'doc', 'doc.containsKey("x")', 'doc[s]', 'doc["v_dense_vector"]', 'doc["v_double"].get(7)'],
];
const OPERATORS = ['+', '-', '*', '/', '%', '<<', '>>', '>>>', '&', '|', '^', '&&', '||', '==', '!=', '===', '<', '>=', '?:'];
const LITERALS = [
  '0',
  '1',
  '-1',
  '2147483648L',
  '9223372036854775807L',
  '1.5',
  '1e308',
  '1f',
  "'a'",
  '"é🙂"',
  'null',
  'true',
  "''",
  '[]',
  '[:]',
  '[1, "a"]',
  '["k": 2]',
  '0x7f',
];
/** Declared at the start of each source. */
const DECLARED = 'def a = 1; def b = "x,y"; int i = 2; String s = "ab"; Map m = ["k": 1, "s": "t"]; List l = [3, "c", 1.5]; def d = null; ';
const NAMES = ['a', 'b', 'i', 's', 'm', 'l', 'd'];
/** Those that take any value. */
const ASSIGNABLE = ['a', 'b', 'd', 'm.k', 'l[0]', 'm[b]', 'l[i]', 'm.new'];
const TYPES = ['def', 'int', 'long', 'double', 'String', 'List', 'Map', 'boolean', 'char', 'byte', 'int[]', 'Object', 'ZonedDateTime'];

class Source {
  readonly #rng: Rng;
  readonly #values: readonly string[];
  #names = 0;

  constructor(rng: Rng, seesDocuments: boolean) {
    this.#rng = rng;
    this.#values = seesDocuments ? [...VALUES, ...DOCUMENT, ...DOCUMENT] : VALUES;
  }

  expression(depth: number): string {
    const rng = this.#rng;
    if (depth > 4) return rng.pick(LITERALS);
    const next = () => this.expression(depth + 1);
    switch (rng.int(0, 12)) {
      case 0:
      case 1:
        return rng.pick(LITERALS);
      case 2:
      case 3:
        return rng.pick(NAMES);
      case 4:
      case 5:
        return rng.pick(this.#values);
      case 6:
      case 7:
        // Of an untyped name, so that the method is looked up at run time.
        return `${rng.pick(['a', 'b', 'd', 'm.k', 'l[0]', 'params.x', `((def) ${next()})`])}.${rng.pick(METHODS)}`;
      case 8:
        return `${rng.pick(['a', 'b', 'd', 'l', 'm', 'params', 'params.x'])}[${next()}]`;
      case 9:
        return `((def) ${next()} ${rng.pick(OPERATORS)} (def) ${next()})`;
      case 10:
        return `((boolean) (def) ${next()} ? (def) ${next()} : ${next()})`;
      case 11:
        return `(${rng.pick(TYPES)}) (def) ${next()}`;
      default:
        return rng.pick([
          `!(def) ${next()}`,
          `-(def) ${next()}`,
          `~(def) ${next()}`,
          `d?.${rng.pick(METHODS)}`,
          `((def) ${next()} instanceof Map)`,
        ]);
    }
  }

  statement(depth: number): string {
    const rng = this.#rng;
    const inner = () => (depth > 2 ? '{ a = 1; }' : `{ ${this.statement(depth + 1)} }`);
    const value = () => this.expression(depth);
    const fresh = () => `v${this.#names++}`;
    switch (rng.int(0, 9)) {
      case 0:
        return `${rng.pick(TYPES)} ${fresh()} = (def) ${value()};`;
      case 1:
        return `if ((def) ${value()}) ${inner()} else ${inner()}`;
      case 2:
        return `for (def ${fresh()} : (def) ${value()}) ${inner()}`;
      case 3: {
        const name = fresh();
        return `for (int ${name} = 0; ${name} < ${rng.pick(['3', '-1', `(def) ${value()}`])}; ${name}++) ${inner()}`;
      }
      case 4:
        return `try ${inner()} catch (Exception ${fresh()}) ${inner()}`;
      case 5:
        return `${rng.pick(['a', 'b', 'd', 'l', 'm'])}.${rng.pick(METHODS.filter((method) => method.endsWith(')')))};`;
      case 6:
        return `${rng.pick(['a', 'd', 'm.k'])} ${rng.pick(['+=', '-=', '*=', '/=', '%=', '<<=', '|='])} (def) ${value()};`;
      case 7:
        return rng.pick(['a++;', '--i;', 'm.self = m;', 'l.add(l);', 'while (true) { a = 1; break; }', 'b += b;']);
      default:
        return `${rng.pick(ASSIGNABLE)} = ${value()};`;
    }
  }
}

/** @param seesDocuments  the script has `doc` */
export function scriptSource(rng: Rng, seesDocuments = true): string {
  const source = new Source(rng, seesDocuments);
  const statements = Array.from({ length: rng.int(0, 3) }, () => source.statement(0)).join(' ');
  return `${DECLARED}${statements} return ${source.expression(0)};`;
}
