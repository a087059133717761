// What the documents say of the code, compared with the code.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '#lib/settings/index.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

/** systemd.exec(5), EnvironmentFile=: a comment is a line that begins with # or ;. */
function environmentFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^\s*[^#;\s]/.test(line));
  const pairs = lines.map((line) => /^\s*([^=]+)=(.*?)\s*$/.exec(line) ?? []);
  const unquoted = (value: string) => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unquoted(value)]));
}

/** Blocks of settings, one a line: nothing else is in them. */
const blocks = documents.flatMap((document) =>
  [...read(document).matchAll(/^```\w*\n([\s\S]*?)^```$/gm)]
    .map(([, text = '']) => text)
    .filter(
      (text) => /^[A-Z_]+=/m.test(text) && text.split('\n').every((line) => /^([A-Z_]+=.*|#.*|)$/.test(line)),
    )
    .map((text) => ({ document, text })),
);

describe('a block of settings may be pasted into a file that systemd reads', () => {
  test('there are some', () =>
    expect(blocks.map(({ document }) => document)).toContain('docs/deploy-node.md'));
  test.each(blocks)('$document', ({ text }) => {
    const secret = Buffer.alloc(32, 7).toString('base64url');
    const filled = Object.fromEntries(
      Object.entries(environmentFile(text)).map(([name, value]) => [
        name,
        value.replace('…', /SECRET|TOKEN/.test(name) ? secret : 'x'),
      ]),
    );
    const least = { DATABASE_URL: 'postgres://db.example/g', GATEHOUSE_SECRET: secret };
    expect(() => parseSettings({ ...least, ...filled })).not.toThrow();
    // a value with a comment behind it is read as a whole
    for (const [name, value] of Object.entries(filled)) expect(value, name).not.toMatch(/\s#/);
  });
});

test('docs/operations.md names the checks of /ready as lib/store/registry/ready.ts does', () => {
  const source = read('lib/store/registry/ready.ts');
  const first = /type Readiness = \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const more = /Promise<Readiness & \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const names = [...`${first};${more}`.matchAll(/(\w+): /g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(2);
  const sentence =
    /`\/ready` names each check: ([\s\S]*?), which is/.exec(read('docs/operations.md'))?.[1] ?? '';
  const told = [...sentence.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(new Set(told)).toEqual(new Set([...names, 'process']));
});

test('docs/README.md lists each decision once', () => {
  const files = readdirSync(path.join(root, 'docs/decisions')).filter((file) => /^\d{4}-.*\.md$/.test(file));
  const listed = [...read('docs/README.md').matchAll(/\]\(decisions\/([^)]+)\)/g)].map(([, file]) => file);
  expect(listed.toSorted()).toEqual(files.toSorted());
});

test('a decision that a file cites is there', () => {
  const known = new Set(readdirSync(path.join(root, 'docs/decisions')).map((file) => file.slice(0, 4)));
  const files = globSync(['{lib,app,cli,scripts,e2e,testing}/**/*.{ts,tsx,mjs}'], { cwd: root });
  const cited = files.flatMap((file) =>
    [...read(file).matchAll(/decisions?[/ ](\d{4})/g)].map(([, number = '']) => ({ file, number })),
  );
  expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
});
