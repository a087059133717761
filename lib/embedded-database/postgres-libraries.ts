// The links to its shared libraries are made by a script of the PostgreSQL package when npm installs it. Where npm may
// not run scripts they are made in the data folder instead, and PostgreSQL is told to look there.
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const linksShape = z.array(z.object({ source: z.string(), target: z.string() }));

/** By which the loader of this system is told of a folder. */
const VARIABLE = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';

/** `program`: in `native/bin` of the package. Returns what its environment needs: nothing, where no link is missing. */
export async function librariesFor(program: string, folder: string): Promise<Record<string, string>> {
  const home = path.resolve(path.dirname(program), '../..');
  const list = path.join(home, 'native/pg-symlinks.json');
  const links = existsSync(list) ? linksShape.parse(JSON.parse(readFileSync(list, 'utf8'))) : [];
  if (links.every(({ target }) => existsSync(path.join(home, target)))) return {};
  const made = `${folder}.libraries`;
  // those of an older version would lead nowhere
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  // where we are root, PostgreSQL runs under another account
  await chmod(made, 0o755);
  for (const { source, target } of links)
    await symlink(path.join(home, source), path.join(made, path.basename(target)));
  // a library that is found by a link looks beside the link for what it needs itself
  return { [VARIABLE]: [made, path.join(home, 'native/lib')].join(path.delimiter) };
}
