// Compares documents with code.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer } from 'marked';
import { describe, expect, test } from 'vitest';
import { headingsOf } from '#app/documentation/_guides/guides.tsx';
import { parseSettings } from '#lib/settings/settings.ts';
import { filledIn, settingsBlocks } from './settings-blocks.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

const blocks = documents.flatMap((document) => settingsBlocks(document, read(document)));

describe('a block of settings can be pasted into a file that systemd reads', () => {
  test('the search finds blocks of settings in docs/operate/deploy-node.md', () =>
    expect(blocks.map(({ document }) => document)).toContain('docs/operate/deploy-node.md'));
  test.each(blocks)('systemd can read the settings block in $document', (block) => {
    const filled = filledIn(block);
    const secret = Buffer.alloc(32, 7).toString('base64url');
    const least = { DATABASE_URL: 'postgres://db.example/g', GATEHOUSE_SECRET: secret };
    expect(() => parseSettings({ ...least, ...filled })).not.toThrow();
    // values include trailing comments
    for (const [name, value] of Object.entries(filled)) expect(value, name).not.toMatch(/\s#/);
  });
});

test('docs/operate/monitor.md names the same checks of /ready as lib/store/service-state.ts', () => {
  const source = read('lib/store/service-state.ts');
  const first = /type Readiness = \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const more = /Promise<Readiness & \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const names = [...`${first};${more}`.matchAll(/(\w+): /g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(2);
  const sentence =
    /`\/ready` names each check: ([\s\S]*?), which is/.exec(read('docs/operate/monitor.md'))?.[1] ?? '';
  const told = [...sentence.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(new Set(told)).toEqual(new Set([...names, 'process']));
});

const anchorsOf = (document: string) => new Set(headingsOf(lexer(read(document))).map(({ id }) => id));

const everyDocument = globSync(['*.md', '{docs,lib,app,cli,scripts,testing,e2e,demo,bench,prisma}/**/*.md'], {
  cwd: root,
}).filter((file) => !/(?:^|\/)(?:node_modules|\.next[^/]*)\//.test(file));

test('links in documents lead to existing files and headings', () => {
  const dead = everyDocument.flatMap((document) => {
    const prose = read(document)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .replaceAll(/`[^`\n]*`/g, '');
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? document : path.join(path.dirname(document), decodeURIComponent(file));
        if (!existsSync(path.join(root, target))) return true;
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
      })
      .map((link) => `${document}: ${link}`);
  });
  expect(dead).toEqual([]);
});
