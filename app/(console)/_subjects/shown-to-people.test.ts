// Approvers see everything that users will see, in every language.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { client as definition, returnHost } from '#lib/catalogue/clients/definition.ts';
import { formFields } from '#lib/registry/definition.ts';
import { client, subscriptionOf } from '#testing/in-process/marked.ts';
import { RequestFacts } from './subscription-decision.tsx';
import { AllTexts, OtherNames, SHOWN, ShownFacts, type ShownToPeople } from './subscription-facts.tsx';

const CLIENT: ShownToPeople = {
  clientId: 'calendar',
  name: { und: 'Calendar helper', de: 'Sparkasse Konto-Schutz', ar: 'حماية' },
  logoUri: 'https://pictures.example/logo.png',
  tosUri: 'https://terms.example/',
  policyUri: 'https://policy.example/',
  redirectUris: ['https://app.example/cb', 'https://other.example:8443/cb', 'com.example.app:/cb'],
};
/** Address fields of a client that no page shows to users. */
const UNSEEN = ['jwksUri', 'backchannelLogoutUri', 'sectorIdentifierUri'];

describe('an approver sees every text that users will see', () => {
  it('the table covers every text and address of a client definition', () => {
    const fields = formFields(definition).filter(({ isText, as }) => isText || as === 'url');
    const shown = fields.map(({ name }) => name).filter((name) => !UNSEEN.includes(name));
    expect(Object.keys(SHOWN).sort()).toEqual([...shown, 'redirectUris'].sort());
  });

  it.each(Object.entries(SHOWN))(
    '%s: the page shows each text in each of its languages',
    (_, { label, texts }) => {
      const html = renderToStaticMarkup(createElement(ShownFacts, { of: CLIENT }));
      expect(html).toContain(label);
      expect(texts(CLIENT).length).toBeGreaterThan(0);
      for (const text of texts(CLIENT))
        for (const one of typeof text === 'string' ? [text] : Object.values(text))
          expect(html).toContain(`>${one}</bdi>`);
    },
  );

  it('redirect targets are spelled exactly as on the consent page, including ports and capitals', () => {
    const redirectUris = ['https://APP.example:443/cb', 'https://app.example/cb', 'com.example.app:/cb'];
    const html = renderToStaticMarkup(createElement(ShownFacts, { of: { ...CLIENT, redirectUris } }));
    for (const uri of redirectUris) expect(html).toContain(`<bdi>${returnHost(uri)}</bdi>`);
    expect(redirectUris.map(returnHost)).toEqual(['APP.example:443', 'app.example', 'com.example.app']);
  });

  it('a client that was renamed since its approval is not shown as unchanged', () => {
    const nothing = { trusted: null, machine: null, device: null, kind: null, brand: false };
    const lists = { scopesAdded: [], scopesRemoved: [], redirectUrisAdded: [], redirectUrisRemoved: [] };
    const [approved, later] = [new Date('2026-01-01'), new Date('2026-01-02')];
    const pending = {
      ...subscriptionOf(client),
      state: 'pending' as const,
      history: [{ from: 'pending', to: 'approved', at: approved, undoneAt: null }] as never,
      sinceApproval: { ...nothing, ...lists },
    };
    const shown = (clientChangedAt: Date | null) =>
      renderToStaticMarkup(createElement(RequestFacts, { of: { ...pending, clientChangedAt } }));
    expect(shown(null)).toContain('No changes since');
    expect(shown(later)).toContain('The name or the redirect addresses have changed');
  });

  it('each name of a client shows its language and full text, and different names cause a warning', () => {
    const html = renderToStaticMarkup(createElement(AllTexts, { of: CLIENT.name }));
    expect(html).toContain(
      '<bdi lang="de">Sparkasse Konto-Schutz</bdi> <span class="soft">German (de)</span>',
    );
    expect(renderToStaticMarkup(createElement(AllTexts, { of: 'n'.repeat(200) }))).toContain('n'.repeat(200));
    expect(renderToStaticMarkup(createElement(OtherNames, { of: CLIENT }))).toContain(
      'The application has 3 names.',
    );
    for (const name of ['Notes', { en: 'Notes', de: 'Notes' }])
      expect(renderToStaticMarkup(createElement(OtherNames, { of: { name } }))).toBe('');
  });
});
