// Custom texts of an API and of a client, checked on pages and in a mail.
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { mailTo } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { registration } from '#testing/in-process/registering.ts';
import { type Place, Visitor } from '#testing/in-process/visitor.ts';

beforeAll(async () => {
  await givenFixtures();
  await registration('open');
  const texts = {
    sign_in_lead: { de: 'Willkommen <b>zurück</b> & guten Tag', fr: 'Bon retour' },
    sign_in_help: { de: 'Fragen?\nRufen Sie an.' },
    sign_in_forgotten: { de: 'Kennwort weg?' },
    registration_lead: { de: 'Für Kunden.' },
    registration_intro: { de: 'Nur eine Adresse.' },
    mail_code_subject: { de: 'Ihr Code' },
    mail_code: { de: 'Code {code}, {minutes} Minuten.' },
    mail_closing: { de: 'Ihr <b>Team</b>' },
  };
  await changeApi(OPERATOR, { id: 'orders', texts });
  await changeClient(OPERATOR, { clientId: 'tru', texts: { sign_in_lead: { fr: 'Du client' } } });
});

async function pageAt({ page, sealed }: Place, visitor: Visitor, more = ''): Promise<string> {
  const { GET } =
    page === 'register' ? await import('./register/route.tsx') : await import('./login/route.tsx');
  const headers = { cookie: visitor.jar.header ?? '' };
  const request = new Request(`http://localhost:3000/${page}?interaction=${sealed}${more}`, { headers });
  return (await GET(request, { params: Promise.resolve({}) })).text();
}

const signIn = async (language: string, more = '') => {
  const visitor = new Visitor();
  return pageAt(await visitor.start({ ui_locales: language, scope: 'read' }), visitor, more);
};

test('German pages show the API’s texts, escaped, French pages the client’s texts, and Polish pages the default texts', async () => {
  const german = await signIn('de');
  expect(german).toContain('Willkommen &lt;b&gt;zurück&lt;/b&gt; &amp; guten Tag</p>');
  expect(german).toContain('>Fragen?\nRufen Sie an.</p>');
  expect(german).toContain('>Kennwort weg?</a>');
  expect(german).toContain('<h1>Anmelden</h1>');
  const french = await signIn('fr');
  expect(french).toContain('Du client');
  expect(french).not.toContain('Bon retour');
  expect(french).toContain('Mot de passe oublié');
  const polish = await signIn('pl');
  expect(polish).not.toContain('own-text');
  expect(polish).toContain('Zaloguj');
  // the language selected on the page also applies to custom texts
  expect(await signIn('pl', '&language=de')).toContain('Kennwort weg?');
});

test('after a wrong password, the page shows the custom texts again, with the default alert', async () => {
  const visitor = new Visitor();
  const login = await visitor.start({ ui_locales: 'de', scope: 'read' });
  const again = await pageAt(
    await visitor.submit(login, { username: 'a@example.com', password: 'x' }),
    visitor,
  );
  expect(again).toContain('role="alert"');
  expect(again).toContain('Willkommen &lt;b&gt;');
});

test('the page and the mail of a registration use the custom texts of the language, and the closing text comes last', async () => {
  for (const [language, isOwn] of [
    ['de', true],
    ['it', false],
  ] as const) {
    const email = `${language}-texts@example.com`;
    const visitor = new Visitor();
    const first = await visitor.start({ ui_locales: language, scope: 'read', prompt: 'create' });
    const page = await pageAt(first, visitor);
    expect([page.includes('Für Kunden.'), page.includes('Nur eine Adresse.')]).toEqual([isOwn, isOwn]);
    await visitor.submit(first, { email });
    const [mail] = await mailTo(email);
    expect(mail?.subject === 'Gatehouse: Ihr Code').toBe(isOwn);
    expect(/^Code \d{3} \d{3}, 10 Minuten\.\n/.test(mail?.text ?? '')).toBe(isOwn);
    expect(mail?.text.includes('\n\nIhr <b>Team</b>\n\n-- \n')).toBe(isOwn);
  }
});
