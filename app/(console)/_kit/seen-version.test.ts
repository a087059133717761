// A form that comes back carries the version that its reader saw: a change made meanwhile is noticed when it is saved.
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

/** The version that the form sends, where version 4 is stored. */
async function versionSent(draft: Draft | null, name = 'client-change'): Promise<string | undefined> {
  const start = await startForm('admin', name, undefined, draft);
  const html = renderToStaticMarkup(
    createElement(Form, { ...start, fields: { clientId: 'shop', version: 4 } }),
  );
  return /name="version" value="(\d+)"/.exec(html)?.[1];
}

test.each(['confirm', 'invalid', 'tested', 'reauthenticated'] as const)(
  '%s: the form keeps the version that was seen',
  async (because) => {
    expect(await versionSent(draftOf(because))).toBe('3');
  },
);

test('a form that said "Someone else saved this" takes the newest version, which it shows', async () => {
  expect(await versionSent(draftOf('stale'))).toBe('4');
});

test('a form that is new, or has the draft of another form, takes the newest version', async () => {
  expect(await versionSent(null)).toBe('4');
  expect(await versionSent(draftOf('confirm'), 'client-brand')).toBe('4');
});

it('every form of the console sends its version by the fields of Form, and begins with startForm', () => {
  const sources = sourcesIn('app/(console)').filter(({ file }) => !isTest(file) && file.endsWith('.tsx'));
  const versioned = sources.filter(({ text }) =>
    /<(?:Form|EditPanel)\b[^>]*fields=\{\{[^}]*\bversion\b/s.test(text),
  );
  expect(versioned.length).toBeGreaterThan(8);
  expect(
    sources.filter(({ text }) => /<input[^>]*name="version"/s.test(text)).map(({ file }) => file),
  ).toEqual([]);
  for (const { file, text } of versioned)
    for (const [form = ''] of text.matchAll(/<Form\b[^>]*fields=\{\{[^}]*\bversion\b/gs))
      expect(form, file).toMatch(/\{\.\.\.(?:\(await|start|change|\w+\})/);
});
