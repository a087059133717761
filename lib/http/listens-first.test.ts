// The Node server listens and answers liveness requests before it loads the code for all other requests.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
/** Static imports of values. A dynamic import is loaded later. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;]*?\sfrom\s+)?'([^']+)'/gm;

/** Returns everything that is loaded with these files: folders of lib/, and packages. */
function loadedWith(files: readonly string[]): Set<string> {
  const waiting = files.map((file) => path.join(root, file));
  const seen = new Set<string>();
  const loaded = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const isOurs = name.startsWith('.') || name.startsWith('#lib/');
      const target = name.startsWith('.')
        ? path.resolve(path.dirname(file), name)
        : path.join(root, name.slice(1));
      if (!isOurs) loaded.add(name);
      else if (target.endsWith('.ts')) waiting.push(target);
      const room = /\/lib\/([^/]+)\//.exec(target)?.[1];
      // lib/tokens/credential-text.ts is allowed, because it only redacts logs and has no imports
      if (isOurs && room && !target.endsWith('lib/tokens/credential-text.ts')) loaded.add(`lib/${room}`);
    }
  }
  return loaded;
}

test('before the process listens, it loads no protocol code, no store, no page texts and no part of Next', () => {
  const loaded = [...loadedWith(['start.ts', 'serve.ts'])].filter((name) => !name.startsWith('node:'));
  const rooms = ['lib/embedded-database', 'lib/http', 'lib/kit', 'lib/settings', 'lib/workers'];
  expect(new Set(loaded.filter((name) => name.startsWith('lib/')))).toEqual(new Set(rooms));
  for (const heavy of [
    'next',
    'react',
    'jose',
    '@prisma/client',
    'prom-client',
    'intl-messageformat',
    'nodemailer',
  ])
    expect(loaded).not.toContain(heavy);
});
