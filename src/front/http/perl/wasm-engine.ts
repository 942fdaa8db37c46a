// Perl as a WebAssembly module (@6over3/zeroperl-ts, an optional package). Scripts may read files of the system (read-only-files.ts); sockets,
// other processes and modules with compiled parts do not exist here.
import { setFlagsFromString } from 'node:v8';
import type { EngineHost, EngineOptions, Frame, PerlEngine } from './engine.ts';
import { limitMemory } from './memory-limit.ts';
import { NGINX_PACKAGE } from './nginx-package.ts';
import { readOnlyFiles } from './read-only-files.ts';

const PACKAGE = '@6over3/zeroperl-ts';

/** Strings from the host arrive as UTF-8, which Perl sees as bytes. */
const BRIDGE = `
package nginx;
sub exchange {
  my ($frame) = @_;
  utf8::upgrade($frame);
  my $answer = host_exchange($frame);
  utf8::downgrade($answer);
  return $answer;
}
sub dispatch_bytes {
  my ($frame) = @_;
  utf8::downgrade($frame);
  my $result = dispatch($frame);
  utf8::upgrade($result);
  return $result;
}
1;
`;

/** @throws Error the package is not installed, or the interpreter does not start */
export async function startWasm(options: EngineOptions, host: EngineHost): Promise<PerlEngine> {
  const zeroperl = await import('@6over3/zeroperl-ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`embedded Perl needs the package ${PACKAGE} ("npm install ${PACKAGE}"), or "perl_engine" with the path of a perl`);
  });
  limitMemory(options.memoryBytes);
  // Optimizing the startup code would take longer than the rest of the start.
  setFlagsFromString('--liftoff-only');
  const written = (text: string | Uint8Array): void => host.log('warn', typeof text === 'string' ? text : Buffer.from(text).toString());
  const perl = await zeroperl.ZeroPerl.create({
    env: options.env,
    fileSystem: readOnlyFiles(zeroperl.MemoryFileSystem, (text) => host.log('error', text)),
    stdout: written,
    stderr: written,
  });
  perl.registerMethod('nginx', 'host_exchange', (question) => perl.createString(host.exchange(question.toString())));
  for (const source of [NGINX_PACKAGE, BRIDGE]) {
    const { success, error } = await perl.eval(source);
    if (!success) throw new Error(`perl: ${error}`);
  }
  setFlagsFromString('--no-liftoff-only');
  return {
    pid: null,
    async dispatch(frame: Frame): Promise<Frame> {
      const argument = perl.createString(frame);
      const result = await perl.call('nginx::dispatch_bytes', [argument], 'scalar');
      argument.dispose();
      if (result === null) throw new Error(perl.getLastError() || 'the interpreter ended');
      const text = result.toString();
      result.dispose();
      return text;
    },
  };
}
