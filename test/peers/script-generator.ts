// Generates scripts by the grammar and the types of Painless. Most are valid; one in ten has an operand of a wrong type, whose error is compared too.
import type { Rng } from '../support/rng.ts';

type Kind = 'int' | 'long' | 'double' | 'float' | 'boolean' | 'String' | 'List' | 'Map' | 'def';

const KINDS: readonly Kind[] = ['int', 'long', 'double', 'boolean', 'String', 'List', 'Map', 'def'];
const WORDS = ['alpha', 'Beta', 'gamma delta', '', 'x', 'ä ö', '12', 'a,b,c'];

class Generator {
  readonly #rng: Rng;
  readonly #variables: Array<{ name: string; kind: Kind }> = [];
  #next = 0;

  constructor(rng: Rng) {
    this.#rng = rng;
  }

  script(): string {
    const statements: string[] = [];
    for (let i = this.#rng.int(0, 4); i > 0; i--) statements.push(this.#statement());
    const kind = this.#rng.pick(KINDS);
    return `${statements.join(' ')} return ${this.#expression(kind, 3)};`.trim();
  }

  #declare(kind: Kind): string {
    const value = this.#expression(kind, 2);
    const name = `v${this.#next++}`;
    const declared = this.#rng.int(0, 3) === 0 ? 'def' : kind;
    this.#variables.push({ name, kind: declared === 'def' ? 'def' : kind });
    return `${declared} ${name} = ${value};`;
  }

  #statement(): string {
    switch (this.#rng.int(0, 7)) {
      case 0:
      case 1:
      case 2:
        return this.#declare(this.#rng.pick(KINDS));
      case 3: {
        const name = `v${this.#next++}`;
        const body = `${name} += ${this.#expression('int', 1)};`;
        this.#variables.push({ name, kind: 'int' });
        return `int ${name} = ${this.#rng.int(-5, 5)}; for (int i = 0; i < ${this.#rng.int(1, 6)}; i++) { ${body} }`;
      }
      case 4: {
        const name = `v${this.#next++}`;
        const item = `v${this.#next++}`;
        const list = this.#expression('List', 1);
        this.#variables.push({ name, kind: 'String' });
        return `String ${name} = ''; for (def ${item} : ${list}) { ${name} += ${item}; }`;
      }
      case 5: {
        const found = this.#variables.filter(({ kind }) => kind === 'int' || kind === 'long' || kind === 'double');
        if (!found.length) return this.#declare('int');
        const { name, kind } = this.#rng.pick(found);
        return `${name} ${this.#rng.pick(['+=', '-=', '*=', '/='])} ${this.#expression(kind, 1)};`;
      }
      case 6: {
        const inner = this.#expression('int', 1);
        const name = `v${this.#next++}`;
        this.#variables.push({ name, kind: 'int' });
        return `int ${name} = 0; if (${this.#expression('boolean', 2)}) { ${name} = ${inner}; } else { ${name}--; }`;
      }
      default: {
        const inner = this.#expression('int', 2);
        const name = `v${this.#next++}`;
        this.#variables.push({ name, kind: 'String' });
        return `String ${name} = ''; try { ${name} += ${inner}; } catch (Exception e) { ${name} = 'failed ' + e.getMessage(); }`;
      }
    }
  }

  #variable(kind: Kind): string | null {
    const found = this.#variables.filter((variable) => variable.kind === kind || (kind === 'def' && variable.kind !== 'float'));
    return found.length ? this.#rng.pick(found).name : null;
  }

  #expression(kind: Kind, depth: number): string {
    if (this.#rng.int(0, 60) === 0) return this.#leaf(this.#rng.pick(KINDS));
    if (depth <= 0 || this.#rng.int(0, 3) === 0) return (this.#rng.int(0, 1) === 0 ? this.#variable(kind) : null) ?? this.#leaf(kind);
    const of = (inner: Kind): string => this.#expression(inner, depth - 1);
    const pick = (...options: Array<() => string>): string => this.#rng.pick(options)();
    const op = (...names: string[]): string => this.#rng.pick(names);
    switch (kind) {
      case 'int':
        return pick(
          () => `(${of('int')} ${op('+', '-', '*', '/', '%', '&', '|', '^')} ${of('int')})`,
          () => `(${of('int')} ${op('<<', '>>', '>>>')} ${this.#rng.int(0, 40)})`,
          () => `${op('-', '~', '+')}(${of('int')})`,
          () => `(int)(${of(op('double', 'long') as Kind)})`,
          () => `(${of('boolean')} ? ${of('int')} : ${of('int')})`,
          () => `${of('String')}.${op('length()', 'hashCode()')}`,
          () => `${of('String')}.${op('indexOf', 'lastIndexOf', 'compareTo', 'compareToIgnoreCase')}(${of('String')})`,
          () => `${of('List')}.size()`,
          () => `${of('Map')}.size()`,
          () => `Integer.${op('max', 'min', 'compare', 'rotateLeft')}(${of('int')}, ${of('int')})`,
          () => `Integer.${op('bitCount', 'reverse', 'signum', 'highestOneBit', 'numberOfTrailingZeros')}(${of('int')})`,
          () => `Integer.parseInt(${of('String')})`,
          () => `Integer.${op('reverseBytes', 'lowestOneBit', 'reverse')}(${of('int')})`,
          () =>
            `Duration.${op('ofMillis', 'ofNanos', 'ofSeconds')}(${of('int')}).${op('getNano()', 'hashCode()', 'plusDays(1).getNano()')}`,
          () =>
            `Period.of(${of('int')} % 1000, ${of('int')} % 1000, 3).${op('normalized().getMonths()', 'negated().hashCode()', 'plusMonths(3).getMonths()')}`,
          () => `${of('List')}.stream().mapToInt(x -> x.hashCode()).${op('sum()', 'max().orElse(7)', 'distinct().count() > 1 ? 1 : 2')}`,
        );
      case 'long':
        return pick(
          () => `(${of('long')} ${op('+', '-', '*', '/', '%', '&', '|', '^')} ${of(op('long', 'int') as Kind)})`,
          () => `(${of('long')} ${op('<<', '>>', '>>>')} ${this.#rng.int(0, 70)})`,
          () => `(long)(${of('double')})`,
          () => `Math.round(${of('double')})`,
          () => `Long.${op('reverse', 'reverseBytes', 'lowestOneBit', 'highestOneBit')}(${of('long')})`,
          () => `Long.${op('divideUnsigned', 'remainderUnsigned')}(${of('long')}, ${of('long')})`,
          () => `LongStream.${op('range', 'rangeClosed')}(${this.#rng.int(-3, 3)}L, ${this.#rng.int(-3, 9)}L).sum()`,
          () => `Long.${op('max', 'min', 'sum')}(${of('long')}, ${of('long')})`,
          () => `${of('List')}.stream().filter(x -> x != null).count()`,
        );
      case 'double':
      case 'float':
        return pick(
          () => `(${of('double')} ${op('+', '-', '*', '/', '%')} ${of(op('double', 'int', 'long') as Kind)})`,
          () => `Math.${op('abs', 'floor', 'ceil', 'sqrt', 'signum', 'rint', 'cbrt', 'toRadians')}(${of('double')})`,
          () => `Math.${op('max', 'min', 'pow', 'hypot')}(${of('double')}, ${of('int')})`,
          () => `(double)(${of('int')})`,
          () => `${of('List')}.stream().mapToDouble(x -> x.hashCode() / 4.0).sum()`,
        );
      case 'boolean':
        return pick(
          () => `(${of('int')} ${op('<', '<=', '>', '>=', '==', '!=')} ${of(op('int', 'long', 'double') as Kind)})`,
          () => `(${of('boolean')} ${op('&&', '||', '^', '==', '!=')} ${of('boolean')})`,
          () => `!(${of('boolean')})`,
          () => `${of('String')}.${op('contains', 'startsWith', 'endsWith', 'equals', 'equalsIgnoreCase')}(${of('String')})`,
          () => `(${of('def')} instanceof ${op('String', 'Integer', 'List', 'Map', 'Number', 'Double')})`,
          () => `(${of('def')} == ${of('def')})`,
          () =>
            `${of('List')}.${op('contains', 'any', 'every')}(${op('x', 'y') === 'x' ? 'x -> x != null' : 'x -> x == 1'})`.replace(
              /contains\(x -> .*\)$/,
              'contains(1)',
            ),
          () => `(${of('String')} ${op('=~', '==~')} /${op('a+', '[a-c]*', '\\\\d+', '^x|y$', '(al)(ph)?a')}/)`,
        );
      case 'String':
        return pick(
          () => `(${of('String')} + ${of(this.#rng.pick(KINDS))})`,
          () => `${of('String')}.${op('trim()', 'toUpperCase()', 'toLowerCase()', 'toString()')}`,
          () => `${of('String')}.replace(${of('String')}, ${of('String')})`,
          () => `${of('String')}.substring(${of('int')})`,
          () => `${of('String')}.substring(${this.#rng.int(0, 2)}, ${this.#rng.int(1, 4)})`,
          () => `String.valueOf(${of(this.#rng.pick(KINDS))})`,
          () =>
            `Duration.ofSeconds(${of('int')}, ${this.#rng.int(0, 2_000_000_000)}L).${op('plusHours(5)', 'minusMillis(1)', 'withSeconds(7)', 'multipliedBy(-3)', 'withNanos(5)', 'abs()', 'plus(3, ChronoUnit.MINUTES)')}.toString()`,
          () =>
            `Period.of(${this.#rng.int(-20, 20)}, ${this.#rng.int(-30, 30)}, ${this.#rng.int(-40, 40)}).${op('normalized()', 'multipliedBy(-2)', 'plus(Period.ofWeeks(2))', 'minusYears(3)', 'withDays(4)')}.toString()`,
          () => `Period.parse('${op('P1Y2M3D', '-P4W', 'P1Y', 'P', '1Y', 'p-2m')}').toString()`,
          () =>
            `LocalDate.of(2020, 2, ${this.#rng.int(1, 29)}).${op('plus', 'minus')}(Period.of(0, ${this.#rng.int(-14, 14)}, 1)).toString()`,
          () => `Long.toUnsignedString(${of('long')}, ${this.#rng.int(1, 37)})`,
          () => `Integer.${op('toString', 'toHexString', 'toBinaryString', 'toOctalString')}(${of('int')})`,
          () => `Double.toString(${of('double')})`,
          () => `${of('List')}.join(${of('String')})`,
          () => `${of('List')}.stream().map(x -> '' + x).collect(Collectors.joining(', '))`,
          () =>
            `new StringBuilder(${of('String')}).append(${of(this.#rng.pick(KINDS))}).${op('reverse()', 'append(1)', "insert(0, 'a')")}.toString()`,
          () => `/${op('a', '[aeiou]', '\\\\d', 'l+')}/.matcher(${of('String')}).replaceAll('-')`,
          () => `${of('Map')}.toString()`,
        );
      case 'List':
        return pick(
          () => `[${of('def')}, ${of('def')}, ${of('int')}]`,
          () => `${of('List')}.stream().map(x -> [x]).collect(Collectors.toList())`,
          () => `${of('List')}.stream().distinct().collect(Collectors.toList())`,
          () => `${of('List')}.stream().sorted((a, b) -> a.hashCode() - b.hashCode()).collect(Collectors.toList())`,
          () => `${of('List')}.${op('findAll', 'split', 'collect')}(x -> x != null)`,
          () => `${of('List')}.subList(${this.#rng.int(0, 1)}, ${this.#rng.int(0, 3)})`,
          () => `new ArrayList(${of('List')})`,
          () => `new ArrayList(${of('Map')}.keySet())`,
          () => `new ArrayList(${of('Map')}.values())`,
        );
      case 'Map':
        return pick(
          () => `[${of('String')}: ${of('def')}, ${of('String')}: ${of('def')}]`,
          () => `[${of('def')}: ${of('int')}]`,
          () => `${of('List')}.groupBy(x -> '' + x)`,
          () => `${of('List')}.stream().collect(Collectors.groupingBy(x -> x == null ? 'n' : x.toString(), Collectors.counting()))`,
          () => `new TreeMap([${of('String')}: ${of('int')}, ${of('String')}: ${of('int')}])`,
        );
      default:
        return pick(
          () => of(this.#rng.pick(KINDS)),
          () => `${of('List')}[${this.#rng.int(-2, 3)}]`,
          () => `${of('Map')}.get(${of('String')})`,
          () => `(${of('def')} ?: ${of('def')})`,
          () => `(${of('def')} ${op('+', '-', '*', '/')} ${of('def')})`,
          () => `${of('Map')}.getOrDefault(${of('String')}, ${of('def')})`,
        );
    }
  }

  #leaf(kind: Kind): string {
    switch (kind) {
      case 'int':
        return String(this.#rng.pick([0, 1, 2, 3, 7, 10, 255, -1, 2147483647, -2147483648, this.#rng.int(-100, 100)]));
      case 'long':
        return `${this.#rng.pick(['0', '1', '5', '-3', '4294967296', '9223372036854775807'])}L`;
      case 'double':
        return this.#rng.pick(['0.0', '1.5', '-2.25', '1e10', '1.0E-5', '3.0', '0.1', '100.0']);
      case 'float':
        return this.#rng.pick(['0.5f', '1.1f']);
      case 'boolean':
        return this.#rng.pick(['params.yes', 'params.no', 'true']) === 'true' ? '(1 < 2)' : '(2 < 1)';
      case 'String':
        return `'${this.#rng.pick(WORDS)}'`;
      case 'List':
        return this.#rng.pick(['[1, 2, 3]', "['b', 'a']", '[]', "[1, 'x', null, 2.5]", '[[1], [2, 3]]']);
      case 'Map':
        return this.#rng.pick(["['a': 1, 'b': 2]", '[:]', "['x': [1, 2], 'key': 'value', 'n': null]"]);
      default:
        return this.#leaf(this.#rng.pick(['int', 'long', 'double', 'String', 'List', 'Map'] as const));
    }
  }
}

/** A script without variables of a context. */
export function generateScript(rng: Rng): string {
  return new Generator(rng).script();
}
