// Contexts of scripts: the variables and functions in addition to the library, and the type of the result.
import type { CompileContext } from './compile/compile.ts';
import type { ContextFunction } from './compile/unit.ts';
import { type Implementation, type Type, typeNamed } from './java/class-info.ts';

/** Variables and functions of a script in addition to the library, and the type of its result. */
export interface ScriptContext {
  /** Type of the result: `def`, `double`, `boolean`, `void` ... */
  readonly returns: string;
  /** Types of the variables by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Functions by signature: `double saturation(double,double)`. */
  readonly functions?: Readonly<Record<string, Implementation>>;
}

function typeOf(name: string): Type {
  const type = typeNamed(name);
  if (!type) throw new Error(`the type ${name} is not defined`);
  return type;
}

const SIGNATURE = /^(\S+) ([$\w]+)\((.*)\)$/;

export function resolveContext({ returns, variables, functions = {} }: ScriptContext): CompileContext {
  return {
    returns: typeOf(returns),
    variables: Object.entries(variables).map(([name, type]) => ({ name, type: typeOf(type) })),
    functions: Object.entries(functions).map(([signature, run]): ContextFunction => {
      const [, result, name, params] = SIGNATURE.exec(signature) ?? [];
      if (name === undefined) throw new Error(`the signature ${signature} cannot be read`);
      return { name, returns: typeOf(result), params: params === '' ? [] : params.split(',').map(typeOf), run };
    }),
  };
}
