// A form that is displayed again keeps the version that the user saw, so that saving detects concurrent changes.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import type { Draft } from './draft.ts';
import { Form } from './form.tsx';
import { startForm } from './page-start.tsx';

loadSettings({
  DATABASE_URL: 'postgres://none/x',
  GATEHOUSE_SECRET: 'x'.repeat(43),
  BASE_URL: 'https://login.example',
});

const draftOf = (because: Draft['because']): Draft => ({
  form: 'client-change',
  because,
  message: null,
  faults: {},
  entries: [
    ['clientId', 'shop'],
    ['version', '3'],
  ],
});

/** The version that the form sends, if version 4 is stored. */
async function versionSent(draft: Draft | null, name = 'client-change'): Promise<string | undefined> {
  const start = await startForm('admin', name, undefined, draft);
  const html = renderToStaticMarkup(
    createElement(Form, { ...start, fields: { clientId: 'shop', version: 4 } }),
  );
  return /name="version" value="(\d+)"/.exec(html)?.[1];
}

test.each(['confirm', 'invalid', 'tested', 'reauthenticated'] as const)(
  '%s: a redisplayed form keeps the version of its first display',
  async (because) => {
    expect(await versionSent(draftOf(because))).toBe('3');
  },
);

test('a form with the message "Someone else saved this" uses and shows the newest version', async () => {
  expect(await versionSent(draftOf('stale'))).toBe('4');
});

test('a new form, or a draft of another form, uses the newest version', async () => {
  expect(await versionSent(null)).toBe('4');
  expect(await versionSent(draftOf('confirm'), 'client-brand')).toBe('4');
});

it('every console form sends its version through Form, and its page calls startForm first', () => {
  const sources = sourcesIn('app/(console)').filter(({ file }) => !isTest(file) && file.endsWith('.tsx'));
  const versioned = sources.filter(({ text }) =>
    /(?:<Form\b[^>]*fields=\{|renderEdit\([^{]*\{\s*fields: )\{[^}]*\bversion\b/s.test(text),
  );
  expect(versioned.length).toBeGreaterThan(8);
  expect(
    sources.filter(({ text }) => /<input[^>]*name="version"/s.test(text)).map(({ file }) => file),
  ).toEqual([]);
  for (const { file, text } of versioned)
    for (const [form = ''] of text.matchAll(/<Form\b[^>]*fields=\{\{[^}]*\bversion\b/gs))
      expect(form, file).toMatch(/\{\.\.\.(?:\(await|start|change|\w+\})/);
});
