// Tarballs of both packages, projects that have installed one of them, and Node binaries of other versions to run them with.
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const exec = promisify(execFile);

/** The newest versions of each line that npm's packages of Node binaries have. */
const NODE_VERSIONS: Readonly<Record<string, string>> = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

/** Packs both packages from the build. @returns their tarballs in `folder` */
export async function packBoth(folder: string): Promise<{ gannet: string; analyzer: string }> {
  await exec('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  await exec(process.execPath, ['tools/pack-analyzer.mjs'], { cwd: root, env: { ...process.env, npm_config_pack_destination: folder } });
  const tarball = (name: RegExp) => path.join(folder, readdirSync(folder).find((file) => name.test(file)) ?? 'missing');
  return { gannet: tarball(/^gannet-\d.*\.tgz$/), analyzer: tarball(/^gannet-analyzer-.*\.tgz$/) };
}

/**
 * Node of a line, such as `22`: installed from the registry into .cache/ of the checkout once.
 * @returns the path of its binary
 */
export async function nodeBinary(line: string): Promise<string> {
  const version = NODE_VERSIONS[line];
  if (!version) throw new Error(`no version of Node ${line} is pinned, must be one of [${Object.keys(NODE_VERSIONS).join(', ')}]`);
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = path.join(root, '.cache', `node-${version}`);
  const binary = path.join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    await exec('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`]);
  }
  return binary;
}

/** An empty project that has installed one package. */
export class PackageProject {
  readonly folder: string;
  readonly modules: string;
  readonly node: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param node binary that runs the project's programs and commands */
  constructor(parent: string, node: string) {
    this.folder = mkdtempSync(path.join(parent, 'project-'));
    this.modules = path.join(this.folder, 'node_modules');
    this.node = node;
    this.#env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
    this.write('package.json', '{ "type": "module" }');
  }

  write(file: string, content: string): void {
    writeFileSync(path.join(this.folder, file), content);
  }

  /** Standard output of a command. */
  async run(command: string, ...args: string[]): Promise<string> {
    try {
      return (await exec(command, args, { cwd: this.folder, env: this.#env })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as ExecFileException;
      throw new Error(`${command} ${args.join(' ')} failed: ${stdout}${stderr}`);
    }
  }

  /** Runs a module's source. @returns what it prints */
  async script(source: string, name = 'script.mjs'): Promise<string> {
    this.write(name, source);
    return this.run(this.node, name);
  }

  /** Installs as users do, from the registry or npm's cache. */
  async install(tarball: string): Promise<void> {
    await this.run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball);
  }

  /** Unpacks the tarball next to links to the dependencies that this checkout has: without a registry. */
  async unpack(tarball: string, name: string): Promise<void> {
    mkdirSync(path.join(this.modules, '.bin'), { recursive: true });
    mkdirSync(path.join(this.modules, name));
    await this.run('tar', 'xzf', tarball, '--strip-components=1', '-C', path.join(this.modules, name));
    const { dependencies = {}, bin = {} } = this.manifest(name);
    for (const dependency of Object.keys(dependencies)) this.link(dependency);
    for (const [command, file] of Object.entries(bin)) symlinkSync(path.join('..', name, file), path.join(this.modules, '.bin', command));
  }

  /** Links a package of this checkout. */
  link(name: string): void {
    mkdirSync(path.dirname(path.join(this.modules, name)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), path.join(this.modules, name));
  }

  manifest(name: string): PackageManifest {
    return JSON.parse(readFileSync(path.join(this.modules, name, 'package.json'), 'utf8')) as PackageManifest;
  }

  /** Files of an installed package, by their paths in it. */
  files(name: string): string[] {
    return filesOf(path.join(this.modules, name));
  }

  /** Size on disk of all installed packages, without directories and links. */
  installedBytes(): number {
    return filesOf(this.modules).reduce((sum, file) => sum + lstatSync(path.join(this.modules, file)).size, 0);
  }
}

export interface PackageManifest {
  readonly exports: object;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Excludes files reached through links, which Node 26 follows in a recursive `readdir`. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return filesOf(path.join(folder, entry.name)).map((file) => path.join(entry.name, file));
    return entry.isFile() ? [entry.name] : [];
  });
}
